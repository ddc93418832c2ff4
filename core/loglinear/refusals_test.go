package loglinear_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/descent"
	"combpred/core/loglinear/expect"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

// TestRefusals: options, sizes and rows that do not fit are errors.
func TestRefusals(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "multiclass", 3), 10, 2, 1)
	cov, _ := loglinear.Covariance(c.Space)
	for name, spoil := range slicex.InOrder(map[string]func(o *loglinear.SearchOptions){
		"alpha is 0":    func(o *loglinear.SearchOptions) { o.Alpha = 0 },
		"alpha is +Inf": func(o *loglinear.SearchOptions) { o.Alpha = math.Inf(1) },
		"tol is":        func(o *loglinear.SearchOptions) { o.Tol = math.NaN() },
		"iterations":    func(o *loglinear.SearchOptions) { o.MaxIter = -1 },
		"0×3":           func(o *loglinear.SearchOptions) { o.Features = 0 },
		"too many":      func(o *loglinear.SearchOptions) { o.Features = 1 << 40 },
		"orders":        func(o *loglinear.SearchOptions) { o.LargestGram = -1 },
		"features":      func(o *loglinear.SearchOptions) { o.Features = 7 },
	}) {
		o := c.Options()
		spoil(&o)
		for _, err := range []error{
			second(loglinear.Fit(o, c.Problem, c.Space, nil, matrix{}, nil)),
			second(descent.Minimise(descent.Options{Sizes: o.Sizes, Alpha: o.Alpha, Tol: o.Tol, MaxIter: max(o.MaxIter, 0)}, c.Problem,
				c.Space, nil, matrix{}, nil)),
		} {
			if err == nil || !strings.Contains(err.Error(), name) && name != "iterations" ||
				(fault.KindOf(err) == fault.KindMemory) != (name == "too many") {
				t.Errorf("%s: the error is %v", name, err)
			}
		}
	}
	o := c.Options()
	loss := make([]float64, o.SumsLen(loglinear.Loss))
	nan := linalg.Shaped([]float64{math.NaN()}, 1, 1)
	for name, err := range slicex.InOrder(map[string]error{
		"covariance":     second(loglinear.Minimise(o, nil, matrix{}, matrix{}, nil, nil)),
		"start":          second(loglinear.Minimise(o, nil, cov, nan, nil, nil)),
		"sums":           loglinear.AddSums(o.Sizes, c.Problem, loglinear.Loss, matrix{}, nil, nil, nil),
		"no weights":     loglinear.AddSums(o.Sizes, c.Problem, loglinear.Loss, matrix{}, loss, nil, nil),
		"no recursion":   second(expect.NewSampled(expect.One(loglineartest.Build(t, "permutations", 40)), 3, 0, true, 1, 1)),
		"no lattice":     second(expect.NewSampled(expect.One(c.Space), 3, chain.MonotonePast, false, 1, 1)),
		"pairs of means": expect.Exact{Spaces: expect.One(c.Space)}.Answer(loglinear.RowsRequest{Ask: loglinear.Pair}, nil),
		"online moment": second(descent.Continue(descent.OnlineOptions{Sizes: o.Sizes, Alpha: 1}, c.Problem, c.Space, nil,
			descent.Progress{Moment: nan}, nil)),
		"online weights": second(descent.Continue(descent.OnlineOptions{Sizes: o.Sizes, Alpha: 1}, c.Problem, c.Space, nil,
			descent.Progress{Weights: nan}, nil)),
	}) {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	nanStart := linalg.NewMatrix[float64](3, 3)
	nanStart.Data[4] = math.NaN()
	if _, err := loglinear.Minimise(o, nil, cov, nanStart, nil, nil); err == nil {
		t.Error("a start with NaN is taken")
	}
}

func second[T any](_ T, err error) error { return err }

