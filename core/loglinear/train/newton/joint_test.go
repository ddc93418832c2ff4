package newton_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/train/newton"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// classes draws a problem of 20 classes and more features than rows, dense and sparse.
func classes(t *testing.T) (o newton.Options, dense, sparse *loglinear.Problem) {
	dense, sparse, _ = wide(t, 60, 200, 20, true)
	for i := range dense.Psi.Rows {
		row := dense.Psi.Row(i)
		at := max(0, slices.Index(row, 1))
		clear(row)
		row[at] = 1
	}
	return newton.Options{Sizes: loglinear.Sizes{Features: 201, Outputs: 20}, Alpha: 0.05, Tol: 1e-9, MaxIter: 100}, dense, sparse
}

// TestClassesOfWorkers: neither the way that features are stored nor the number of workers matters, and what is found for all classes of a
// feature adds up to 0.
func TestClassesOfWorkers(t *testing.T) {
	space := loglineartest.Build(t, "multiclass", 20)
	o, dense, sparse := classes(t)
	var first loglinear.Found
	for _, p := range []*loglinear.Problem{dense, sparse} {
		for _, workers := range []int{1, 2, 3, 0} {
			p.Workers = workers
			got, err := newton.Minimise(o, p, space, matrix{}, nil)
			if err != nil || got.Residual > o.Tol || got.Iterations < 1 {
				t.Fatalf("residual %v after %d steps, error %v", got.Residual, got.Iterations, err)
			}
			if first.Weights.Rows == 0 {
				first = got
			}
			if !slices.Equal(got.Weights.Data, first.Weights.Data) || got.Objective != first.Objective {
				t.Errorf("%d workers, sparse %v: the weights differ", workers, p.X.Sparse != nil)
			}
		}
	}
	for k := range first.Weights.Rows {
		if sum := linalg.Sum(first.Weights.Row(k)); math.Abs(sum) > 1e-13 {
			t.Errorf("the weights of feature %d add up to %v", k, sum)
		}
	}
}

