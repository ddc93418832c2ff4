package descent_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"combpred/core/chain"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/descent"
	"combpred/core/loglinear/expect"
	"combpred/core/parallel"
	"combpred/core/solve"
)

type matrix = linalg.Matrix[float64]

// TestDescent: the objective ends as far above its minimum as it is said to, with features along eigenvectors and along axes, dense and
// sparse.
func TestDescent(t *testing.T) {
	for _, name := range []string{"permutations", "labelsets", "multiclass"} {
		c := loglineartest.New(t, loglineartest.Build(t, name, 4), 70, 3, 15)
		best := loglineartest.Minimum(t, c)
		exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 2}
		for _, gram := range []int{0, 1} {
			for _, p := range []*loglinear.Problem{c.Problem, c.Sparse} {
				o := descent.Options{Sizes: c.Sizes(), Alpha: c.Alpha, Tol: 0.03, MaxIter: 300, Seed: 1}
				o.LargestGram = gram
				found, err := descent.Minimise(o, p, c.Space, exact, matrix{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !found.Converged || found.Passes == 300 {
					t.Errorf("%s: %v is left after %d passes, above %v", name, found.Left, found.Passes, found.Limit)
				}
				gap := c.Objective(found.Weights.Data) - best.Objective
				if !(gap <= 2*found.Limit) || math.Abs(gap+best.Objective-found.Objective) > 1e-9*best.Objective {
					t.Errorf("%s: the objective is %v above its minimum, said to be %v of %v", name, gap, found.Left.Value, found.Gain)
				}
			}
		}
	}
}

// TestRenewal: a descent counts passes and steps over a renewal of its preconditioner; where nothing can be drawn it goes on as it began;
// and it stops where it is cancelled.
func TestRenewal(t *testing.T) {
	c := loglineartest.Rankings(t, 70, 4)
	c.Alpha = 0.01
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	o := descent.Options{Sizes: c.Sizes(), Alpha: c.Alpha, Tol: 1e-9, MaxIter: 30, Seed: 2}
	mon := new(parallel.Monitor)
	want, err := descent.Minimise(o, c.Problem, c.Space, exact, matrix{}, mon)
	if err != nil || want.Converged || want.Passes != 30 || want.Steps != 60 || mon.Steps() != 60 {
		t.Fatalf("%d passes of %d steps, of which %d are told, error %v", want.Passes, want.Steps, mon.Steps(), err)
	}
	got, err := descent.Minimise(o, c.Problem, c.Space, loglineartest.NoDraws{Oracle: exact}, matrix{}, nil)
	if err != nil || slices.Equal(got.Weights.Data, want.Weights.Data) || !(got.Objective < want.Objective+want.Gain/2) {
		t.Errorf("without draws it ends at %v, else at %v, error %v", got.Objective, want.Objective, err)
	}
	warm, err := descent.Minimise(o, c.Problem, c.Space, exact, want.Weights, nil)
	if err != nil || warm.Objective > want.Objective+1e-3*want.Gain {
		t.Errorf("from %v it ends at %v, error %v", want.Objective, warm.Objective, err)
	}
	mon.Cancel()
	if _, err := descent.Minimise(o, c.Problem, c.Space, exact, matrix{}, mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("a cancelled descent gives %v", err)
	}
}

// TestSampledDescent: with few draws for each row, of chains or exact, what is left is within the slack that counts as converged. Seeds are
// fixed.
func TestSampledDescent(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "permutations", 4), 60, 3, 17)
	best := loglineartest.Minimum(t, c)
	for _, by := range []struct {
		method    chain.Method
		recursion bool
	}{{chain.LocalMoves, false}, {chain.Meta, false}, {chain.FromPast, false}, {0, true}} {
		var first []float64
		for _, workers := range []int{1, 3} {
			oracle, err := expect.NewSampled(expect.One(c.Space), c.Problem.Len(), by.method, by.recursion, 3, workers)
			if err != nil {
				t.Fatal(err)
			}
			o := descent.Options{Sizes: c.Sizes(), Alpha: c.Alpha, Tol: 1e-6, MaxIter: 100, Seed: 3, Sampled: true}
			found, err := descent.Minimise(o, c.Problem, c.Space, oracle, matrix{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			gap := c.Objective(found.Weights.Data) - best.Objective
			if !found.Converged || !(gap <= 4*found.Limit) || found.Left.Error == 0 {
				t.Errorf("%v: %v is left after %d passes, said to be %v, limit %v", by, gap, found.Passes, found.Left, found.Limit)
			}
			if (oracle.States() != nil) != (!by.recursion && by.method.Chained()) {
				t.Errorf("%v: there are %d states", by, len(oracle.States()))
			}
			if first == nil {
				first = slices.Clone(found.Weights.Data)
			} else if !slices.Equal(first, found.Weights.Data) {
				t.Errorf("%v: 3 workers give other weights than 1", by)
			}
		}
	}
}

// TestOnline: passes over parts of the rows, again and again, come near the minimum of all of them; each continues from the progress that
// the one before returned, which may be kept elsewhere.
func TestOnline(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "permutations", 3), 80, 3, 19)
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	best := loglineartest.Minimum(t, c)
	var parts []*loglinear.Problem
	for lo := 0; lo < 80; lo += 40 {
		x := solve.Design{Rows: linalg.Rows{Dense: c.Problem.X.Dense.Slice(lo, lo+40, 0, 3)}, Intercept: true}
		p := &loglinear.Problem{X: &x, Psi: c.Problem.Psi.Slice(lo, lo+40, 0, 3), Weights: c.Problem.Weights[lo : lo+40],
			Mean: c.Problem.Mean}
		if err := p.Prepare(); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	var at descent.Progress
	const rounds = 200
	for k := range 2 * rounds {
		// The penalty is against all rows seen.
		o := descent.OnlineOptions{Sizes: c.Sizes(), Alpha: c.Alpha * float64(max(k, 1)) / 2, Seed: 4}
		var err error
		if at, err = descent.Continue(o, parts[k%2], c.Space, exact, at, nil); err != nil {
			t.Fatal(err)
		}
	}
	if at.Rows != rounds*c.Problem.Len() || at.Steps != 2*rounds || math.Abs(at.Seen-rounds*sum(c.Problem.Weights)) > 1e-9*at.Seen {
		t.Errorf("%d rows of weight %v were seen in %d steps", at.Rows, at.Seen, at.Steps)
	}
	zero := c.Objective(make([]float64, len(at.Average.Data)))
	if gap := c.Objective(at.Average.Data) - best.Objective; !(gap < 0.02*(zero-best.Objective)) {
		t.Errorf("%v is left of %v", gap, zero-best.Objective)
	}
	// After a descent over all rows, which keeps no moment.
	o := descent.OnlineOptions{Sizes: c.Sizes(), Alpha: c.Alpha, Seed: 4}
	from := descent.Progress{Weights: best.Weights, Average: best.Weights, Steps: 1000, Rows: 64, Seen: 60}
	after, err := descent.Continue(o, parts[0], c.Space, exact, from, nil)
	if err != nil || after.Moment.Rows != 4 || after.Steps != 1001 {
		t.Errorf("%d steps, moment of %d rows, error %v", after.Steps, after.Moment.Rows, err)
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
