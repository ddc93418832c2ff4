package train_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/train"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

func newModel(o train.Options, c *loglineartest.Instance) *train.Model {
	d := c.Space.FeatureLen()
	m := &train.Model{Weights: linalg.NewMatrix[float64](o.Features, d), Average: linalg.NewMatrix[float64](o.Features, d)}
	if o.Solver == train.Online {
		m.Moment = make([]float64, o.MomentLen(c.Space))
	}
	return m
}

func options(solver train.Solver, c *loglineartest.Instance) train.Options {
	o := train.Options{Solver: solver, Features: c.Problem.X.Columns(), Alpha: c.Alpha, Tol: 1e-7, MaxIter: 500, Seed: 3}
	if solver != train.LBFGS {
		o.Tol = 0.02
	}
	return o
}

// TestSolvers: all end where the sum over all outputs is least, as slopes along directions say, and from an earlier solution at once.
func TestSolvers(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "permutations", 3), 60, 3, 5)
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	best := math.Inf(1)
	for _, solver := range []train.Solver{train.LBFGS, train.SGD, train.Online} {
		o := options(solver, c)
		m := newModel(o, c)
		var r train.Report
		passes := 1
		if solver == train.Online {
			passes = 200
		}
		for range passes {
			var err error
			if r, err = train.Run(o, c.Space, c.Problem, exact, m, nil); err != nil {
				t.Fatal(err)
			}
		}
		got, zero := c.Objective(m.Average.Data), c.Objective(make([]float64, len(m.Average.Data)))
		if best = min(best, got); got-best > 0.01*(zero-best) || r.Err(o) != nil {
			t.Errorf("solver %d ends at %v, the least is %v, error %v", solver, got, best, r.Err(o))
		}
		if solver == train.Online {
			var seen float64
			for _, w := range c.Problem.Weights {
				seen += w
			}
			if m.Rows != passes*c.Problem.Len() || !m.Known || math.Abs(m.Seen-float64(passes)*seen) > 1e-9*m.Seen {
				t.Errorf("%d rows of weight %v were seen", m.Rows, m.Seen)
			}
			continue
		}
		if math.Abs(r.Objective-got) > 1e-9*got {
			t.Errorf("solver %d reports %v at %v", solver, r.Objective, got)
		}
		if solver == train.SGD {
			continue
		}
		along := loglineartest.Random(len(m.Weights.Data), 1, 8)
		if slope := c.Slope(m.Weights.Data, along); math.Abs(slope) > 1e-5 {
			t.Errorf("the slope at the solution is %v", slope)
		}
		again, err := train.Run(o, c.Space, c.Problem, exact, m, nil)
		if err != nil || again.Iterations != 0 || math.Abs(again.Objective-r.Objective) > 1e-9 {
			t.Errorf("from the solution there are %d iterations, error %v", again.Iterations, err)
		}
	}
}

// elsewhere knows rows by sums.
type elsewhere struct{ c *loglineartest.Instance }

func (e elsewhere) AddSums(kind loglinear.Kind, weights linalg.Matrix[float64], sums []float64) error {
	exact := expect.Exact{Spaces: expect.One(e.c.Space), Workers: 1}
	return loglinear.AddSums(e.c.Sizes(), e.c.Problem, kind, weights, sums, exact, nil)
}

// TestSearch: on rows that lie elsewhere training does, to the bit, what it does on rows here, and its refusals are the same.
func TestSearch(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "permutations", 3), 60, 3, 5)
	o := options(train.LBFGS, c)
	want, got := newModel(o, c), newModel(o, c)
	there, err := train.Run(o, c.Space, c.Problem, expect.Exact{Spaces: expect.One(c.Space), Workers: 1}, want, nil)
	if err != nil {
		t.Fatal(err)
	}
	here, err := train.Search(o, c.Space, elsewhere{c}, got, nil, nil)
	if err != nil || here != there || !slices.Equal(got.Average.Data, want.Average.Data) {
		t.Errorf("it reports %+v, want %+v, error %v", here, there, err)
	}
	o.Features++
	if _, err := train.Search(o, c.Space, elsewhere{c}, got, nil, nil); err == nil {
		t.Error("a model of another size is taken")
	}
}

// TestRoundingAtTheEnd: where values no longer tell points apart, slopes lead on to a tolerance that values could not.
func TestRoundingAtTheEnd(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "permutations", 4), 200, 4, 5)
	o := options(train.LBFGS, c)
	o.Tol = 1e-10
	m := newModel(o, c)
	r, err := train.Run(o, c.Space, c.Problem, expect.Exact{Spaces: expect.One(c.Space), Workers: 1}, m, nil)
	if err != nil || !r.Converged {
		t.Errorf("the residual is %v after %d iterations, error %v", r.Residual, r.Iterations, err)
	}
}

