package main

// #include "combpred.h"
import "C"

import (
	"slices"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/partition"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// estimateOptions are those of the caller, or the defaults.
type estimateOptions struct {
	method int
	estimate.MarginalOptions
	exactSeconds float64
	plain        bool
}

func readEstimateOptions(p *C.cp_in_estimate_options, methods catalogue.Names, n, d C.int64_t) (o estimateOptions, err error) {
	r := C.cp_estimate_options{epsilon: 0.1, delta: 0.05, max_steps: 100000000, exact_seconds: 300}
	if p != nil {
		if r, err = cabi.Record(p, "options"); err != nil {
			return o, err
		}
	}
	if o.method, err = named[int](methods, r.method, "method"); err != nil {
		return o, err
	}
	if o.Sampler, err = named[estimate.Sampler](catalogue.LevelSamplers, r.sampler, "sampler"); err != nil {
		return o, err
	}
	if o.Levels, err = named[estimate.Levels](catalogue.Schedules, r.schedule, "schedule"); err != nil {
		return o, err
	}
	o.Epsilon, o.Delta, o.MaxSteps, o.Seed = float64(r.epsilon), float64(r.delta), int64(r.max_steps), uint64(r.seed)
	o.exactSeconds, o.Counting = float64(r.exact_seconds), o.method == catalogue.Counting
	if o.plain, err = flag(r.plain, "plain"); err != nil {
		return o, err
	}
	if o.Bound, err = optionalFloat64s(r.bound, "bound", n); err != nil {
		return o, err
	}
	if o.Low, err = optionalFloat64s(r.low, "low", d); err != nil {
		return o, err
	}
	o.High, err = optionalFloat64s(r.high, "high", d)
	if err == nil && (o.Low == nil) != (o.High == nil) {
		err = cabi.Illegal("low and high come together, one of them is NULL")
	}
	return o, err
}

// readEstimate reads what estimates for rows of scores are asked for, by one of the methods.
func readEstimate(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_estimate_options, methods catalogue.Names,
	dst *C.cp_estimates, workers C.int32_t, control *C.cp_control) (sc scores, opt estimateOptions, out estimates, t execution,
	err error) {
	if sc, err = readLinear(s, in); err != nil {
		return sc, opt, out, t, err
	}
	d := sc.entries()
	if opt, err = readEstimateOptions(options, methods, sc.n, d); err != nil {
		return sc, opt, out, t, err
	}
	opt.Streams = sc.streams
	if out, err = readEstimates(dst, sc.n, sc.each, d); err != nil {
		return sc, opt, out, t, err
	}
	t, err = readExecution(workers, control)
	return sc, opt, out, t, err
}

//export go_cp_partition_estimate
func go_cp_partition_estimate(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_estimate_options,
	dst *C.cp_estimates, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, opt, out, t, e := readEstimate(s, in, options, catalogue.PartitionMethods, dst, workers, control)
		if e != nil {
			return e
		}
		if opt.method == catalogue.AutoEstimate {
			opt.method = catalogue.Annealed
			if _, seconds, e := partition.Costs(sc.rows, true); e == nil && seconds <= opt.exactSeconds {
				opt.method = catalogue.ExactSum
			}
		}
		if e := out.partition(sc, opt, t); e != nil {
			return e
		}
		out.finish(catalogue.PartitionMethods, opt.method)
		return nil
	})
}

// partition computes ln Z by the method.
func (e *estimates) partition(sc scores, opt estimateOptions, t execution) error {
	switch opt.method {
	case catalogue.ExactSum:
		logZ := make([]float64, e.n)
		if err := partition.Batch(sc.rows, logZ, e.marginals, t.workers, t.mon); err != nil {
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
		if err := sc.rows.CheckAllScores(); err != nil {
			return err
		}
		bounds := e.value != nil || e.lower != nil || e.upper != nil || e.spread != nil
		x, err := estimate.Expand(sc.rows, opt.plain, bounds, t.workers, t.mon)
		if err != nil {
			return err
		}
		e.setTaylor(x)
		return nil
	}
	rows, err := estimate.Anneal(sc.rows, opt.Options, t.workers, t.mon)
	if err != nil {
		return err
	}
	logCounts, err := structure.ForSpaces(sc.rows, func(_ int, s structure.Space) (float64, error) { return structure.LogCount(s) })
	if err != nil {
		return err
	}
	e.setAnnealed(rows, func(i int) float64 { return logCounts[sc.rows.At(i)] }, opt.Options)
	return nil
}

//export go_cp_marginals_estimate
func go_cp_marginals_estimate(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_estimate_options,
	dst *C.cp_estimates, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, opt, out, t, e := readEstimate(s, in, options, catalogue.MarginalMethods, dst, workers, control)
		if e != nil {
			return e
		}
		rows, e := out.means(sc.rows, opt, t)
		if e != nil {
			return e
		}
		out.setRows(rows)
		out.finish(catalogue.MarginalMethods, opt.method)
		return nil
	})
}