// TestRowsAreNamed: errors about a row number it among all rows, those of weight 0 counted.
func TestRowsAreNamed(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "multiclass", 3), 10, 2, 1)
	row := fault.RowOf
	p := *c.Problem
	p.Weights = append([]float64(nil), p.Weights...)
	p.Weights[6] = -1
	if got := row(p.Prepare()); got != 6 {
		t.Errorf("a negative weight is in row %d, want 6", got)
	}
	for _, spoil := range []func(p *loglinear.Problem){
		func(p *loglinear.Problem) { p.Weights = p.Weights[1:] },
		func(p *loglinear.Problem) { p.Psi = p.Psi.Slice(0, 9, 0, 3) },
		func(p *loglinear.Problem) { p.Mean = nil },
		func(p *loglinear.Problem) { p.X = &solve.Design{Rows: linalg.Rows{Dense: p.X.Dense.Slice(0, 9, 0, 3)}} },
		func(p *loglinear.Problem) { p.X = &solve.Design{Rows: linalg.Rows{Sparse: &solve.Sparse{Rows: 10}}} },
	} {
		p := *c.Problem
		spoil(&p)
		if p.Prepare() == nil {
			t.Error("a problem that does not fit is taken")
		}
	}
	o := c.Options()
	exact := expect.Exact{Spaces: expect.One(c.Space), Workers: 1}
	if _, err := loglinear.Fit(o, c.Problem, c.Space, unanswered{exact}, matrix{}, nil); row(err) != 4 {
		t.Errorf("what was not answered is said to be row %d, want 4: %v", row(err), err)
	}
	if _, err := loglinear.Fit(o, c.Problem, c.Space, failing{}, matrix{}, nil); row(err) != 4 {
		t.Errorf("what fails is said to be row %d, want 4: %v", row(err), err)
	}
	_, err := loglinear.Fit(o, c.Problem, c.Space, cancelling{exact}, matrix{}, new(parallel.Monitor))
	if !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("a cancelled fit gives %v", err)
	}
	_, err = loglinear.Fit(o, c.Problem, c.Space, stopped{}, matrix{}, nil)
	if !errors.Is(err, parallel.ErrCancelled) || row(err) >= 0 {
		t.Errorf("a fit that is cancelled while a row is at work gives %v", err)
	}
	p = *c.Problem
	p.Weights = make([]float64, 10)
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		second(loglinear.Fit(o, &p, c.Space, exact, matrix{}, nil)),
		second(descent.Minimise(descent.Options{Sizes: o.Sizes, Alpha: 1, MaxIter: 1}, &p, c.Space, exact, matrix{}, nil)),
	} {
		if err == nil || !strings.Contains(err.Error(), "positive") {
			t.Errorf("rows without weight give %v", err)
		}
	}
}

// unanswered leaves ln Z of the fourth row of each request open.
type unanswered struct{ loglinear.Oracle }

func (e unanswered) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	err := e.Oracle.Answer(r, mon)
	r.LogZ[3] = math.NaN()
	return err
}

// failing says that the fourth row of each request is bad.
type failing struct{}

func (failing) Answer(loglinear.RowsRequest, *parallel.Monitor) error {
	return fault.At(3, errors.New("no"))
}

// stopped is cancelled at the fourth row of each request.
type stopped struct{}

func (stopped) Answer(loglinear.RowsRequest, *parallel.Monitor) error {
	return fault.At(3, parallel.ErrCancelled)
}

// cancelling cancels the fit that it answers.
type cancelling struct{ loglinear.Oracle }

func (e cancelling) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	err := e.Oracle.Answer(r, mon)
	mon.Cancel()
	return err
}

// TestMomentsAreNeeded: a structure without moments cannot be fitted.
func TestMomentsAreNeeded(t *testing.T) {
	space := struct{ structure.Space }{loglineartest.Build(t, "multiclass", 3)}
	if _, err := loglinear.MeanOf(space); err == nil {
		t.Error("there is a mean")
	}
	if _, err := loglinear.Covariance(space); err == nil {
		t.Error("there is a covariance")
	}
}

// TestMeanOutputs: a set of outputs counts as so many rows.
func TestMeanOutputs(t *testing.T) {
	psi := linalg.Shaped([]float64{1, 2, 3, 4, 5, 6}, 3, 2)
	means, weights := loglinear.MeanOutputs(psi, []int{0, 2, 3}, []float64{0.5, 2})
	near(t, "the means", means, linalg.Shaped([]float64{2, 3, 5, 6}, 2, 2), 1e-15)
	if weights[0] != 1 || weights[1] != 2 {
		t.Errorf("the weights are %v, want 1 and 2", weights)
	}
	if _, weights := loglinear.MeanOutputs(psi, []int{0, 2, 3}, nil); weights[0] != 2 || weights[1] != 1 {
		t.Errorf("the weights are %v, want 2 and 1", weights)
	}
}
