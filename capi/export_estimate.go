package main

// #include "combpred.h"
import "C"

import (
	"errors"

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

// readExternal reads the draws of a caller, and the scores of their entries.
func readExternal(p *C.cp_in_supplied) (space *estimate.External, linear, mean []float64, err error) {
	r, err := cabi.Record(p, "supplied")
	if err != nil {
		return nil, nil, nil, err
	}
	if r.width < 1 || r.width > maxRows {
		return nil, nil, nil, cabi.Illegal("supplied.width is %d, must be from 1 to %d", int64(r.width), maxRows)
	}
	space = &estimate.External{Features: int(r.width), Log: float64(r.log_count)}
	if space.Draws, err = float64s(r.draws, "supplied.draws", r.n, r.width); err != nil {
		return nil, nil, nil, err
	}
	if err := readWalked(&r, space); err != nil {
		return nil, nil, nil, err
	}
	if err := space.CheckDraws(); err != nil {
		return nil, nil, nil, err
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
	mean, err = optionalFloat64s(r.mean, "supplied.mean", r.width)
	return space, linear, mean, err
}

// walkLen is the length of supplied.walk, and walkStart where the numbers of outputs are in it.
const walkLen, walkStart = 8, 4

// readWalked reads the states of chains that the caller has followed.
func readWalked(r *C.cp_supplied, space *estimate.External) (err error) {
	if err := checkCount(r.n_walked, "supplied.n_walked"); err != nil || r.walk == nil {
		return err
	}
	space.Moves = true
	if _, err = int64s(r.walk, "supplied.walk", walkLen); err != nil {
		return err
	}
	if _, err = cabi.One(r.beta, "supplied.beta"); err != nil {
		return err
	}
	if space.Walked, err = float64s(r.walked, "supplied.walked", r.n_walked, r.width); err != nil {
		return err
	}
	space.Accepted, err = int64s(r.accepted, "supplied.accepted", r.n_walked)
	return err
}

// ask says what is missing: more draws, or states of chains.
func ask(p *C.cp_in_supplied, short *estimate.Short, more *C.int64_t) error {
	r, err := cabi.Record(p, "supplied")
	if err != nil {
		return err
	}
	*more = C.int64_t(short.More)
	if r.walk == nil {
		return nil
	}
	walk, err := int64s(r.walk, "supplied.walk", walkLen)
	if err != nil {
		return err
	}
	clear(walk)
	if w := short.Walk; w != nil {
		walk[0], walk[1], walk[2], walk[3] = int64(len(w.Start)), int64(w.BurnIn), int64(w.Thin), int64(w.Draws)
		for i, number := range w.Start {
			walk[walkStart+i] = int64(number)
		}
		*r.beta = C.double(w.Beta)
	}
	return nil
}

//export go_cp_estimate_next
func go_cp_estimate_next(supplied *C.cp_in_supplied, options *C.cp_in_estimate_options, dst *C.cp_estimates,
	more *C.int64_t, workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
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
		if _, e := cabi.One(more, "more"); e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		t.workers = 1 // draws are taken in their order
		row := structure.Rows(space, general(1, width, linear))
		var rows []estimate.Row
		if opt.method == catalogue.Annealed {
			rows, e = estimate.Anneal(row, opt.Options, 1, t.mon)
		} else {
			rows, e = out.means(row, opt, t)
		}
		if short, is := errors.AsType[*estimate.Short](e); is {
			return ask(supplied, short, more)
		}
		if e != nil {
			return fault.At(fault.NoRow, e) // there is one row only
		}
		*more = 0
		if opt.method == catalogue.Annealed {
			out.setAnnealed(rows, func(int) float64 { return space.Log }, opt.Options)
		} else {
			out.setRows(rows)
		}
		out.finish(catalogue.ExternalMethods, opt.method)
		return nil
	})
}
