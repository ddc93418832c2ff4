package maxmargin

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// PerceptronOptions say how a perceptron is trained.
type PerceptronOptions struct {
	MaxIter int // passes over the blocks, at least 1; training ends after one without mistakes
	Shuffle bool
	Seed    uint64 // of the orders
	// Sampled says that what decoding finds is the best of some draws: a pass without mistakes then is no reason to end.
	Sampled bool
	// Squared and Least ask for the bound on mistakes, where Problem.Loss is the Hamming loss Δ = ‖ψ_i − ψ(z)‖₁: the largest ratio of
	// ‖ψ_i − ψ(z)‖² and Δ, 1 for entries 0 and 1 of ψ and 2 for signed ones, and the least Δ of two outputs, 2 for entries −1 and 1, else
	// 1. Zero: no bound.
	Squared, Least float64
	// Visits were made before, in training that this continues, and have led to weights Start (q×d); without rows to zero.
	Visits    int
	Start     linalg.Matrix[float64]
	BlockRows int // as for SVMOptions; for the bound
	Workers   int
}

func (o PerceptronOptions) check(p *Problem) error {
	d, q := p.Psi.Cols, p.X.Columns()
	switch {
	case o.MaxIter < 1:
		return fault.Value("max_iter is %d, must be at least 1", o.MaxIter)
	case o.BlockRows < 0:
		return fault.Value("block_rows is %d, must be at least 0", o.BlockRows)
	case o.Visits < 0 || o.Visits > maxSteps || o.MaxIter > maxSteps/max(1, p.blocks()):
		return fault.Value("%d visits and %d passes over %d blocks are too many", o.Visits, o.MaxIter, p.blocks())
	case o.Start.Rows != 0 && (o.Start.Rows != q || o.Start.Cols != d):
		return fault.Value("the weights to start from are %d×%d, must be %d×%d", o.Start.Rows, o.Start.Cols, q, d)
	case !(o.Squared >= 0) || o.Squared > 0 && !(o.Least > 0):
		return fault.Value("a bound with squared %g and least %g", o.Squared, o.Least)
	case o.Squared > 0 && p.Loss.ZeroOne:
		return fault.Value("the bound on mistakes takes the Hamming loss")
	case p.Asked || p.Slack:
		return fault.Value("a perceptron has no planes and no slack")
	}
	if err := p.checkRows(); err != nil {
		return err
	}
	if o.Squared > 0 {
		if err := p.checkLoss(); err != nil {
			return err
		}
	}
	return p.checkNumbers()
}

// Trained is a perceptron after training.
type Trained struct {
	Mistakes, Iter int
	Visits         int // those that passes left out would have been, too: they would change nothing
	Separated      bool
	Radius         float64 // largest length of an update
	Bound          float64 // on the number of mistakes; NaN where it is not known

	run *perceptron
}

// perceptron is a training under way.
type perceptron struct {
	*planes
	o     PerceptronOptions
	steps State
}

// TrainPerceptron trains a perceptron whose outputs an oracle finds, such as the problem's Decoder.
func TrainPerceptron(p *Problem, o PerceptronOptions, oracle Oracle, mon *parallel.Monitor) (*Trained, error) {
	if err := o.check(p); err != nil {
		return nil, err
	}
	d, n := p.Psi.Cols, p.blocks()
	t := &perceptron{planes: p.newPlanes(o.BlockRows, o.Workers, oracle, mon), o: o, steps: State{
		V: linalg.NewMatrix[float64](n, d), LateV: linalg.NewMatrix[float64](n, d), W: p.newWeights(), Step: o.Visits}}
	t.steps.W.CopyFrom(o.Start)
	r := &Trained{Bound: math.NaN(), run: t}
	order := inOrder(n)
	for !r.Separated && r.Iter < o.MaxIter {
		r.Iter++
		if o.Shuffle {
			shuffle(order, o.Seed, r.Iter)
		}
		mistakes, err := t.pass(order, &r.Radius)
		if err != nil {
			return nil, err
		}
		r.Mistakes += mistakes
		mon.Advance(1)
		mon.Report(float64(mistakes))
		r.Separated = mistakes == 0 && !o.Sampled
	}
	r.Visits, r.Radius = t.steps.Step, math.Sqrt(r.Radius)
	if r.Separated {
		r.Visits = o.Visits + n*o.MaxIter
	}
	if r.Separated && o.Squared > 0 {
		var err error
		if r.Bound, err = t.bound(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// pass visits each block, and counts mistakes; far becomes the square of the largest length of an update.
func (t *perceptron) pass(order []int, far *float64) (mistakes int, err error) {
	var block int
	var norm, square float64
	score := func() error {
		norm = t.rowScores(t.f.Row(0), t.steps.W, block)
		return nil
	}
	step := func() error {
		square = t.away(&t.steps, block, t.f.Row(0), t.psi.Row(0))
		return nil
	}
	for _, block = range order {
		t.begin(block, 1)
		if err := fault.First(t.mon.Err(), t.weigh(1, score)); err != nil {
			return mistakes, err
		}
		copy(t.linear.Row(t.ask(0)), t.f.Row(0))
		if err := t.found(matrix{Cols: t.Psi.Cols}); err != nil {
			return mistakes, err
		}
		if err := t.weigh(1, step); err != nil {
			return mistakes, err
		}
		if square > 0 {
			mistakes++
			*far = max(*far, norm*square)
		}
		t.steps.Step++
	}
	return mistakes, nil
}

// AddCoefficients adds the coefficients of the rows to last and late (n×d): the weights are Σ_i x_i last_iᵀ more than those to start
// from. Averaged over all visits of training that started from zero they are Σ_i x_i (last_i − late_i/Visits)ᵀ. In general late
// belongs to the sum of all changes, each times the visits before it.
func (t *Trained) AddCoefficients(last, late linalg.Matrix[float64]) {
	for i, weight := range t.run.Weights {
		row := t.run.row(i)
		linalg.Axpy(last.Row(row), t.run.steps.V.Row(i), weight)
		linalg.Axpy(late.Row(row), t.run.steps.LateV.Row(i), weight)
	}
}

// AddWeights adds the weights that belong to these coefficients to last and late (q×d).
func (t *Trained) AddWeights(last, late linalg.Matrix[float64]) error {
	of := func(a matrix) func(dst []float64, i int) {
		return func(dst []float64, i int) { copy(dst, a.Row(i)) }
	}
	return fault.First(t.run.expand(last, of(t.run.steps.V)), t.run.expand(late, of(t.run.steps.LateV)))
}
