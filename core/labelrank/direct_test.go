package labelrank

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/badrow"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/solve"
)

// lossBetween returns a loss of rankings by its definition.
func lossBetween(loss PositionLoss, y, z []int32) (sum float64) {
	k := len(y)
	var largest float64
	discounted := func(z []int32) (gain float64) {
		for l, at := range y {
			gain += float64(int32(k)-at) / math.Log2(1+float64(z[l]))
		}
		return gain
	}
	if loss == NDCG {
		return 1 - discounted(z)/discounted(y)
	}
	apart := func(a, b int32) float64 {
		d := math.Abs(float64(a - b))
		if loss == Spearman {
			return d * d
		}
		return d
	}
	for l, at := range y {
		sum += apart(at, z[l])
		largest += apart(int32(l+1), int32(k-l)) // of reversed rankings
	}
	return sum / largest
}

func TestPositionLossesAreTheMeasures(t *testing.T) {
	for _, loss := range []PositionLoss{Spearman, Footrule, NDCG} {
		for _, k := range []int{2, 3, 5} {
			table := PositionLosses(loss, k)
			for _, y := range rankingsOf(k)[:k] {
				for _, z := range rankingsOf(k) {
					sum := 0.0
					for l, at := range y {
						sum += table.Row(int(at) - 1)[z[l]-1]
					}
					if want := lossBetween(loss, y, z); math.Abs(sum-want) > 1e-12 {
						t.Errorf("loss %d of %v and %v is %g, want %g", loss, y, z, sum, want)
					}
				}
			}
		}
	}
}

func drawnDirect(n, k int, loss PositionLoss) (*Direct, *solve.Design) {
	rng := rand.New(rand.NewPCG(4, uint64(k)))
	d := &Direct{Loss: loss, Cost: 3, SVMOptions: maxmargin.SVMOptions{Tol: 1e-6, MaxIter: 2000, Workers: 2}}
	for j := range k {
		d.Weights = append(d.Weights, math.Pow(float64(j+2), -0.25))
	}
	for range n {
		for _, at := range rng.Perm(k) {
			d.Positions = append(d.Positions, int32(at+1))
		}
		d.Rows = append(d.Rows, 0.5+rng.Float64())
	}
	d.Rows[2] = 0
	return d, drawnDesign(n, 2, 8)
}

// TestDirectReachesItsObjective: the objective is that of the list of all rankings at the weights found, and no other weights that are
// near have less than the gap below it.
func TestDirectReachesItsObjective(t *testing.T) {
	const n, k = 12, 4
	every := rankingsOf(k)
	for _, loss := range []PositionLoss{Spearman, Footrule, NDCG} {
		d, x := drawnDirect(n, k, loss)
		found, err := d.Train(x, nil)
		if err != nil || !found.Converged {
			t.Fatalf("loss %d: %v, converged %v", loss, err, found.Converged)
		}
		objective := func(w linalg.Matrix[float64]) float64 {
			m, f := features{x, w}, make([]float64, k)
			sum := 0.0
			for _, v := range w.Data {
				sum += v * v / 2
			}
			for i := range n {
				m.scoresTo(f, i)
				y, worst := d.Positions[i*k:(i+1)*k], math.Inf(-1)
				for _, z := range every {
					hinge := lossBetween(loss, y, z)
					for l := range k {
						hinge -= (d.Weights[y[l]-1] - d.Weights[z[l]-1]) * f[l]
					}
					worst = max(worst, hinge)
				}
				sum += d.Cost * d.Rows[i] * worst
			}
			return sum
		}
		w := linalg.NewMatrix[float64](x.Len(), k)
		w.CopyFrom(found.Weights)
		here := objective(w)
		if math.Abs(here-found.Objective) > 1e-9*here {
			t.Errorf("loss %d: the objective is %g, reported %g", loss, here, found.Objective)
		}
		rng := rand.New(rand.NewPCG(5, 5))
		for range 300 {
			at := rng.IntN(len(w.Data))
			old := w.Data[at]
			w.Data[at] += rng.NormFloat64() * 0.05
			if other := objective(w); other < here-found.Gap {
				t.Fatalf("loss %d: an objective of %g is below %g less the gap %g", loss, other, here, found.Gap)
			}
			w.Data[at] = old
		}
	}
}

func TestDirectRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(d *Direct)
		row   int // −1: none
	}{
		"twice":    {func(d *Direct) { d.Positions[5] = d.Positions[4] }, 1},
		"position": {func(d *Direct) { d.Positions[8] = 0 }, 2},
		"beyond":   {func(d *Direct) { d.Positions[8] = 5 }, 2},
		"rising":   {func(d *Direct) { d.Weights[2] = 7 }, -1},
		"equal":    {func(d *Direct) { d.Weights = []float64{1, 1, 1, 1} }, -1},
		"infinite": {func(d *Direct) { d.Weights[0] = math.Inf(1) }, -1},
		"loss":     {func(d *Direct) { d.Loss = 3 }, -1},
		"weight":   {func(d *Direct) { d.Rows[3] = -1 }, 3},
		"scores":   {func(d *Direct) { d.Weights[0] = math.MaxFloat64 }, -1},
	} {
		d, x := drawnDirect(6, 4, Spearman)
		c.spoil(d)
		_, err := d.Train(x, nil)
		if bad, ok := errors.AsType[*badrow.Error](err); err == nil || c.row >= 0 && (!ok || bad.Row != c.row) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
