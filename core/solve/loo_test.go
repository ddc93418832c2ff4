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
		if in.first != nil {
			continue
		}
		t.Run(in.name, func(t *testing.T) {
			m, d := in.psi.Rows, in.psi.Cols
			p := in.problem(t, 2)
			s, v := in.eigen(t, p)
			sp, err := NewSpectral(p, s, v)
			if err != nil {
				t.Fatal(err)
			}
			k := len(p.Coord.groups)
			op := NewKernel(p, in.k, in.shift)
			c, diag := p.newBlock(), p.newBlock()
			if err := LeaveOneOutFactored(p, op, make([]float64, LeaveOneOutWork[float64](m, k, in.margin)/8), c); err != nil {
				t.Fatal(err)
			}
			agrees := func(route string, tol float64, run func(dst matrix) error) {
				t.Helper()
				other := p.newBlock()
				if err := run(other); err != nil {
					t.Fatalf("%s: %v", route, err)
				}
				for i, x := range other.Data {
					if !(math.Abs(x-c.Data[i]) <= tol*(1+math.Abs(c.Data[i]))) {
						t.Fatalf("%s: coordinate %d is %g, by factors in double %g", route, i, x, c.Data[i])
					}
				}
			}
			agrees("factors, single", 1e-4, func(dst matrix) error {
				return LeaveOneOutFactored(p, op, make([]float32, LeaveOneOutWork[float32](m, k, in.margin)/4), dst)
			})
			if in.margin {
				agrees("spectral, double", 1e-9, func(dst matrix) error {
					return LeaveOneOutSpectral(p, sp, make([]float64, LeaveOneOutSpectralWork[float64](m)/8), dst)
				})
				agrees("spectral, single", 1e-4, func(dst matrix) error {
					return LeaveOneOutSpectral(p, sp, make([]float32, LeaveOneOutSpectralWork[float32](m)/4), dst)
				})
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
