package estimate

import (
	"errors"
	"math"
	"slices"

	"combpred/core/chain"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Anneal estimates ln Z(1) / Z(0) for every row of scores, within ln(1 ± Epsilon) with probability 1 − Delta for each where the
// sampler is exact. Each row has a random stream of its own, which follows from its scores and the seed: results do not depend on
// workers, nor on how many rows there are.
//
// A row with a score that is infinite or NaN, or an output whose score is beyond the given bound, is an error that names it, as is one
// that an exact sampler does not finish within its budget. A structure that lacks what the sampler or the schedule need
// is a *structure.CapabilityError, as is one that does not know how many outputs it has. The monitor counts draws and is told the
// level.
func Anneal(b *structure.Batch, opt Options, workers int, mon *parallel.Monitor) ([]Row, error) {
	if err := fault.First(opt.Check(b.Len()), checkRows(b)); err != nil {
		return nil, err
	}
	_, err := structure.ForSpaces(b, func(_ int, s structure.Space) (float64, error) { return logCountOf(s) })
	if err != nil {
		return nil, err
	}
	if err := refuseBounds(b, opt.Bound, workers, mon); err != nil {
		return nil, err
	}
	if err := refuseHopeless(b, opt, workers, mon); err != nil {
		return nil, err
	}
	found := make([]Row, b.Len())
	return found, eachRow(b, opt, workers, mon, func(i int, t *task) (err error) {
		found[i], err = t.anneal()
		return err
	})
}

// eachRow runs a task for each row: rows at the same time, and what workers are left within each.
func eachRow(b *structure.Batch, opt Options, workers int, mon *parallel.Monitor, run func(i int, t *task) error) error {
	within := max(1, workers/max(1, b.Len()))
	if opt.Streams == nil {
		opt.Streams = b.Streams()
	}
	return parallel.For(b.Len(), 1, workers, nil, func(i, _ int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		t := newTask(b, opt, i, within, mon)
		err := run(i, t)
		if err == nil || t.external != nil { // of which there is one row; an error may be about a draw
			return err
		}
		return b.Blame(i, err)
	})
}

// Check returns an error that names the first illegal option for n rows.
func (o Options) Check(n int) error {
	switch {
	case !(o.Epsilon > 0 && o.Epsilon < 1):
		return fault.Value("epsilon is %v, must be between 0 and 1", o.Epsilon)
	case !(o.Delta > 0 && o.Delta < 1):
		return fault.Value("delta is %v, must be between 0 and 1", o.Delta)
	case o.MaxSteps < 1 || o.MaxSteps > 1<<40:
		return fault.Value("max_steps is %d, must be between 1 and 2^40", o.MaxSteps)
	case o.Streams != nil && len(o.Streams) != n:
		return fault.Value("there are %d random streams for %d rows", len(o.Streams), n)
	case o.Bound != nil && len(o.Bound) != n:
		return fault.Value("bound has %d entries, must have %d", len(o.Bound), n)
	}
	for i, b := range o.Bound {
		if !(b >= 0) || math.IsInf(b, 0) {
			return fault.At(i, fault.Value("bound is %v, must be finite and at least 0", b))
		}
	}
	return nil
}

func checkRows(b *structure.Batch) error {
	if err := b.CheckLinear(); err != nil {
		return err
	}
	return b.CheckAllScores()
}

// logCountOf returns ln of the number of outputs, or a *structure.CapabilityError where it is not known.
func logCountOf(space structure.Space) (float64, error) {
	logCount, err := structure.LogCount(space)
	if err == nil && math.IsNaN(logCount) {
		err = unknownCount(space)
	}
	return logCount, err
}

// refuseBounds returns an error where an output that the decoder finds scores more than the given bound. Without a decoder, only
// draws can tell.
func refuseBounds(b *structure.Batch, bound []float64, workers int, mon *parallel.Monitor) error {
	if bound == nil {
		return nil
	}
	for g := range b.Groups() {
		best, err := extremes(b.Of(g), workers, mon)
		if err != nil {
			if lacking(err) {
				continue
			}
			return fault.Renumbered(err, g.Row)
		}
		for k := range g.Len() {
			i, extreme := g.Row(k), best.up[k].Value
			if down := -best.down[k].Value; math.Abs(down) > math.Abs(extreme) {
				extreme = down
			}
			if math.Abs(extreme) > bound[i]+boundSlack*(1+bound[i]) {
				return fault.At(i, exceedsBound(extreme, bound[i]))
			}
		}
	}
	return nil
}

// refuseHopeless returns an error of the budget, about the row, where coupling from the past has no prospect at the last level, which is as
// hard as p itself.
func refuseHopeless(b *structure.Batch, opt Options, workers int, mon *parallel.Monitor) error {
	if opt.Sampler != Sampler(chain.FromPast) {
		return nil
	}
	err := Prospect(b, opt.Bound, opt.MaxSteps, workers, mon)
	if hopeless, is := errors.AsType[*HopelessError](err); is {
		return fault.At(fault.RowOf(err), spent(opt.Sampler.String(), 0, opt.MaxSteps, hopeless.Figure()))
	}
	return err
}

// ends are the certificates of the outputs of largest score, and of those of largest negative score.
type ends struct{ up, down []structure.Certificate }

func extremes(rows *structure.Batch, workers int, mon *parallel.Monitor) (ends, error) {
	found := ends{make([]structure.Certificate, rows.Len()), make([]structure.Certificate, rows.Len())}
	y := make([]int32, rows.Parts())
	mon = mon.Quiet()
	if err := decode.Batch(rows, decode.Auto, 0, y, found.up, workers, mon); err != nil {
		return found, err
	}
	return found, decode.Batch(rows.Negative(), decode.Auto, 0, y, found.down, workers, mon)
}

// anneal estimates ln Z(1) / Z(0) of the row.
func (t *task) anneal() (found Row, err error) {
	fixed, err := t.fixedSchedule()
	if err != nil {
		return found, err
	}
	sampler, l, err := t.levelsOf(fixed)
	if err != nil {
		return found, err
	}
	found.Sampler = sampler
	draw := func(beta float64, n int) ([]float64, error) {
		d, err := l.draw(beta, n)
		return d.value, err
	}
	if fixed != nil {
		found.Schedule = *fixed
	} else if found.Schedule, err = adaptiveSchedule(draw, t.opt.Epsilon, t.opt.Delta); err != nil {
		return found, err
	}
	if found.LogRatio, err = medianLogRatio(l, draw, found.Schedule); err != nil {
		return found, err
	}
	found.Trust, err = l.trust()
	found.Samples, found.Steps, found.Accepted = t.samples, t.steps, t.accepted
	return found, err
}

// medianLogRatio returns the median over repeats of the estimates of ln Z(1) / Z(0), by draw, which draws from the levels.
func medianLogRatio(l levels, draw drawer, s Schedule) (float64, error) {
	batches := s.batches()
	visited := make([]float64, len(batches))
	for i, b := range batches {
		visited[i] = b.beta
	}
	most, err := l.affordable(visited, float64(s.Repeats)*s.Draws)
	if err != nil {
		return 0, err
	}
	ratios, err := logRatios(draw, s, max(1, most/s.Repeats))
	if err != nil {
		return 0, err
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2], nil
}
