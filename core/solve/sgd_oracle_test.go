package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
)

// order is one of visits to the rows of an instance, and the row that is left out after each.
type order struct {
	at, drop []int64
}

// orders are one pass, and several in which rows come again, some after they were left out.
func orders(m int) map[string]order {
	one := order{}
	several := order{}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3 {
		for _, i := range rng.Perm(m) {
			several.at = append(several.at, int64(i))
			several.drop = append(several.drop, int64(rng.IntN(2*m)-m))
		}
	}
	for i := range m {
		one.at = append(one.at, int64(i))
		one.drop = append(one.drop, -1)
	}
	return map[string]order{"one pass": one, "several": several}
}

// visited returns the problem of the rows in an order, and the kernel between them and all rows.
func (in *instance) visited(t *testing.T, o order) (*Problem, Visits) {
	t.Helper()
	again := *in
	again.psi = linalg.NewMatrix[float64](0, in.psi.Cols)
	again.weights, again.first = nil, nil
	if in.first != nil {
		again.first = []int{0}
	}
	v := Visits{Kernel: linalg.NewMatrix[float64](len(o.at), in.k.Cols), Shift: in.shift, At: o.at, Drop: o.drop}
	for step, i := range o.at {
		lo, hi := in.outputs(int(i))
		for a := lo; a < hi; a++ {
			again.psi.Data = append(again.psi.Data, in.psi.Row(a)...)
			again.psi.Rows++
		}
		if in.first != nil {
			again.first = append(again.first, again.psi.Rows)
		}
		again.weights = append(again.weights, in.weight(int(i)))
		copy(v.Kernel.Row(step), in.k.Row(int(i)))
	}
	return again.problem(t, 2), v
}

// byFormula takes the steps one by one on the enumerated loss, without any shortcut.
func (in *instance) byFormula(steps StepSizes, o order, coef, average matrix) {
	d := in.psi.Cols
	count := float64(steps.Done)
	for step, at := range o.at {
		i := int(at)
		f := in.scores(coef).Row(i)
		b, g := in.quadratic(i)
		eta := steps.First * steps.Rows / (in.lambda * (float64(steps.Done+step) + steps.Shift))
		for r := range coef.Rows {
			for j := range d {
				coef.Row(r)[j] *= 1 - 2*in.lambda/steps.Rows*eta
			}
		}
		for j := range d {
			slope := g[j]
			for l := range d {
				slope += b.At(j, l) * f[l]
			}
			coef.Row(i)[j] -= eta * in.weight(i) * slope
		}
		count++
		share := 4 / (count + 3) // of averages whose weights grow as the cube
		for r := range coef.Rows {
			for j := range d {
				average.Row(r)[j] += share * (coef.Row(r)[j] - average.Row(r)[j])
			}
		}
		if o.drop[step] >= 0 {
			clear(coef.Row(int(o.drop[step])))
			clear(average.Row(int(o.drop[step])))
		}
	}
}

func (in *instance) start(rng *rand.Rand) matrix {
	// In the span of the outputs, where all solutions are.
	a := linalg.NewMatrix[float64](in.k.Rows, in.psi.Cols)
	for i := range a.Rows {
		for j, v := range in.all[rng.IntN(len(in.all))] {
			a.Row(i)[j] = 0.1 * (v - in.mean[j])
		}
	}
	return a
}

func clone(m matrix) matrix {
	out := linalg.NewMatrix[float64](m.Rows, m.Cols)
	copyRows(out, m)
	return out
}

func difference(a, b matrix) float64 {
	var worst float64
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			worst = max(worst, math.Abs(v-b.Row(i)[j])/(1+math.Abs(v)))
		}
	}
	return worst
}

// steady are steps that do not diverge on the instances.
func steady(in instance) StepSizes {
	return StepSizes{Rows: float64(in.k.Rows), First: 0.5, Shift: 400, Done: 3}
}
