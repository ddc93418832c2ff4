package dual

import (
	"errors"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/solvetest"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
)

// Single-precision factors that cannot reach the tolerance are reported, not returned.
func TestIllConditionedSinglePrecisionIsRefused(t *testing.T) {
	in := solvetest.Rankings(t)
	in.Lambda = 1e-13
	p := in.Problem(t, 1)
	op := NewKernel(p, in.K, in.Shift)
	f32, err := NewFactored(op, make([]float32, FactorWork[float32](in.Psi.Rows, p.Coord.Distinct())/4), p.Coord.Distinct())
	if err == nil {
		_, err = ClosedForm(p, op, f32, iteration(t, p, f32), p.NewBlock(), solve.Options{Tol: 1e-12})
	}
	if fault.KindOf(err) != fault.KindNumerical {
		t.Errorf("got %v, want a numerical error", err)
	}
}

func TestSolversCancel(t *testing.T) {
	in := solvetest.Rankings(t)
	p := in.Problem(t, 1)
	op := NewKernel(p, in.K, in.Shift)
	p.Mon = new(parallel.Monitor)
	p.Mon.Cancel()
	if _, err := ConjugateGradient(p, op, nil, p.NewBlock(), solve.Options{Tol: 1e-8}); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("cg: got %v", err)
	}
	work := make([]float64, FactorWork[float64](in.Psi.Rows, p.Coord.Distinct())/8)
	if _, err := NewFactored(op, work, p.Coord.Distinct()); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("factors: got %v", err)
	}
}

// At a penalty far below rounding no solver converges; what they return must still not be worse than no model at all.
func TestTinyPenaltiesLeaveASensibleObjective(t *testing.T) {
	in := solvetest.Rankings(t)
	in.Lambda = 1e-12
	p := in.Problem(t, 1)
	op := NewKernel(p, in.K, in.Shift)
	c := p.NewBlock()
	pre, err := NewFactored(op, make([]float64, FactorWork[float64](in.Psi.Rows, 1)/8), 1)
	if err != nil {
		t.Fatal(err)
	}
	zero := in.Objective(linalg.NewMatrix[float64](in.Psi.Rows, in.Psi.Cols))
	for name, pre := range slicex.InOrder(map[string]Preconditioner{"plain": nil, "preconditioned": pre}) {
		info, err := ConjugateGradient(p, op, pre, c, solve.Options{Tol: 1e-8, MaxIter: 300})
		var partial *solve.NotConvergedError
		if err != nil && !errors.As(err, &partial) {
			t.Fatalf("%s: %v", name, err)
		}
		if info.Objective > zero {
			t.Errorf("%s: objective %g, above that of no model, %g", name, info.Objective, zero)
		}
	}
}

// A kernel so small that its square underflows gives the gradient no direction; found by fuzzing as an endless loop.
func TestVanishingKernelsEnd(t *testing.T) {
	in := solvetest.Rankings(t)
	for i := range in.K.Data {
		in.K.Data[i] *= 1e-160
	}
	in.Shift = 0
	p := in.Problem(t, 1)
	op := NewKernel(p, in.K, 0)
	for name, run := range slicex.InOrder(map[string]func() (solve.Info, error){
		"newton-cg": func() (solve.Info, error) { return NewtonCG(p, op, p.NewBlock(), solve.Options{Tol: 1e-8}) },
		"cg": func() (solve.Info, error) {
			return ConjugateGradient(p, op, nil, p.NewBlock(), solve.Options{Tol: 1e-8})
		},
	}) {
		var partial *solve.NotConvergedError
		if _, err := run(); err != nil && !errors.As(err, &partial) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No solver accepts a kernel matrix that is clearly not positive semi-definite.
func TestIndefiniteKernelsAreRefused(t *testing.T) {
	for _, loss := range []bool{true, false} {
		in := solvetest.Rankings(t)
		in.Margin, in.Lambda = loss, 1e-3
		for i := range in.K.Data {
			in.K.Data[i] = -in.K.Data[i]
		}
		in.Shift = 0
		p := in.Problem(t, 1)
		op := NewKernel(p, in.K, 0)
		m := in.Psi.Rows
		work := make([]float64, FactorWork[float64](m, p.Coord.Distinct())/8)
		for name, run := range slicex.InOrder(map[string]func() error{
			"factors":  func() error { _, err := NewFactored(op, work, p.Coord.Distinct()); return err },
			"spectral": func() error { _, err := NewSpectral(p, op); return err },
			"cg": func() error {
				_, err := ConjugateGradient(p, op, nil, p.NewBlock(), solve.Options{Tol: 1e-8})
				return err
			},
			"newton-cg": func() error { _, err := NewtonCG(p, op, p.NewBlock(), solve.Options{Tol: 1e-8}); return err },
		}) {
			if err := run(); fault.KindOf(err) != fault.KindNumerical {
				t.Errorf("%s, margin=%v: got %v, want a numerical error", name, loss, err)
			}
		}
	}
}

// A zero kernel predicts zeros.
func TestZeroKernel(t *testing.T) {
	in := solvetest.Rankings(t)
	clear(in.K.Data)
	in.Shift = 0
	p := in.Problem(t, 1)
	sp, err := NewSpectral(p, NewKernel(p, in.K, in.Shift))
	if err != nil {
		t.Fatal(err)
	}
	c := p.NewBlock()
	info, err := ClosedForm(p, sp, sp, iteration(t, p, sp), c, solve.Options{Tol: 1e-8})
	if err != nil || info.Objective != 0 {
		t.Errorf("objective %g, error %v, want 0 and nil", info.Objective, err)
	}
}
