package estimate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/partition"
	"combpred/core/structure"
)

// levels draws at the levels of a schedule.
type levels interface {
	// draw returns n outputs drawn at a level.
	draw(beta float64, n int) (draws, error)
	// visit prepares for draws at a level, and at levels above it.
	visit(beta float64) error
	// affordable returns how many draws at each of the levels are worth n independent ones, or how many the remaining steps allow;
	// a fault of the budget where fewer draws would break a promise.
	affordable(betas []float64, n float64) (int, error)
	// trust says how far all draws so far can be trusted.
	trust() (Trust, error)
}

// levels returns the draws of a sampler.
func (t *task) levels(s Sampler) (levels, error) {
	if s.Exact() {
		l := &exactLevels{task: t, sampler: s}
		if s.bounded() {
			top, err := t.top(t.scores)
			l.top = top
			return l, err
		}
		return l, nil
	}
	// The thesis allows ε / (5 l exp(2/p)) at each of l levels.
	distance := t.opt.Epsilon / (5 * chainLevelsAtMost * math.Exp(2/smoothness))
	l := &chainLevels{
		task: t, method: chain.Method(s), spread: math.Inf(1), distance: distance, states: map[float64][]int32{},
		spacing: map[float64]int{}, seen: map[float64]*seen{}, uniformly: true,
	}
	if l.method == chain.Meta {
		spread, err := t.spread()
		if err != nil && !lacking(err) {
			return nil, err
		}
		if err == nil { // without a bound the burn-in follows from measured times
			l.spread = spread
		}
	}
	return l, t.capable(l.method)
}

// exactLevels draws independently from exactly p_β.
type exactLevels struct {
	*task
	sampler Sampler
	top     float64 // on the scores of all outputs, for samplers that need it
}

func (l *exactLevels) draw(beta float64, n int) (d draws, err error) {
	switch {
	case beta == 0:
		d, err = l.uniform(n)
	case l.sampler == ExactSampler:
		d, err = l.byRecursion(beta, n)
	default:
		opt := chain.Options{
			Method: chain.Method(l.sampler), Draws: n, Thin: 1, Budget: int(min(max(l.opt.MaxSteps-l.steps, 1), chain.MostSteps)),
		}
		if l.sampler.bounded() {
			opt.Bound = []float64{beta * l.top}
		}
		want := float64(n)
		if l.samples > 0 {
			want *= 1.1 * float64(l.steps) / float64(l.samples)
		}
		var found chain.Draws
		found, err = l.sample(1, beta, opt, int(min(want+64, mostDraws)))
		if spent, ok := errors.AsType[*chain.BudgetError](err); ok {
			return d, l.spent(spent.Error())
		}
		d = draws{found.Value, found.Y}
	}
	if err != nil {
		return d, err
	}
	if err := l.refuseExceeded(d.value); err != nil {
		return d, err
	}
	if l.steps > l.opt.MaxSteps {
		return d, l.spent(fmt.Sprintf("%d samples did not suffice", l.samples))
	}
	return d, nil
}

// byRecursion draws by the structure's recursion, or from a list of its outputs.
func (l *exactLevels) byRecursion(beta float64, n int) (draws, error) {
	features := len(l.scores.Linear)
	scaled := make([]float64, features)
	for i, v := range l.scores.Linear {
		scaled[i] = beta * v
	}
	d := draws{parts: make([]int32, n*l.space.PartLen())}
	row := blas64.General{Rows: 1, Cols: features, Stride: features, Data: scaled}
	if err := partition.Sample(structure.Rows(l.space, row), n, l.rng.Uint64(), nil, d.parts, 1, l.mon); err != nil {
		return d, err
	}
	l.count(int64(n), int64(n), int64(n), beta)
	var err error
	d.value, err = l.score(d.parts, n)
	return d, err
}

func (l *exactLevels) visit(float64) error { return nil } // draws are independent of those at other levels

func (l *exactLevels) affordable(betas []float64, n float64) (int, error) {
	each := 1.0
	if l.samples > 0 {
		each = float64(l.steps) / float64(l.samples)
	}
	more := n * float64(len(betas))
	if float64(l.steps)+each*more > float64(l.opt.MaxSteps) {
		return 0, l.spent(fmt.Sprintf("%.0f samples more are needed, each of %.3g steps so far", more, each))
	}
	if l.external != nil {
		l.external.expect(each * more)
	}
	return int(n), nil
}

func (l *exactLevels) trust() (Trust, error) { return Trust{Share: 1, RHat: 1}, nil }

func (l *exactLevels) spent(figure string) error {
	return spent(l.sampler.String(), l.steps, l.opt.MaxSteps, figure)
}