// TestRefusals: options and models that do not fit are errors, and the end of an unfinished search is one with its figures.
func TestRefusals(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "multiclass", 3), 20, 2, 1)
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	for name, spoil := range slicex.InOrder(map[string]func(o *train.Options, m *train.Model){
		"sampled":  func(o *train.Options, m *train.Model) { o.Sampled = true },
		"features": func(o *train.Options, m *train.Model) { o.Features++ },
		"alpha":    func(o *train.Options, m *train.Model) { o.Alpha = -1 },
		"weights":  func(o *train.Options, m *train.Model) { m.Weights.Data[0] = math.NaN() },
		"moment":   func(o *train.Options, m *train.Model) { o.Solver = train.Online },
		"steps": func(o *train.Options, m *train.Model) {
			o.Solver, m.Moment, m.Steps = train.Online, make([]float64, 9), -1
		},
		"unknown": func(o *train.Options, m *train.Model) {
			o.Solver, m.Moment, m.Known = train.Online, []float64{math.NaN(), 8: 0}, true
		},
	}) {
		o := options(train.LBFGS, c)
		m := newModel(o, c)
		spoil(&o, m)
		if _, err := train.Run(o, c.Space, c.Problem, exact, m, nil); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	o := options(train.LBFGS, c)
	o.MaxIter = 1
	r, err := train.Run(o, c.Space, c.Problem, exact, newModel(o, c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if short, ok := errors.AsType[*solve.NotConvergedError](r.Err(o)); !ok || short.Iter != 1 || short.Residual != r.Residual {
		t.Errorf("after one iteration the error is %v", r.Err(o))
	}
}

// TestProposals: where only uniform outputs are drawn, chains of them lead as near to the optimum as estimates do.
func TestProposals(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "permutations", 3), 60, 3, 5)
	exact := options(train.LBFGS, c)
	best := newModel(exact, c)
	if _, err := train.Run(exact, c.Space, c.Problem, expect.Exact{Spaces: expect.One(c.Space), Workers: 1}, best, nil); err != nil {
		t.Fatal(err)
	}
	o := options(train.SGD, c)
	o.Sampled, o.Proposed = true, true
	m := newModel(o, c)
	if _, err := train.Run(o, c.Space, c.Problem, proposing{c.Space, rand.New(rand.NewPCG(1, 1))}, m, nil); err != nil {
		t.Fatal(err)
	}
	least, zero := c.Objective(best.Average.Data), c.Objective(make([]float64, len(best.Average.Data)))
	if got := c.Objective(m.Average.Data); got-least > 0.01*(zero-least) {
		t.Errorf("chains of proposals end at %v, the least is %v, and %v at zero", got, least, zero)
	}
	o.Solver = train.LBFGS
	if _, err := train.Run(o, c.Space, c.Problem, nil, m, nil); err == nil {
		t.Error("estimates are taken by L-BFGS")
	}
}

// proposing answers requests for uniform outputs.
type proposing struct {
	space structure.Space
	rng   *rand.Rand
}

func (p proposing) Answer(r loglinear.RowsRequest, _ *parallel.Monitor) error {
	y := make([]int32, p.space.PartLen())
	for k := range r.Psi.Rows {
		p.space.(structure.Sampler).Sample(y, p.rng)
		p.space.Embed(r.Psi.Row(k), y)
	}
	return nil
}

// TestNewton: entries of ψ that do not depend on each other are found apart, to where L-BFGS gets, without an oracle, not by
// estimates.
func TestNewton(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 3), 60, 3, 5)
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	o, other := options(train.Newton, c), options(train.LBFGS, c)
	o.Tol = other.Tol
	m, want := newModel(o, c), newModel(other, c)
	r, err := train.Run(o, c.Space, c.Problem, nil, m, nil)
	if err != nil || r.Err(o) != nil {
		t.Fatal(err, r.Err(o))
	}
	if _, err := train.Run(other, c.Space, c.Problem, exact, want, nil); err != nil {
		t.Fatal(err)
	}
	for k, v := range want.Weights.Data {
		if math.Abs(m.Weights.Data[k]-v) > 1e-5 || m.Average.Data[k] != m.Weights.Data[k] {
			t.Fatalf("weight %d is %v, average %v, L-BFGS finds %v", k, m.Weights.Data[k], m.Average.Data[k], v)
		}
	}
	if again, err := train.Run(o, c.Space, c.Problem, nil, m, nil); err != nil || again.Iterations > 1 {
		t.Errorf("from its solution it takes %d steps, error %v", again.Iterations, err)
	}
	o.Sampled = true
	if _, err := train.Run(o, c.Space, c.Problem, nil, m, nil); err == nil {
		t.Error("it takes estimates")
	}
}
