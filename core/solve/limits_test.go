package solve

import (
	"errors"
	"strings"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// rankings returns an instance on permutations with the AUC loss.
func rankings(t *testing.T) instance {
	t.Helper()
	for _, in := range instances(t) {
		if strings.HasPrefix(in.name, "permutations") && in.margin && in.psi.Cols >= 3 {
			return in
		}
	}
	t.Fatal("no instance on permutations")
	return instance{}
}

// Single-precision factors that cannot reach the tolerance are reported, not returned.
func TestIllConditionedSinglePrecisionIsRefused(t *testing.T) {
	in := rankings(t)
	in.lambda = 1e-13
	p := in.problem(t, 1)
	op := NewKernel(p, in.k, in.shift)
	f32, err := NewFactored(op, make([]float32, FactorWork[float32](in.psi.Rows, p.Coord.Distinct())/4), p.Coord.Distinct())
	if err == nil {
		_, err = ClosedForm(p, op, f32, iteration(t, p, f32), p.newBlock(), Options{Tol: 1e-12})
	}
	var numerical *NumericalError
	if !errors.As(err, &numerical) {
		t.Errorf("got %v, want a NumericalError", err)
	}
}

func TestSolversCancel(t *testing.T) {
	in := rankings(t)
	p := in.problem(t, 1)
	op := NewKernel(p, in.k, in.shift)
	p.Mon = new(parallel.Monitor)
	p.Mon.Cancel()
	if _, err := ConjugateGradient(p, op, nil, p.newBlock(), Options{Tol: 1e-8}); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("cg: got %v", err)
	}
	work := make([]float64, FactorWork[float64](in.psi.Rows, p.Coord.Distinct())/8)
	if _, err := NewFactored(op, work, p.Coord.Distinct()); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("factors: got %v", err)
	}
}

func TestSparseCheckRefusesMalformedArrays(t *testing.T) {
	good := Sparse{Rows: 2, Cols: 2, Data: []float64{1, 2}, Indices: []int32{0, 1}, Indptr: []int64{0, 1, 2}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]Sparse{
		"column out of range": {Rows: 2, Cols: 1, Data: good.Data, Indices: good.Indices, Indptr: good.Indptr},
		"decreasing indptr":   {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices, Indptr: []int64{0, 3, 2}},
		"short indptr":        {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices, Indptr: []int64{0, 2}},
		"lengths differ":      {Rows: 2, Cols: 2, Data: good.Data, Indices: good.Indices[:1], Indptr: good.Indptr},
	} {
		if bad.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// At a penalty far below rounding no solver converges; what they return must still not be worse than no model at all.
func TestTinyPenaltiesLeaveASensibleObjective(t *testing.T) {
	in := rankings(t)
	in.lambda = 1e-12
	p := in.problem(t, 1)
	op := NewKernel(p, in.k, in.shift)
	c := p.newBlock()
	pre, err := NewFactored(op, make([]float64, FactorWork[float64](in.psi.Rows, 1)/8), 1)
	if err != nil {
		t.Fatal(err)
	}
	zero := in.objective(linalg.NewMatrix[float64](in.psi.Rows, in.psi.Cols))
	for name, pre := range map[string]Preconditioner{"plain": nil, "preconditioned": pre} {
		info, err := ConjugateGradient(p, op, pre, c, Options{Tol: 1e-8, MaxIter: 300})
		var partial *NotConvergedError
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
	in := rankings(t)
	for i := range in.k.Data {
		in.k.Data[i] *= 1e-160
	}
	in.shift = 0
	p := in.problem(t, 1)
	op := NewKernel(p, in.k, 0)
	for name, run := range map[string]func() (Info, error){
		"newton-cg": func() (Info, error) { return NewtonCG(p, op, p.newBlock(), Options{Tol: 1e-8}) },
		"cg":        func() (Info, error) { return ConjugateGradient(p, op, nil, p.newBlock(), Options{Tol: 1e-8}) },
	} {
		var partial *NotConvergedError
		if _, err := run(); err != nil && !errors.As(err, &partial) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No solver accepts a kernel matrix that is clearly not positive semi-definite.
func TestIndefiniteKernelsAreRefused(t *testing.T) {
	for _, loss := range []bool{true, false} {
		in := rankings(t)
		in.margin, in.lambda = loss, 1e-3
		for i := range in.k.Data {
			in.k.Data[i] = -in.k.Data[i]
		}
		in.shift = 0
		p := in.problem(t, 1)
		op := NewKernel(p, in.k, 0)
		m := in.psi.Rows
		work := make([]float64, FactorWork[float64](m, p.Coord.Distinct())/8)
		s, v := in.eigen(t, p)
		for name, run := range map[string]func() error{
			"factors":   func() error { _, err := NewFactored(op, work, p.Coord.Distinct()); return err },
			"spectral":  func() error { _, err := NewSpectral(p, s, v); return err },
			"cg":        func() error { _, err := ConjugateGradient(p, op, nil, p.newBlock(), Options{Tol: 1e-8}); return err },
			"newton-cg": func() error { _, err := NewtonCG(p, op, p.newBlock(), Options{Tol: 1e-8}); return err },
		} {
			var numerical *NumericalError
			if err := run(); !errors.As(err, &numerical) {
				t.Errorf("%s, margin=%v: got %v, want a NumericalError", name, loss, err)
			}
		}
	}
}

// A zero kernel predicts zeros, and leaves nothing to leave out.
func TestZeroKernel(t *testing.T) {
	in := rankings(t)
	clear(in.k.Data)
	in.shift = 0
	p := in.problem(t, 1)
	s, v := in.eigen(t, p)
	sp, err := NewSpectral(p, s, v)
	if err != nil {
		t.Fatal(err)
	}
	c := p.newBlock()
	for route, err := range map[string]error{
		"spectral": LeaveOneOutSpectral(p, sp, make([]float32, LeaveOneOutSpectralWork[float32](in.psi.Rows)/4), c),
		"factored": LeaveOneOutFactored(p, NewKernel(p, in.k, 0),
			make([]float64, LeaveOneOutWork[float64](in.psi.Rows, p.Coord.Distinct(), true)/8), c),
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
	info, err := ClosedForm(p, sp, sp, iteration(t, p, sp), c, Options{Tol: 1e-8})
	if err != nil || info.Objective != 0 {
		t.Errorf("objective %g, error %v, want 0 and nil", info.Objective, err)
	}
}

// Leaving rows out with factors that are too coarse for the penalty is refused.
func TestIllConditionedLeaveOneOutIsRefused(t *testing.T) {
	for _, margin := range []bool{true, false} {
		in := rankings(t)
		in.margin = margin
		in.lambda = 1e-7
		for i := range in.k.Data {
			in.k.Data[i] = 1
		}
		p := in.problem(t, 1)
		work := make([]float32, LeaveOneOutWork[float32](in.psi.Rows, p.Coord.Distinct(), margin)/4)
		var numerical *NumericalError
		if err := LeaveOneOutFactored(p, NewKernel(p, in.k, 0), work, p.newBlock()); !errors.As(err, &numerical) {
			t.Errorf("margin=%v: got %v, want a NumericalError", margin, err)
		}
	}
}
