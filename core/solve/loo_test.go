package solve

import (
	"math"
	"testing"

	"combpred/core/linalg"
)

// Leave-one-out equals training again without the row's label, after undoing the first-order correction for the row itself; for
// the squared loss it equals training again without the row.
func TestLeaveOneOutMatchesRefitting(t *testing.T) {
	for _, in := range instances(t) {
		t.Run(in.name, func(t *testing.T) {
			m, d := in.psi.Rows, in.psi.Cols
			p := in.problem(t, 2)
			s, v := in.eigen(t, p)
			sp, err := NewSpectral(p, s, v)
			if err != nil {
				t.Fatal(err)
			}
			c, single, diag := p.newBlock(), p.newBlock(), p.newBlock()
			if err := LeaveOneOut(p, sp, make([]float64, LeaveOneOutWork[float64](m, in.margin)/8), c); err != nil {
				t.Fatal(err)
			}
			if err := LeaveOneOut(p, sp, make([]float32, LeaveOneOutWork[float32](m, in.margin)/4), single); err != nil {
				t.Fatal(err)
			}
			for i, x := range single.Data {
				if math.Abs(x-c.Data[i]) > 1e-4*(1+math.Abs(c.Data[i])) {
					t.Fatalf("single precision: coordinate %d is %g, in double %g", i, x, c.Data[i])
				}
			}
			if _, err := sp.Diagonal(diag); err != nil {
				t.Fatal(err)
			}
			if in.margin { // undo the correction
				for i := range m {
					for j := range c.Row(i) {
						c.Row(i)[j] *= 1 - p.sigma[j]*diag.Row(i)[j]
					}
				}
			}
			got := linalg.NewMatrix[float64](m, d)
			p.Coord.SynthesizeTo(got, c)
			for i := range m {
				if in.weight(i) == 0 {
					continue
				}
				refit := in
				removed := i
				if !in.margin {
					refit.weights = make([]float64, m)
					for j := range m {
						refit.weights[j] = in.weight(j)
					}
					refit.weights[i] = 0
					removed = -1
				}
				want := in.scores(refit.eliminate(removed)).Row(i)
				for j := range d {
					if math.Abs(got.Row(i)[j]-want[j]) > 1e-8 {
						t.Fatalf("row %d: score[%d] = %g, refitting gives %g", i, j, got.Row(i)[j], want[j])
					}
				}
			}
		})
	}
}
