package main

// #include "combpred.h"
import "C"

import (
	"slices"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// estimateOptions are how estimates are made, by one of the methods.
type estimateOptions struct {
	method int
	estimate.MarginalOptions
	exactSeconds float64
	plain        bool
	workers      int
	mon          *parallel.Monitor
}

func (in *estimateOptionsIn) options(methods catalogue.Names, workers int, mon *parallel.Monitor) (o estimateOptions, err error) {
	var r refusals
	o = estimateOptions{method: chosen[int](&r, methods, in.method, "method"), exactSeconds: in.exactSeconds,
		plain: r.flag(in.plain, "plain"), workers: workers, mon: mon}
	o.Sampler = chosen[estimate.Sampler](&r, catalogue.LevelSamplers, in.sampler, "sampler")
	o.Levels = chosen[estimate.Levels](&r, catalogue.Schedules, in.schedule, "schedule")
	o.Epsilon, o.Delta, o.MaxSteps, o.Seed = in.epsilon, in.delta, int64(in.maxSteps), in.seed
	o.Bound, o.Low, o.High, o.Counting = in.bound, in.low, in.high, o.method == catalogue.Counting
	if (o.Low == nil) != (o.High == nil) {
		r.add(cabi.Illegal("low and high come together, one of them is NULL"))
	}
	computed := o.method == catalogue.ExactSum || o.method == catalogue.TaylorExpansion
	if computed && (o.Bound != nil || o.Sampler != estimate.AutoSampler || o.Levels != estimate.Adaptive) {
		r.add(cabi.Illegal("bound, sampler and schedule are for method='annealed', leave them out"))
	}
	if o.plain && o.method != catalogue.TaylorExpansion {
		r.add(cabi.Illegal("plain (centred=False) is for method='taylor', leave it out"))
	}
	return o, r.err
}

func doEstimate(a *estimateArgs) error {
	opt, err := a.options.options(catalogue.EstimateMethods, a.workers, a.mon)
	if err != nil {
		return err
	}
	opt.Streams, opt.Bound = a.rows.streams, first(opt.Bound, a.scores.n)
	size := cabi.Equal("dst.n", int64(a.dst.n), "the scores", a.scores.n)
	if err := fault.First(size, opt.Check(a.scores.n), a.rows.CheckLinear()); err != nil {
		return err
	}
	switch opt.method {
	case catalogue.Samples, catalogue.Counting, catalogue.ChainMeans:
		found, err := a.dst.means(a.rows.Batch, opt)
		if err != nil {
			return err
		}
		a.dst.setRows(found)
	case catalogue.AutoEstimate:
		opt.method = catalogue.Annealed
		if _, seconds, err := partition.Costs(a.rows.Batch, true); err == nil && seconds <= opt.exactSeconds {
			opt.method = catalogue.ExactSum
		}
		fallthrough
	default:
		if err := a.dst.partition(a.rows.Batch, opt); err != nil {
			return err
		}
	}
	a.dst.finish(catalogue.EstimateMethods, opt.method)
	return nil
}

// partition computes ln Z by the method.
func (e *estimatesIn) partition(of *structure.Batch, opt estimateOptions) error {
	switch opt.method {
	case catalogue.ExactSum:
		logZ := make([]float64, e.n)
		if err := partition.Batch(of, logZ, e.marginals.Data, opt.workers, opt.mon); err != nil {
			return err
		}
		for i, v := range logZ {
			put(e.value, i, v)
			put(e.lower, i, v)
			put(e.upper, i, v)
			put(e.guaranteed, i, 1)
		}
		return nil
	case catalogue.TaylorExpansion:
		if err := of.CheckAllScores(); err != nil {
			return err
		}
		bounds := e.value != nil || e.lower != nil || e.upper != nil || e.spread != nil
		x, err := estimate.Expand(of, opt.plain, bounds, opt.workers, opt.mon)
		if err != nil {
			return err
		}
		e.setTaylor(x)
		return nil
	}
	found, err := estimate.Anneal(of, opt.Options, opt.workers, opt.mon)
	if err != nil {
		return err
	}
	logCounts, err := structure.ForSpaces(of, func(_ int, s structure.Space) (float64, error) { return structure.LogCount(s) })
	if err != nil {
		return err
	}
	e.setAnnealed(found, func(i int) float64 { return logCounts[of.At(i)] }, opt.Options)
	return nil
}

// means estimates E ψ by the method; columns that the caller does not want are the library's own.
func (e *estimatesIn) means(of *structure.Batch, opt estimateOptions) ([]estimate.Row, error) {
	value, bound := first(e.marginals.Data, of.Entries()), first(e.error.Data, of.Entries())
	if value == nil {
		value = make([]float64, of.Entries())
	}
	if bound == nil {
		bound = make([]float64, of.Entries())
	}
	if opt.method == catalogue.ChainMeans {
		return estimate.ChainMeans(of, opt.Options, value, bound, opt.workers, opt.mon)
	}
	return estimate.Marginals(of, opt.MarginalOptions, value, bound, opt.workers, opt.mon)
}

// external returns what is known of outputs that a caller draws, and the scores of their entries.
func (in *suppliedIn) external() (space *estimate.External, linear []float64, err error) {
	if in.width < 1 || in.width > maxRows {
		return nil, nil, cabi.Illegal("supplied.width is %d, must be from 1 to %d", in.width, maxRows)
	}
	space = &estimate.External{Features: in.width, Log: in.logCount, Draws: slices.Clone(in.draws.Data)}
	if linear = in.scores; linear == nil {
		if in.width != 1 {
			return nil, nil, cabi.Illegal("supplied.scores is NULL, and width is %d, not 1", in.width)
		}
		linear = []float64{1}
	}
	return space, linear, fault.First(space.CheckDraws(), structure.CheckScores(linear))
}

// Draws are asked for in blocks of about so many numbers, of a whole number of these draws; more in all are too many to be kept.
const (
	suppliedNumbers = 1 << 21
	suppliedDraws   = 1 << 14
	mostSupplied    = 1 << 33
)

// supply has the caller of a session draw and, if it has moves, move.
func (s *session) supply(space *estimate.External, moving bool) {
	width := space.Features
	if moving {
		space.Mover = moves{s}
	}
	space.Supply = func(n int) error {
		if n > mostSupplied/width {
			return fault.Memory("it would take %d draws with %d numbers each: ask for a larger epsilon, or for fewer steps", n, width)
		}
		block := suppliedDraws * max(1, suppliedNumbers/width/suppliedDraws)
		for ; n > 0; n -= block {
			numbers := make([]float64, min(n, block)*width)
			s.request.n, s.request.draws = C.int64_t(min(n, block)), C.int64_t(n)
			s.request.results = (*C.double)(lend(s, numbers))
			if err := s.ask(C.CP_ASK_DRAWS); err != nil {
				return err
			}
			space.Draws = append(space.Draws, numbers...)
		}
		return nil
	}
}

// moves are those of outputs that the caller of a session knows.
type moves struct{ *session }

// Move implements walks.Mover.
func (m moves) Move(of, from, to []int64, psi, ratio []float64) error {
	r := &m.request
	r.columns = (*C.cp_in_i64)(lend(m.session, of))
	r.n, r.rows, r.sizes = C.int64_t(len(from)), (*C.cp_in_i64)(lend(m.session, from)), (*C.cp_in_i64)(lend(m.session, to))
	r.results, r.log_ratio = (*C.double)(lend(m.session, psi)), (*C.double)(lend(m.session, ratio))
	return m.ask(C.CP_ASK_MOVES)
}

func doEstimateStart(a *estimateStartArgs) error {
	space, linear, err := a.supplied.external()
	if err != nil {
		return err
	}
	opt, err := a.options.options(catalogue.ExternalMethods, 1, a.mon) // draws are taken in their order
	if err != nil {
		return err
	}
	opt.Mean = a.supplied.mean
	moving, err := flag(a.supplied.moves, "supplied.moves")
	if err != nil {
		return err
	}
	if a.dst.n < 1 {
		return cabi.Illegal("dst.n is %d, must be at least 1", a.dst.n)
	}
	if err := cabi.Equal("dst.d", int64(a.dst.d), "the scores", len(linear)); err != nil {
		return err
	}
	return openSession(&a.session[0], a.mon, func(s *session) error {
		s.supply(space, moving)
		row := structure.Rows(space, general(1, len(linear), linear))
		var found []estimate.Row
		var err error
		if opt.method == catalogue.Annealed {
			if found, err = estimate.Anneal(row, opt.Options, 1, a.mon); err == nil {
				a.dst.setAnnealed(found, func(int) float64 { return space.Log }, opt.Options)
			}
		} else if found, err = a.dst.means(row, opt); err == nil {
			a.dst.setRows(found)
		}
		if err != nil {
			return err
		}
		a.dst.finish(catalogue.ExternalMethods, opt.method)
		levels := found[0].Schedule.Levels
		s.request.n, s.request.linear = C.int64_t(len(levels)), (*C.cp_in_f64)(lend(s, levels))
		return nil
	})
}