// TestClassesFromStart: a search that begins at the solution ends there, whatever is added to the weights of all classes, and one that
// begins at weights worse than zero ends where that from zero does.
func TestClassesFromStart(t *testing.T) {
	space := loglineartest.Build(t, "multiclass", 20)
	o, _, p := classes(t)
	first, err := newton.Minimise(o, p, space, matrix{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	shifted := linalg.NewMatrix[float64](o.Features, o.Outputs)
	for k, v := range first.Weights.Data {
		shifted.Data[k] = v + 0.01
	}
	o.Tol = 2e-9 // scores are added up in another order
	for _, start := range []matrix{first.Weights, shifted} {
		again, err := newton.Minimise(o, p, space, start, nil)
		if err != nil || again.Iterations != 0 || math.Abs(again.Objective-first.Objective) > 1e-12*first.Objective {
			t.Errorf("it moves in %d steps, to %v from %v, error %v", again.Iterations, again.Objective, first.Objective, err)
		}
	}
	o.Tol = 1e-9
	far := linalg.Shaped(loglineartest.Random(len(shifted.Data), 50, 4), o.Features, o.Outputs)
	other, err := newton.Minimise(o, p, space, far, nil)
	if err != nil || !slices.Equal(other.Weights.Data, first.Weights.Data) {
		t.Errorf("from weights that are worse than zero it ends at %v, from zero at %v, error %v", other.Objective, first.Objective, err)
	}
	far.Data[3] = math.NaN()
	if _, err := newton.Minimise(o, p, space, far, nil); !errors.Is(err, loglinear.ErrStart) {
		t.Errorf("from NaN the error is %v", err)
	}
}

// TestClassesEnd: limits are kept, a single class needs nothing, numbers too large are an error, and a search ends when it is asked to.
func TestClassesEnd(t *testing.T) {
	space := loglineartest.Build(t, "multiclass", 20)
	o, dense, p := classes(t)
	mon := &parallel.Monitor{}
	o.MaxIter = 1
	f, err := newton.Minimise(o, p, space, matrix{}, mon)
	if err != nil || f.Iterations != 1 || mon.Steps() != 1 || f.Residual <= o.Tol || f.Residual >= 1 {
		t.Errorf("after %d of 1 steps the residual is %v, error %v", f.Iterations, f.Residual, err)
	}
	o.MaxIter, o.Tol = 100, 0
	if f, err = newton.Minimise(o, p, space, matrix{}, nil); err != nil || f.Residual > 1e-12 {
		t.Errorf("without a tolerance the residual is %v, error %v", f.Residual, err)
	}
	mon.Cancel()
	if _, err := newton.Minimise(o, p, space, matrix{}, mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("cancelled, the error is %v", err)
	}
	one := *p
	one.Psi, one.Mean = linalg.NewMatrix[float64](60, 1), []float64{1}
	for i := range one.Psi.Data {
		one.Psi.Data[i] = 1
	}
	o.Outputs = 1
	f, err = newton.Minimise(o, &one, loglineartest.Build(t, "multiclass", 1), matrix{}, nil)
	if err != nil || f.Iterations != 0 || f.Objective != 0 || f.Residual != 0 {
		t.Errorf("a single class: objective %v, residual %v after %d steps, error %v", f.Objective, f.Residual, f.Iterations, err)
	}
	o.Outputs = 20
	for i := range p.X.Sparse.Data {
		p.X.Sparse.Data[i] = 1e200
	}
	for i := range dense.X.Dense.Data {
		dense.X.Dense.Data[i] = 1e200
	}
	for _, p := range []*loglinear.Problem{dense, p} {
		if f, err := newton.Minimise(o, p, space, matrix{}, nil); err == nil {
			t.Errorf("numbers too large: it ends at %v", f.Objective)
		}
	}
}

// TestSetsOfListed: rows of several outputs, whose mean is no output, have the solution that L-BFGS finds, from zero and from a start.
func TestSetsOfListed(t *testing.T) {
	for _, space := range []structure.Space{tree(t, 0, 0, 0, 1, 1, 0, 1, 1), loglineartest.Build(t, "ordinal", 4)} {
		c := loglineartest.New(t, space, 70, 5, 3)
		psi := c.Problem.Psi
		for i := 1; i < psi.Rows; i += 2 {
			for j := range psi.Cols {
				psi.Row(i)[j] = (2*psi.Row(i - 1)[j] + c.Psi[i%len(c.Psi)][j]) / 3
			}
		}
		o := c.Options()
		o.Tol, o.MaxIter = 1e-9, 5000
		want, err := loglinear.Fit(o, c.Problem, space, expect.Exact{Spaces: expect.One(space), Workers: 1}, matrix{}, nil)
		if err != nil || want.Residual > o.Tol {
			t.Fatal(want.Residual, err)
		}
		near := linalg.NewMatrix[float64](o.Features, o.Outputs)
		linalg.ScaleTo(near.Data, 0.8, want.Weights.Data)
		for _, start := range []matrix{{}, near} {
			got, err := newton.Minimise(o, c.Problem, space, start, nil)
			if err != nil || got.Residual > o.Tol || got.Iterations < 1 || got.Iterations > 30 {
				t.Fatalf("%v: residual %v after %d steps, error %v", space, got.Residual, got.Iterations, err)
			}
			if direct := c.Objective(got.Weights.Data); math.Abs(got.Objective-direct) > 1e-11*direct {
				t.Errorf("%v: it says %v, the sum over all outputs is %v", space, got.Objective, direct)
			}
			for k, v := range want.Weights.Data {
				if math.Abs(got.Weights.Data[k]-v) > 1e-6*max(1, math.Abs(v)) {
					t.Fatalf("%v: weight %d is %v, L-BFGS finds %v", space, k, got.Weights.Data[k], v)
				}
			}
		}
	}
}
