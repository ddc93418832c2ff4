package sampler

import (
	"errors"
	"math"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// Options says what to draw for each row, and how.
type Options struct {
	// Sampler is one of package estimate, or AnyChain. estimate.AutoSampler takes the structure's exact sampler where that is affordable,
	// else coupling from the past by the heat bath where the structure has it; else uniform proposals, if these turn out to be few, and
	// chains.
	Sampler estimate.Sampler
	Draws   int // 0: nothing is drawn, but for diagnostics
	BurnIn  int // as in chain.Options, as are the next six
	Thin    int
	Budget  int
	Seed    uint64
	Streams []uint64
	Start   []int32 // with Diagnosed four for each row; only chains have one
	Bound   []float64
	// Diagnosed has chains measured before samples are drawn, which then replace BurnIn and Thin, and coupling from the past that has
	// no prospect of ending refused.
	Diagnosed    bool
	Rows         int     // of this and other calls, by which the time of the exact sampler is told; at least those of the scores
	ExactSeconds float64 // of one processor that AutoSampler spends on it
}

// AnyChain takes the first of the chains that a structure has.
const AnyChain estimate.Sampler = -3

// Found says how outputs were drawn.
type Found struct {
	Sampler  estimate.Sampler   // for the rows of the first space that has any
	Samplers []estimate.Sampler // for each space where there are several, AnyChain for those without rows
	Report   *Report            // of chains that were measured, otherwise nil; NaN and 0 for rows that were drawn in other ways
}

// Batch draws outputs for every row of scores to dst, as chain.Batch lays them out, and returns how. Streams and errors are those
// of chain.Batch and partition.Sample; a *estimate.HopelessError names the row, too. AutoSampler goes on to the next sampler where one
// does not end within its budget. How is chosen, and how far apart draws are, for all rows of a space together.
//
// Without rows, or without draws and diagnostics, it chooses alone: what the structure lacks is an error then, too.
func Batch(b *structure.Batch, opt Options, dst chain.Draws, workers int, mon *parallel.Monitor) (Found, error) {
	if err := fault.First(opt.check(), b.CheckLinear()); err != nil {
		return Found{}, err
	}
	if b.Mixed() {
		return separately(b, opt, dst, workers, mon)
	}
	r := &run{space: b.Spaces()[0], rows: b, opt: opt, dst: dst, workers: workers, mon: mon}
	if opt.Streams == nil {
		r.opt.Streams = b.Streams()
	}
	if r.external, _ = r.space.(*estimate.External); r.external != nil {
		if err := r.external.Begin(opt.Start); err != nil {
			return Found{}, err
		}
	}
	able, err := r.able()
	if err != nil {
		return Found{}, err
	}
	if able, err = r.promising(able); err != nil {
		return Found{}, err
	}
	var found Found
	for _, s := range able {
		found, err = r.draw(s)
		if !passes(err) {
			break
		}
	}
	return found, err
}

func (o Options) check() error {
	switch {
	case o.Draws < 0:
		return fault.Value("the number of draws is %d, must not be negative", o.Draws)
	case o.Rows < 0:
		return fault.Value("the number of rows is %d, must not be negative", o.Rows)
	case math.IsNaN(o.ExactSeconds):
		return fault.Value("the seconds for the exact sampler are NaN, must be a number")
	case o.Sampler == estimate.ExactSampler && (o.Start != nil || o.Bound != nil):
		return fault.Value("the exact sampler takes neither start nor bound, leave them out")
	}
	return nil
}

// run is one call of Batch.
type run struct {
	space    structure.Space
	external *estimate.External // the space, where the caller draws
	rows     *structure.Batch
	opt      Options
	dst      chain.Draws
	workers  int
	mon      *parallel.Monitor
}

// passes reports whether another sampler may do what one has not done.
func passes(err error) bool {
	_, spent := errors.AsType[*chain.BudgetError](err)
	return spent || lacking(err)
}

func lacking(err error) bool {
	_, capability := errors.AsType[*structure.CapabilityError](err)
	_, limit := errors.AsType[*structure.LimitError](err)
	return capability || limit
}

// draw draws by one sampler.
func (r *run) draw(s estimate.Sampler) (Found, error) {
	found := Found{Sampler: s}
	method := chain.Method(s)
	if r.rows.Len() == 0 || r.opt.Draws == 0 && !(r.opt.Diagnosed && method.Chained()) {
		return found, nil
	}
	if s == estimate.ExactSampler {
		return found, r.exactly()
	}
	if method.Chained() && r.opt.Diagnosed {
		var err error
		found.Report, err = r.measured(method)
		return found, err
	}
	opt := chain.Options{
		Method: method, Draws: r.opt.Draws, BurnIn: r.opt.BurnIn, Thin: r.opt.Thin, Budget: r.opt.Budget, Seed: r.opt.Seed,
		Streams: r.opt.Streams, Start: r.opt.Start,
	}
	if method.Bounded() || r.opt.Sampler == s {
		opt.Bound = r.opt.Bound
	}
	if r.opt.Diagnosed && method == chain.FromPast && r.opt.Sampler == s {
		err := estimate.Prospect(r.rows, opt.Bound, int64(opt.Budget), r.workers, r.mon)
		if err != nil {
			return found, err
		}
	}
	return found, r.batch(r.rows, opt, r.dst)
}

// batch runs chains or exact samplers of proposals.
func (r *run) batch(rows *structure.Batch, opt chain.Options, dst chain.Draws) error {
	if r.external != nil {
		return r.external.Batch(rows, opt, dst, r.mon)
	}
	return chain.Batch(rows, opt, dst, r.workers, r.mon)
}

// exactly draws by the structure's recursion, or from a list of its outputs.
func (r *run) exactly() error {
	n, parts := r.rows.Len(), r.space.PartLen()
	if err := partition.SampleRows(r.rows, r.opt.Draws, r.opt.Seed, r.opt.Streams, r.dst.Y, r.workers, r.mon); err != nil {
		return err
	}
	return parallel.For(n*r.opt.Draws, scoredAtOnce, r.workers, nil, func(lo, hi int) error {
		psi := make([]float64, r.space.FeatureLen())
		for k := lo; k < hi; k++ {
			if r.dst.Value != nil {
				r.space.Embed(psi, r.dst.Y[k*parts:(k+1)*parts])
				r.dst.Value[k] = r.row(k / r.opt.Draws).Value(psi)
			}
			for _, ones := range [][]int64{r.dst.Steps, r.dst.Accepted} {
				if ones != nil {
					ones[k] = 1
				}
			}
		}
		return r.mon.Err()
	})
}

// scoredAtOnce is the number of outputs that a worker scores at a time.
const scoredAtOnce = 64

func (r *run) row(i int) structure.Scores {
	_, score := r.rows.Row(i)
	return score
}
