package chain

import (
	"errors"
	"math"
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// drawsAtOnce is the number of exact draws of one row that a worker takes at a time.
const drawsAtOnce = 16

// Batch draws outputs for every row s of linear scores from p ∝ exp ⟨s, ψ⟩. A chain is followed for each row; exact
// draws are independent. Each row and, for exact methods, its draw j have a random stream of their own, which follows from the
// row's scores, or its number in opt.Streams, j and the seed: results depend neither on workers nor on other rows nor on the
// number of exact draws. Rows of equal scores are told apart by their order, so that they are drawn for independently.
//
// A row with a score that is infinite or NaN, or with scores whose sum overflows, is an error that names it, as are a
// start that is no member, a bound that is too small (*BoundError) and a draw that does not end within the budget
// (*BudgetError). A structure without the capability for the method is a *structure.CapabilityError. After an error
// all outputs are unspecified.
func Batch(rows *structure.Batch, opt Options, dst Draws, workers int, mon *parallel.Monitor) error {
	if err := check(rows, opt, dst); err != nil {
		return err
	}
	if opt.Start == nil || opt.Method != LocalMoves { // outputs are drawn uniformly
		_, err := structure.ForSpaces(rows, func(_ int, s structure.Space) (none struct{}, err error) {
			return none, structure.Prepare(s, mon.Err)
		})
		if err != nil {
			return err
		}
	}
	if opt.Streams == nil {
		opt.Streams = rows.Streams()
	}
	b := &batch{rows: rows, opt: opt, dst: dst, poll: mon.Err}
	if opt.Method.Chained() {
		return rows.EachRow(1, workers, mon, b.follow)
	}
	if err := b.findBounds(workers, mon); err != nil {
		return err
	}
	blocks := (opt.Draws-1)/drawsAtOnce + 1
	return parallel.For(rows.Len()*blocks, 1, workers, mon, func(lo, _ int) error {
		i, first := lo/blocks, lo%blocks*drawsAtOnce
		if err := b.drawExact(i, first, min(first+drawsAtOnce, opt.Draws)); err != nil {
			return rows.Blame(i, err)
		}
		return nil
	})
}

type batch struct {
	rows  *structure.Batch
	opt   Options
	dst   Draws
	bound []float64 // of each row, for methods that need it
	poll  func() error
}

// output returns where draw j of row i goes.
func (b *batch) output(i, j int) []int32 { return b.rows.OutputOf(b.dst.Y, i, j, b.opt.Draws) }

func (b *batch) record(i, j int, value float64, steps, accepted int64) {
	at := i*b.opt.Draws + j
	if b.dst.Value != nil {
		b.dst.Value[at] = value
	}
	if b.dst.Steps != nil {
		b.dst.Steps[at] = steps
	}
	if b.dst.Accepted != nil {
		b.dst.Accepted[at] = accepted
	}
}

// follow runs the chain of row i.
func (b *batch) follow(i int) error {
	space, score := b.rows.Row(i)
	kernel, err := ways[b.opt.Method].kernel(space, score)
	if err != nil {
		return err
	}
	var source rand.PCG
	parallel.Stream(&source, b.opt.Seed, int(b.opt.Streams[i]))
	rng := rand.New(&source)
	state := NewState(space)
	start := b.output(i, 0)
	if err := b.startTo(start, i, rng); err != nil {
		return err
	}
	state.Set(space, score, start)
	every := pollSteps(len(start))
	var steps, accepted int64
	for j := range b.opt.Draws {
		many := b.opt.Thin
		if j == 0 {
			many += b.opt.BurnIn
		}
		for t := range many {
			if t%every == 0 {
				if err := b.poll(); err != nil {
					return err
				}
			}
			kernel.Step(state, rng)
		}
		state.Rescore(space, score)
		copy(b.output(i, j), state.Y)
		b.record(i, j, state.Value, state.Steps-steps, state.Accepted-accepted)
		steps, accepted = state.Steps, state.Accepted
	}
	return nil
}

// startTo writes where the chain of row i begins to dst.
func (b *batch) startTo(dst []int32, i int, rng *rand.Rand) error {
	space, score := b.rows.Row(i)
	if b.opt.Start != nil {
		copy(dst, b.rows.Output(b.opt.Start, i))
		if err := space.Check(dst); err != nil {
			return fault.Value("the start is no member: %w", err)
		}
		return nil
	}
	switch s := space.(type) {
	case structure.Sampler:
		s.Sample(dst, rng)
		return nil
	case structure.Searcher:
		_, err := s.Start(dst, score, b.poll)
		return err
	}
	return checkStart(space)
}

// checkStart returns a *structure.CapabilityError for a structure in which no chain begins by itself.
func checkStart(space structure.Space) error {
	switch space.(type) {
	case structure.Sampler, structure.Searcher:
		return nil
	}
	return &structure.CapabilityError{
		Structure: structure.Describe(space),
		Need:      "an output for a chain to begin with, such as a start",
	}
}

// findBounds computes the bounds of all rows where the method needs them and they are not given.
func (b *batch) findBounds(workers int, mon *parallel.Monitor) error {
	if b.bound = b.opt.Bound; b.bound != nil || !b.opt.Method.Bounded() {
		return nil
	}
	b.bound = make([]float64, b.rows.Len())
	return b.rows.EachRow(1, workers, mon.Quiet(), func(i int) (err error) {
		space, score := b.rows.Row(i)
		b.bound[i], err = UpperBound(space, score, b.poll)
		return err
	})
}

// drawExact makes the draws lo to hi−1 of row i.
func (b *batch) drawExact(i, lo, hi int) error {
	space, score := b.rows.Row(i)
	bound := math.NaN()
	if b.bound != nil {
		bound = b.bound[i]
	}
	draw, err := ways[b.opt.Method].draws(b, space, score, bound)
	if err != nil {
		return err
	}
	psi := make([]float64, space.FeatureLen())
	var source rand.PCG
	parallel.Stream(&source, b.opt.Seed, int(b.opt.Streams[i]))
	seed := source.Uint64()
	for j := lo; j < hi; j++ {
		parallel.Stream(&source, seed, j)
		y := b.output(i, j)
		steps, accepted, err := draw(y, &source)
		if spent, ok := errors.AsType[*BudgetError](err); ok {
			spent.Draw = j
		}
		if err != nil {
			return err
		}
		space.Embed(psi, y)
		b.record(i, j, score.Value(psi), steps, accepted)
	}
	return nil
}

// exactDraw makes one exact draw.
type exactDraw func(y []int32, source *rand.PCG) (steps, accepted int64, err error)

func drawsMonotone(b *batch, space structure.Space, score structure.Scores, _ float64) (exactDraw, error) {
	m, err := NewMonotone(space, score, int64(b.opt.Budget), b.poll)
	return func(y []int32, source *rand.PCG) (int64, int64, error) {
		steps, err := m.Draw(y, source)
		return steps, steps, err
	}, err
}

func drawsByRejection(b *batch, space structure.Space, score structure.Scores, bound float64) (exactDraw, error) {
	p, err := NewProposals(space, score, bound, b.opt.Budget, b.poll)
	return func(y []int32, source *rand.PCG) (int64, int64, error) {
		steps, err := p.Rejection(y, source)
		return int64(steps), 1, err
	}, err
}

func drawsFromPast(b *batch, space structure.Space, score structure.Scores, bound float64) (exactDraw, error) {
	p, err := NewProposals(space, score, bound, b.opt.Budget, b.poll)
	return func(y []int32, source *rand.PCG) (int64, int64, error) {
		steps, accepted, err := p.CFTP(y, source)
		return int64(steps), int64(accepted), err
	}, err
}
