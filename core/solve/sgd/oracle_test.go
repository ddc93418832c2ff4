package sgd

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// followed is an order of visits to the rows of an instance, and the row that is left out after each.
type followed struct {
	at, drop []int64
}

// orders are one pass, and several in which rows come again, some after they were left out.
func orders(m int) map[string]followed {
	one := followed{}
	several := followed{}
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
	return map[string]followed{"one pass": one, "several": several}
}

// visited returns the problem of the rows in an order, and the kernel between them and all rows.
func visited(t *testing.T, in *solvetest.Instance, o followed) (*solve.Problem, Visits) {
	t.Helper()
	again := *in
	again.Psi = linalg.NewMatrix[float64](0, in.Psi.Cols)
	again.Weights, again.First = nil, nil
	if in.First != nil {
		again.First = []int{0}
	}
	v := Visits{Kernel: linalg.NewMatrix[float64](len(o.at), in.K.Cols), Shift: in.Shift, At: o.at, Drop: o.drop}
	for step, i := range o.at {
		lo, hi := in.Outputs(int(i))
		for a := lo; a < hi; a++ {
			again.Psi.Data = append(again.Psi.Data, in.Psi.Row(a)...)
			again.Psi.Rows++
		}
		if in.First != nil {
			again.First = append(again.First, again.Psi.Rows)
		}
		again.Weights = append(again.Weights, in.Weight(int(i)))
		copy(v.Kernel.Row(step), in.K.Row(int(i)))
	}
	return again.Problem(t, 2), v
}

// byFormula takes the steps one by one on the enumerated loss, without any shortcut.
func byFormula(in *solvetest.Instance, steps StepSizes, o followed, coef, average matrix) {
	d := in.Psi.Cols
	count := float64(steps.Done)
	for step, at := range o.at {
		i := int(at)
		f := in.Scores(coef).Row(i)
		b, g := in.Quadratic(i)
		eta := steps.First * steps.Rows / (in.Lambda * (float64(steps.Done+step) + steps.Shift))
		for r := range coef.Rows {
			for j := range d {
				coef.Row(r)[j] *= 1 - 2*in.Lambda/steps.Rows*eta
			}
		}
		for j := range d {
			slope := g[j]
			for l := range d {
				slope += b.At(j, l) * f[l]
			}
			coef.Row(i)[j] -= eta * in.Weight(i) * slope
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

func clone(m matrix) matrix {
	out := linalg.NewMatrix[float64](m.Rows, m.Cols)
	out.CopyFrom(m)
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
func steady(in solvetest.Instance) StepSizes {
	return StepSizes{Rows: float64(in.K.Rows), First: 0.5, Shift: 400, Done: 3}
}
