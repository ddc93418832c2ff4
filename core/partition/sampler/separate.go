package sampler

import (
	"math"
	"slices"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// separately draws for the rows of each space as if there were no others.
func separately(b *structure.Batch, opt Options, dst chain.Draws, workers int, mon *parallel.Monitor) (Found, error) {
	starts := 1
	if opt.Diagnosed {
		starts = Chains
	}
	switch n := b.Len(); {
	case opt.Streams != nil && len(opt.Streams) != n:
		return Found{}, fault.Value("there are %d random streams for %d rows", len(opt.Streams), n)
	case opt.Bound != nil && len(opt.Bound) != n:
		return Found{}, fault.Value("bound has %d entries, must have %d", len(opt.Bound), n)
	case opt.Start != nil && len(opt.Start) != starts*b.Parts():
		return Found{}, fault.Value("start has %d entries, must have %d", len(opt.Start), starts*b.Parts())
	case len(dst.Y) != opt.Draws*b.Parts():
		return Found{}, fault.Value("dst has %d entries, must have %d", len(dst.Y), opt.Draws*b.Parts())
	}
	found, first := Found{Sampler: AnyChain, Samplers: slices.Repeat([]estimate.Sampler{AnyChain}, len(b.Spaces()))}, true
	for g := range b.Groups() {
		own := opt
		own.Streams, own.Bound, own.Start = pick(opt.Streams, g), pick(opt.Bound, g), nil
		if opt.Start != nil {
			for k := range g.Len() {
				own.Start = append(own.Start, outputsOf(b, opt.Start, g.Row(k), starts)...)
			}
		}
		to := newDraws(g.Len()*opt.Draws, g.Space.PartLen())
		some, err := Batch(b.Of(g), own, to, workers, mon)
		if err != nil {
			if fault.RowOf(err) == fault.NoRow {
				return found, b.Blame(g.Row(0), err)
			}
			return found, fault.Renumbered(err, g.Row)
		}
		found.Samplers[g.At] = some.Sampler
		if first {
			found.Sampler, first = some.Sampler, false
		}
		if opt.Draws > 0 {
			scatter(b, g, opt.Draws, to, dst)
		}
		found.add(b, g, some.Report)
	}
	return found, nil
}

// pick returns the values of the rows of a group; nil of nil.
func pick[T any](values []T, g structure.Group) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, g.Len())
	for k := range picked {
		picked[k] = values[g.Row(k)]
	}
	return picked
}

// outputsOf returns all outputs of row i, where each row has so many.
func outputsOf(b *structure.Batch, y []int32, i, many int) []int32 {
	lo, hi := b.PartsOf(i)
	return y[lo*many : hi*many]
}

// scatter writes what was drawn for a group to where it belongs.
func scatter(b *structure.Batch, g structure.Group, many int, from, to chain.Draws) {
	parts := g.Space.PartLen() * many
	for k := range g.Len() {
		i, lo, hi := g.Row(k), k*many, (k+1)*many
		copy(outputsOf(b, to.Y, i, many), from.Y[k*parts:(k+1)*parts])
		keep(to.Value, i*many, from.Value[lo:hi])
		keep(to.Steps, i*many, from.Steps[lo:hi])
		keep(to.Accepted, i*many, from.Accepted[lo:hi])
	}
}

// add adds what is known of the chains of a group, if they were measured.
func (f *Found) add(b *structure.Batch, g structure.Group, some *Report) {
	if some == nil {
		return
	}
	if f.Report == nil {
		f.Report = newReport(b.Len(), b.Parts())
	}
	all := f.Report
	parts := g.Space.PartLen()
	for k := range g.Len() {
		i := g.Row(k)
		all.Steps[i], all.Thin[i] = some.Steps[k], some.Thin[k]
		to, from := all.columns(), some.columns()
		for c := range to {
			to[c][i] = from[c][k]
		}
		copy(b.Output(all.States, i), some.States[k*parts:(k+1)*parts])
	}
}

// newReport returns the report of n rows of which nothing is known.
func newReport(n, parts int) *Report {
	t := &Report{Steps: make([]int64, n), Thin: make([]int64, n), States: make([]int32, parts)}
	unknown := func() []float64 {
		column := make([]float64, n)
		for i := range column {
			column[i] = math.NaN()
		}
		return column
	}
	t.Acceptance, t.EffectiveSize, t.RHat, t.Time, t.Correlation, t.MixingBound = unknown(), unknown(), unknown(), unknown(), unknown(), unknown()
	return t
}

// columns returns the columns of numbers.
func (t *Report) columns() [][]float64 {
	return [][]float64{t.Acceptance, t.EffectiveSize, t.RHat, t.Time, t.Correlation, t.MixingBound}
}
