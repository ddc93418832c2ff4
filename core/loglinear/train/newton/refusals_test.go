package newton_test

import (
	"errors"
	"math"
	"testing"

	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/train/newton"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func TestRefusals(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 3), 30, 2, 7)
	o := c.Options()
	run := func(change func(o *newton.Options, p *loglinear.Problem) (structure.Space, matrix)) error {
		o, p := o, *c.Problem
		space, start := change(&o, &p)
		_, err := newton.Minimise(o, &p, space, start, nil)
		return err
	}
	var lacking *structure.CapabilityError
	for _, other := range []structure.Space{loglineartest.Build(t, "permutations", 3), sized(t, 4, 2)} {
		err := run(func(*newton.Options, *loglinear.Problem) (structure.Space, matrix) { return other, matrix{} })
		if !errors.As(err, &lacking) {
			t.Errorf("%v: error %v", other, err)
		}
	}
	nan := linalg.NewMatrix[float64](o.Features, o.Outputs)
	nan.Data[3] = math.NaN()
	for name, change := range slicex.InOrder(map[string]func(o *newton.Options, p *loglinear.Problem) (structure.Space, matrix){
		"alpha": func(o *newton.Options, _ *loglinear.Problem) (structure.Space, matrix) {
			o.Alpha = 0
			return c.Space, matrix{}
		},
		"features": func(o *newton.Options, _ *loglinear.Problem) (structure.Space, matrix) {
			o.Features++
			return c.Space, matrix{}
		},
		"outputs": func(*newton.Options, *loglinear.Problem) (structure.Space, matrix) {
			return loglineartest.Build(t, "labelsets", 4), matrix{}
		},
		"start": func(*newton.Options, *loglinear.Problem) (structure.Space, matrix) {
			return c.Space, linalg.NewMatrix[float64](1, 3)
		},
		"NaN": func(*newton.Options, *loglinear.Problem) (structure.Space, matrix) { return c.Space, nan },
	}) {
		if err := run(change); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	clear(c.Problem.Weights)
	if err := c.Problem.Prepare(); err != nil {
		t.Fatal(err)
	}
	if _, err := newton.Minimise(o, c.Problem, c.Space, matrix{}, nil); !errors.Is(err, loglinear.ErrNoWeight) {
		t.Errorf("without weights the error is %v", err)
	}
}

// TestSuits: a list of outputs is taken up to the density at which it was measured to be as fast as L-BFGS, 200 grades.
func TestSuits(t *testing.T) {
	for _, last := range []int64{9, 199, 399} {
		want := last < 200
		space := loglineartest.Build(t, "ordinal", last) // grades from 0
		if got := newton.Suits(space, 4*float64(last+1)); got != want || !newton.Able(space) {
			t.Errorf("%d grades: suited %v, able %v", last+1, got, newton.Able(space))
		}
	}
}

func sized(t *testing.T, n, size int64) structure.Space {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": n, "size": size}})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// TestOverflow: numbers too large are an error, not a solution.
func TestOverflow(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 2), 30, 2, 7)
	for name, p := range slicex.InOrder(variants(c)) {
		for i := range c.Problem.X.Dense.Data {
			c.Problem.X.Dense.Data[i] = 1e200
		}
		for i := range c.Sparse.X.Sparse.Data {
			c.Sparse.X.Sparse.Data[i] = 1e200
		}
		if f, err := newton.Minimise(c.Options(), p, c.Space, matrix{}, nil); err == nil {
			t.Errorf("%s: it ends at %v", name, f.Objective)
		}
	}
}

// TestCancelled: a search ends when it is asked to, and its progress counts columns.
func TestCancelled(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 3), 60, 4, 7)
	for name, p := range slicex.InOrder(variants(c)) {
		mon := &parallel.Monitor{}
		f, err := newton.Minimise(c.Options(), p, c.Space, matrix{}, mon)
		if err != nil || mon.Steps() != 3 {
			t.Errorf("%s: %d columns have ended, error %v, at %v", name, mon.Steps(), err, f.Objective)
		}
	}
	mon := &parallel.Monitor{}
	mon.Cancel()
	for name, p := range slicex.InOrder(variants(c)) {
		if _, err := newton.Minimise(c.Options(), p, c.Space, matrix{}, mon); !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
