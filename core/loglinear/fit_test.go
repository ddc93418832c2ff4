package loglinear_test

import (
	"math"
	"slices"
	"testing"

	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

type matrix = linalg.Matrix[float64]

// small calls f with every small space that has an exact partition function, moments and a list, and ψ of moderate size.
func small(t *testing.T, f func(t *testing.T, space structure.Space)) {
	for _, name := range examples.Names() {
		sizes, _ := examples.Of(name)
		for k, args := range sizes.Small() {
			space, err := structure.New(name, structure.Args(args))
			if err != nil {
				t.Fatal(err)
			}
			_, lists := space.(structure.Enumerator)
			_, moments := space.(structure.Momenter)
			log, err := structure.LogCount(space)
			if !lists || !moments || err != nil || !(log < math.Log(800)) || !partition.Available(space, true) {
				continue
			}
			t.Run(name+"/"+string(rune('0'+k)), func(t *testing.T) { f(t, space) })
		}
	}
}

// TestLossAgreesWithEnumeration: value and gradient of every small structure, with dense and with sparse features, against sums over all
// outputs and central differences; for any number of workers the same.
func TestLossAgreesWithEnumeration(t *testing.T) {
	small(t, func(t *testing.T, space structure.Space) {
		c := loglineartest.New(t, space, 12, 3, 1)
		s := c.Sizes()
		n := s.Features * s.Outputs
		w := linalg.Shaped(loglineartest.Random(n, 0.4, 2), s.Features, s.Outputs)
		var first []float64
		for k, p := range []*loglinear.Problem{c.Problem, c.Sparse} {
			for _, workers := range []int{1, 3} {
				p.Workers = workers
				sums := make([]float64, s.SumsLen(loglinear.Loss))
				exact := expect.Exact{Spaces: expect.One(space), Workers: workers}
				if err := loglinear.AddSums(s, p, loglinear.Loss, w, sums, exact, nil); err != nil {
					t.Fatal(err)
				}
				value, gradient := sums[loglinear.LossSum], s.GradientOf(sums).Data
				for i, v := range w.Data {
					value += c.Alpha * v * v
					gradient[i] += 2 * c.Alpha * v
				}
				want := c.Objective(w.Data)
				if !(math.Abs(value-want) <= 1e-11*max(1, math.Abs(want))) {
					t.Errorf("the objective is %v, want %v", value, want)
				}
				for trial := range uint64(3) {
					along := loglineartest.Random(n, 1/math.Sqrt(float64(n)), 10+trial)
					got, slope := linalg.Dot(gradient, along), c.Slope(w.Data, along)
					if !(math.Abs(got-slope) <= 1e-7*max(1, math.Abs(want))) {
						t.Errorf("the slope is %v, by differences %v", got, slope)
					}
				}
				if workers == 1 {
					first = slices.Clone(sums)
				} else if !slices.Equal(first, sums) {
					t.Errorf("kind %d of features: 3 workers give other sums than 1", k)
				}
			}
		}
	})
}

// TestMinimum: at the end of a search no direction leads down by more than rounding, from either kind of features.
func TestMinimum(t *testing.T) {
	small(t, func(t *testing.T, space structure.Space) {
		c := loglineartest.New(t, space, 15, 2, 3)
		o := c.Options()
		var objectives []float64
		for _, p := range []*loglinear.Problem{c.Problem, c.Sparse} {
			f, err := loglinear.Fit(o, p, space, expect.Exact{Spaces: expect.One(space), Workers: 1}, matrix{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if f.Residual > o.Tol {
				t.Fatalf("the residual is %v after %d iterations", f.Residual, f.Iterations)
			}
			w := f.Weights.Data
			if want := c.Objective(w); !(math.Abs(f.Objective-want) <= 1e-11*max(1, math.Abs(want))) {
				t.Errorf("the objective is %v, want %v", f.Objective, want)
			}
			for trial := range uint64(4) {
				along := loglineartest.Random(len(w), 1/math.Sqrt(float64(len(w))), 20+trial)
				steep := c.Slope(make([]float64, len(w)), along)
				if got := c.Slope(w, along); !(math.Abs(got) <= 1e-4*max(1, math.Abs(steep))) {
					t.Errorf("the slope is %v where the search ends, %v where it began", got, steep)
				}
			}
			objectives = append(objectives, f.Objective)
		}
		if a, b := objectives[0], objectives[1]; math.Abs(a-b) > 1e-8*max(1, math.Abs(a)) {
			t.Errorf("dense features lead to %v, sparse ones to %v", a, b)
		}
	})
}

// TestSpreadIsFollowed: a search goes on with another preconditioner, and ends where one does whose oracle cannot draw.
func TestSpreadIsFollowed(t *testing.T) {
	c := loglineartest.Rankings(t, 60, 4)
	o := c.Options()
	o.MaxIter = 2000
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 2}
	mon := new(parallel.Monitor)
	want, err := loglinear.Fit(o, c.Problem, c.Space, exact, matrix{}, mon)
	if err != nil {
		t.Fatal(err)
	}
	if mon.Steps() != want.Iterations {
		t.Errorf("the monitor counts %d steps in %d iterations", mon.Steps(), want.Iterations)
	}
	undrawn, err := loglinear.Fit(o, c.Problem, c.Space, loglineartest.NoDraws{Oracle: exact}, matrix{}, nil)
	if err != nil || math.Abs(undrawn.Objective-want.Objective) > 1e-6*want.Objective || want.Iterations <= 8 {
		t.Errorf("with draws the objective is %v after %d iterations, without %v, error %v", want.Objective, want.Iterations,
			undrawn.Objective, err)
	}
}

// TestSpreadIsFollowedSoon: where outputs are nearly certain a search that follows distributions takes far fewer evaluations.
func TestSpreadIsFollowedSoon(t *testing.T) {
	c := loglineartest.Rankings(t, 400, 6)
	c.Alpha = 0.5
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	drawn := loglineartest.Minimum(t, c)
	undrawn, err := loglinear.Fit(c.Options(), c.Problem, c.Space, loglineartest.NoDraws{Oracle: exact}, matrix{}, nil)
	if err != nil || math.Abs(undrawn.Objective-drawn.Objective) > 1e-6*drawn.Objective || 20*drawn.Evaluations > 17*undrawn.Evaluations {
		t.Errorf("the objective is %v after %d evaluations, without draws %v after %d, error %v", drawn.Objective, drawn.Evaluations,
			undrawn.Objective, undrawn.Evaluations, err)
	}
}

// blocks knows rows by those of several problems, and counts what it is asked for.
type blocks struct {
	loglinear.Sizes
	problems []*loglinear.Problem
	oracle   loglinear.Oracle
	asked    map[loglinear.Kind]int
}

func (b blocks) AddSums(kind loglinear.Kind, weights matrix, sums []float64) error {
	b.asked[kind]++
	for _, p := range b.problems {
		own := make([]float64, len(sums))
		if err := loglinear.AddSums(b.Sizes, p, kind, weights, own, b.oracle, nil); err != nil {
			return err
		}
		linalg.Axpy(sums, own, 1)
	}
	return nil
}

// TestSumsOfBlocks: a search whose sums come from two blocks of rows, added up as vectors, ends where that of all rows does, to the bit
// where large matrices are multiplied elsewhere.
func TestSumsOfBlocks(t *testing.T) {
	c := loglineartest.Rankings(t, 60, 4)
	o := c.Options()
	o.MaxIter = 2000
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	want, err := loglinear.Fit(o, c.Problem, c.Space, exact, matrix{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := blocks{o.Sizes, nil, exact, map[loglinear.Kind]int{}}
	for _, at := range [][2]int{{0, 23}, {23, 60}} {
		p := *c.Problem
		x := *p.X
		x.Rows = x.Slice(at[0], at[1])
		p.X, p.Psi, p.Weights = &x, p.Psi.Slice(at[0], at[1], 0, p.Psi.Cols), p.Weights[at[0]:at[1]]
		if err := p.Prepare(); err != nil {
			t.Fatal(err)
		}
		rows.problems = append(rows.problems, &p)
	}
	cov, err := loglinear.Covariance(c.Space)
	if err != nil {
		t.Fatal(err)
	}
	got, err := loglinear.Minimise(o, rows, cov, matrix{}, nil, nil)
	if err != nil || math.Abs(got.Objective-want.Objective) > 1e-8*want.Objective || got.Residual > o.Tol {
		t.Errorf("blocks lead to %v, all rows to %v, error %v", got.Objective, want.Objective, err)
	}
	if rows.asked[loglinear.Moments] != 1 || rows.asked[loglinear.Spread] == 0 || rows.asked[loglinear.Loss] != got.Evaluations {
		t.Errorf("the search asked %v in %d evaluations", rows.asked, got.Evaluations)
	}
}

// TestWorkplace: large products are made where they are to be, with the same result; an error there ends the search.
func TestWorkplace(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 4), 2000, 24, 9)
	o := c.Options()
	o.MaxIter = 3
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	want, err := loglinear.Fit(o, c.Problem, c.Space, exact, matrix{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for most := range 7 {
		done := 0
		c.Problem.Work = func(f func() error) error {
			if done++; most > 0 && done > most {
				return parallel.ErrClosed
			}
			return f()
		}
		got, err := loglinear.Fit(o, c.Problem, c.Space, exact, matrix{}, nil)
		if most > 0 && err != parallel.ErrClosed || most == 0 && (err != nil || !slices.Equal(got.Weights.Data, want.Weights.Data)) {
			t.Errorf("after %d products elsewhere it ends at %v, error %v, want %v", done, got.Objective, err, want.Objective)
		}
	}
}

// TestWarmStart: from where a fit has ended another one need not move, and from where it is worse than zero it begins at zero.
func TestWarmStart(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 4), 30, 3, 9)
	o := c.Options()
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	first, err := loglinear.Fit(o, c.Problem, c.Space, exact, matrix{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := loglinear.Fit(o, c.Problem, c.Space, exact, first.Weights, nil)
	if err != nil || again.Iterations != 0 || again.Objective != first.Objective {
		t.Errorf("it moves from %v to %v in %d iterations, error %v", first.Objective, again.Objective, again.Iterations, err)
	}
	far := linalg.Shaped(loglineartest.Random(len(first.Weights.Data), 50, 4), o.Features, o.Outputs)
	other, err := loglinear.Fit(o, c.Problem, c.Space, exact, far, nil)
	if err != nil || !slices.Equal(other.Weights.Data, first.Weights.Data) {
		t.Errorf("from weights that are worse than zero it ends at %v, from zero at %v, error %v", other.Objective, first.Objective, err)
	}
	o.MaxIter = 2
	if f, err := loglinear.Fit(o, c.Problem, c.Space, exact, matrix{}, nil); err != nil || f.Iterations != 2 || f.Residual <= o.Tol {
		t.Errorf("after %d of 2 iterations the residual is %v, error %v", f.Iterations, f.Residual, err)
	}
}

// TestDiagonalMoments: beyond the orders that are diagonalised a search still ends at the minimum.
func TestDiagonalMoments(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 4), 40, 3, 11)
	c.Alpha = 1e-3
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	want, err := loglinear.Fit(c.Options(), c.Problem, c.Space, exact, matrix{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, limits := range [][2]int{{1, 1}, {100, 1}, {1, 100}} {
		o := c.Options()
		o.LargestGram, o.LargestMoved, o.MaxIter = limits[0], limits[1], 2000
		for _, p := range []*loglinear.Problem{c.Problem, c.Sparse} {
			f, err := loglinear.Fit(o, p, c.Space, exact, matrix{}, nil)
			if err != nil || f.Residual > o.Tol || math.Abs(f.Objective-want.Objective) > 1e-7*want.Objective {
				t.Errorf("limits %v lead to %v with residual %v, want %v, error %v", limits, f.Objective, f.Residual, want.Objective, err)
			}
		}
	}
}
