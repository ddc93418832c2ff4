package loo

import (
	"errors"
	"math"
	"testing"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
	"combpred/core/solve/solvetest"
)

// Leave-one-out equals training again without the row's label, after undoing the first-order correction for the row itself; for
// the squared loss it equals training again without the row.
func TestLeaveOneOutMatchesRefitting(t *testing.T) {
	for _, in := range solvetest.Instances(t) {
		if in.First != nil {
			continue
		}
		t.Run(in.Name, func(t *testing.T) {
			m, d := in.Psi.Rows, in.Psi.Cols
			p := in.Problem(t, 2)
			s, v := in.Eigen(t, p)
			sp, err := dual.NewSpectral(p, s, v)
			if err != nil {
				t.Fatal(err)
			}
			k := p.Coord.Distinct()
			op := dual.NewKernel(p, in.K, in.Shift)
			c, diag := p.NewBlock(), p.NewBlock()
			if err := Factored(p, op, make([]float64, FactoredWork[float64](m, k, in.Margin)/8), c); err != nil {
				t.Fatal(err)
			}
			agrees := func(route string, tol float64, run func(dst matrix) error) {
				t.Helper()
				other := p.NewBlock()
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
				return Factored(p, op, make([]float32, FactoredWork[float32](m, k, in.Margin)/4), dst)
			})
			if in.Margin {
				agrees("spectral, double", 1e-9, func(dst matrix) error {
					return Spectral(p, sp, make([]float64, SpectralWork[float64](m)/8), dst)
				})
				agrees("spectral, single", 1e-4, func(dst matrix) error {
					return Spectral(p, sp, make([]float32, SpectralWork[float32](m)/4), dst)
				})
			}
			if _, err := sp.Diagonal(diag); err != nil {
				t.Fatal(err)
			}
			if in.Margin { // undo the correction
				for i := range m {
					for j := range c.Row(i) {
						c.Row(i)[j] *= 1 - p.Sigma[j]*diag.Row(i)[j]
					}
				}
			}
			got := linalg.NewMatrix[float64](m, d)
			p.Coord.SynthesizeTo(got, c)
			for i := range m {
				if in.Weight(i) == 0 {
					continue
				}
				refit := in
				removed := i
				if !in.Margin {
					refit.Weights = make([]float64, m)
					for j := range m {
						refit.Weights[j] = in.Weight(j)
					}
					refit.Weights[i] = 0
					removed = -1
				}
				want := in.Scores(refit.Eliminate(removed)).Row(i)
				for j := range d {
					if math.Abs(got.Row(i)[j]-want[j]) > 1e-8 {
						t.Fatalf("row %d: score[%d] = %g, refitting gives %g", i, j, got.Row(i)[j], want[j])
					}
				}
			}
		})
	}
}

// A zero kernel leaves nothing to leave out.
func TestZeroKernelLeavesNothingOut(t *testing.T) {
	in := solvetest.Rankings(t)
	clear(in.K.Data)
	in.Shift = 0
	p := in.Problem(t, 1)
	s, v := in.Eigen(t, p)
	sp, err := dual.NewSpectral(p, s, v)
	if err != nil {
		t.Fatal(err)
	}
	c := p.NewBlock()
	for route, err := range map[string]error{
		"spectral": Spectral(p, sp, make([]float32, SpectralWork[float32](in.Psi.Rows)/4), c),
		"factored": Factored(p, dual.NewKernel(p, in.K, 0),
			make([]float64, FactoredWork[float64](in.Psi.Rows, p.Coord.Distinct(), true)/8), c),
	} {
		if err != nil {
			t.Fatal(route, err)
		}
	}
	for i, x := range c.Data {
		if x != 0 {
			t.Fatalf("leave-one-out coordinate %d is %g, want 0", i, x)
		}
	}
}

// Leaving rows out with factors that are too coarse for the penalty is refused.
func TestIllConditionedLeaveOneOutIsRefused(t *testing.T) {
	for _, margin := range []bool{true, false} {
		in := solvetest.Rankings(t)
		in.Margin = margin
		in.Lambda = 1e-7
		for i := range in.K.Data {
			in.K.Data[i] = 1
		}
		p := in.Problem(t, 1)
		work := make([]float32, FactoredWork[float32](in.Psi.Rows, p.Coord.Distinct(), margin)/4)
		var numerical *solve.NumericalError
		if err := Factored(p, dual.NewKernel(p, in.K, 0), work, p.NewBlock()); !errors.As(err, &numerical) {
			t.Errorf("margin=%v: got %v, want a NumericalError", margin, err)
		}
	}
}