// means estimates E ψ by the method.
func (e *estimates) means(rows *structure.Batch, opt estimateOptions, t execution) ([]estimate.Row, error) {
	value, bound := vectors(e.marginals, rows), vectors(e.bound, rows)
	if opt.method == catalogue.ChainMeans {
		return estimate.ChainMeans(rows, opt.Options, value, bound, t.workers, t.mon)
	}
	return estimate.Marginals(rows, opt.MarginalOptions, value, bound, t.workers, t.mon)
}

// readExternal reads what is known of outputs that a caller draws, and the scores of their entries.
func readExternal(p *C.cp_in_supplied) (space *estimate.External, linear, mean []float64, err error) {
	r, err := cabi.Record(p, "supplied")
	if err != nil {
		return nil, nil, nil, err
	}
	if r.width < 1 || r.width > maxRows {
		return nil, nil, nil, cabi.Illegal("supplied.width is %d, must be from 1 to %d", int64(r.width), maxRows)
	}
	space = &estimate.External{Features: int(r.width), Log: float64(r.log_count)}
	if space.Moves, err = flag(r.moves, "supplied.moves"); err != nil {
		return nil, nil, nil, err
	}
	draws, err := float64s(r.draws, "supplied.draws", r.n, r.width)
	if err != nil {
		return nil, nil, nil, err
	}
	if space.Draws = slices.Clone(draws); space.CheckDraws() != nil {
		return nil, nil, nil, space.CheckDraws()
	}
	if linear, err = optionalFloat64s(r.scores, "supplied.scores", r.width); err != nil {
		return nil, nil, nil, err
	}
	if linear == nil {
		if r.width != 1 {
			return nil, nil, nil, cabi.Illegal("supplied.scores is NULL, and width is %d, not 1", int64(r.width))
		}
		linear = []float64{1}
	}
	if err := structure.CheckScores(linear); err != nil {
		return nil, nil, nil, err
	}
	mean, err = optionalFloat64s(r.mean, "supplied.mean", r.width)
	return space, linear, mean, err
}

// Draws are asked for in blocks of about so many numbers, of a whole number of these draws; more in all are too many to be kept.
const (
	suppliedNumbers = 1 << 21
	suppliedDraws   = 1 << 14
	mostSupplied    = 1 << 33
	mostWalked      = 1 << 27 // which are asked for at once
)

// supply has the caller draw, or follow its chains.
func (s *session) supply(space *estimate.External) func(n int, walk *estimate.Walk) error {
	return func(n int, walk *estimate.Walk) error {
		width := space.Features
		if n > mostSupplied/width || walk != nil && n > mostWalked/width {
			return fault.Memory("it would take %d draws with %d numbers each: ask for a larger epsilon, or for fewer steps", n, width)
		}
		if walk != nil {
			return s.follow(space, n, walk)
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

// follow has the caller follow chains with n states in all.
func (s *session) follow(space *estimate.External, n int, walk *estimate.Walk) error {
	numbers, accepted := make([]float64, n*space.Features), make([]int64, n)
	starts := make([]int64, len(walk.Start))
	for i, number := range walk.Start {
		starts[i] = int64(number)
	}
	r := &s.request
	r.n, r.draws, r.value, r.rows = C.int64_t(len(starts)), C.int64_t(n), C.double(walk.Beta), (*C.cp_in_i64)(lend(s, starts))
	r.stream = C.int64_t(estimate.FirstWalked + len(space.Accepted))
	r.sizes = (*C.cp_in_i64)(lend(s, []int64{int64(walk.BurnIn), int64(walk.Thin), int64(walk.Draws)}))
	r.results, r.counts = (*C.double)(lend(s, numbers)), (*C.int64_t)(lend(s, accepted))
	if err := s.ask(C.CP_ASK_WALK); err != nil {
		return err
	}
	space.Walked, space.Accepted = append(space.Walked, numbers...), append(space.Accepted, accepted...)
	return nil
}

//export go_cp_estimate_start
func go_cp_estimate_start(supplied *C.cp_in_supplied, options *C.cp_in_estimate_options, dst *C.cp_estimates, to *C.cp_session,
	workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		space, linear, mean, e := readExternal(supplied)
		if e != nil {
			return e
		}
		width := C.int64_t(space.Features)
		opt, e := readEstimateOptions(options, catalogue.ExternalMethods, 1, width)
		if e != nil {
			return e
		}
		opt.Mean = mean
		out, e := readEstimates(dst, firstRow, firstRow, width)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		t.workers = 1 // draws are taken in their order
		return openSession(to, t.mon, func(s *session) error {
			space.Supply = s.supply(space)
			row := structure.Rows(space, general(1, width, linear))
			var rows []estimate.Row
			var err error
			if opt.method == catalogue.Annealed {
				if rows, err = estimate.Anneal(row, opt.Options, 1, t.mon); err == nil {
					out.setAnnealed(rows, func(int) float64 { return space.Log }, opt.Options)
				}
			} else if rows, err = out.means(row, opt, t); err == nil {
				out.setRows(rows)
			}
			if err != nil {
				return err
			}
			out.finish(catalogue.ExternalMethods, opt.method)
			levels := rows[0].Schedule.Levels
			s.request.n, s.request.linear = C.int64_t(len(levels)), (*C.cp_in_f64)(lend(s, levels))
			return nil
		})
	})
}
