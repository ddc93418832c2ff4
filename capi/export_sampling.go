package main

// #include "combpred.h"
import "C"

import (
	"math"
	"slices"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/chain"
	"combpred/core/custom/walks"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/structure"
)

func doChainSample(a *chainSampleArgs) error {
	opt, err := a.options.sampler(int(a.scores.times(a.scores.n)), a.partLen)
	if err != nil {
		return err
	}
	opt.Bound, opt.Streams = a.options.bound[:min(len(a.options.bound), a.scores.n)], a.rows.streams
	if a.record.given && a.record.n != a.scores.n {
		return cabi.Illegal("record.n is %d, there are %d rows", a.record.n, a.scores.n)
	}
	held, err := a.conditions.within(a.rows.Batch)
	if err != nil {
		return err
	}
	if a.conditions.given { // chains may leave the outputs that satisfy them
		if opt.Sampler != estimate.AutoSampler && opt.Sampler != estimate.ExactSampler {
			return fault.Capability("draws under conditions are exact, by no other sampler: take 'exact' or 'auto'")
		}
		opt.Sampler = estimate.ExactSampler
	}
	if err := a.record.draw(a.dst, held.Batch, opt, a.workers, a.mon); err != nil {
		return err
	}
	for i := range held.Len() {
		for k := range opt.Draws {
			held.List(i, held.OutputOf(a.dst, i, k, opt.Draws))
		}
	}
	return nil
}

func doChainStart(a *chainStartArgs) error {
	n := a.scores.n
	opt, err := a.options.sampler(n, 1)
	if err != nil {
		return err
	}
	opt.Bound, opt.Streams = a.options.bound[:min(len(a.options.bound), n)], a.rows.streams
	moving, err := flag(a.starts.moves, "starts.moves")
	if err != nil {
		return err
	}
	if a.record.given && a.record.n != n {
		return cabi.Illegal("record.n is %d, there are %d rows", a.record.n, n)
	}
	space := &estimate.External{
		Features: a.scores.d, Log: math.NaN(), Draws: slices.Clone(a.starts.psi.Data), Keep: true, Still: !moving, Rows: n,
	}
	if err := fault.First(space.CheckDraws(), a.rows.CheckLinear()); err != nil {
		return err
	}
	rows := structure.Rows(space, linalg.General(a.scores.linear))
	return openSession(&a.session[0], a.mon, func(s *session) error {
		s.supply(space)
		return a.record.draw(a.dst, rows, opt, 1, a.mon.Quiet()) // what is counted are moves
	})
}

// sampler returns what to draw for n rows, whose outputs are each partLen long. Bounds are missing.
func (in *chainOptionsIn) sampler(n, partLen int) (opt sampler.Options, err error) {
	opt = sampler.Options{Draws: in.nSamples, BurnIn: in.burnIn, Thin: in.thin, Budget: in.budget, Seed: in.seed, Rows: in.nRows,
		ExactSeconds: in.exactSeconds}
	if opt.Sampler, err = choice[estimate.Sampler](catalogue.SampleMethods, in.method, "method"); err != nil {
		return opt, err
	}
	if err = (chain.Options{BurnIn: opt.BurnIn, Thin: opt.Thin, Budget: opt.Budget}).CheckSteps(); err != nil {
		return opt, err
	}
	if in.start != nil && in.bound != nil {
		return opt, cabi.Illegal("start is where a chain begins, bound is for samplers that are none: leave one of them out")
	}
	chains := 1
	if opt.Diagnosed, err = flag(in.diagnosed, "diagnosed"); opt.Diagnosed {
		chains = sampler.Chains
	}
	if err != nil {
		return opt, err
	}
	opt.Start, err = cabi.Optional[int32](in.start, "start", int64(n), int64(chains), int64(partLen))
	return opt, err
}

// draw draws outputs for rows, and writes what is known about them, for as many rows as the record has.
func (in *chainRecordIn) draw(dst []int32, of *structure.Batch, opt sampler.Options, workers int, mon *parallel.Monitor) error {
	if in.given && in.nSamples != opt.Draws {
		return cabi.Illegal("record.n_samples is %d, those asked for are %d", in.nSamples, opt.Draws)
	}
	many := of.Len() * opt.Draws
	draws := chain.Draws{Y: dst, Value: first(in.value.Data, many), Steps: first(in.steps, many), Accepted: first(in.accepted, many)}
	found, err := sampler.Batch(of, opt, draws, workers, mon)
	if err != nil {
		return err
	}
	if r := found.Report; r != nil {
		copy(in.total, r.Steps)
		copy(in.spacing, r.Thin)
		copy(in.acceptance, r.Acceptance)
		copy(in.effectiveSize, r.EffectiveSize)
		copy(in.rHat, r.RHat)
		copy(in.autocorrelationTime, r.Time)
		copy(in.autocorrelation, r.Correlation)
		copy(in.mixingBound, r.MixingBound)
	}
	cabi.PutName(in.c.method[:], catalogue.SampleMethods.Of(int(found.Sampler)))
	in.to.Set(in.c)
	return nil
}

// first returns the first n entries of a column, nil where there is none.
func first[T any](column []T, n int) []T { return column[:min(n, len(column))] }

func doChainDiagnose(a *chainDiagnoseArgs) error {
	if a.nLags > a.nDraws {
		return cabi.Illegal("n_lags is %d, must be at most n_draws = %d", a.nLags, a.nDraws)
	}
	for i, v := range a.x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return cabi.Illegal("x, chain %d, draw %d: %v is not finite, replace it", i/a.nDraws%a.nChains, i%a.nDraws, v)
		}
	}
	return chain.Diagnose(a.nChains, a.x, a.effectiveSize, a.rHat, a.autocorrelation, a.workers, a.mon)
}

func doSearch(a *searchArgs) error {
	process, err := a.options.process()
	if err != nil {
		return err
	}
	process.Streams = a.rows.streams
	n, to := a.scores.n, a.record
	if to.given {
		if err := cabi.Equal("record.n", int64(to.n), "scores", n); err != nil {
			return err
		}
	}
	cert, traces := certified(n, to.value, to.upperBound, to.nu, to.optimal), make([]decode.Trace, n)
	if err := decode.SearchBatch(a.rows.Batch, process, a.dst, cert.rows, traces, a.workers, a.mon); err != nil {
		return err
	}
	cert.write()
	for i, t := range traces {
		put(to.temperature, i, t.Temperature)
		put(to.success, i, t.Success)
		put(to.steps, i, t.Steps)
		put(to.accepted, i, t.Accepted)
	}
	return nil
}

func doSearchStart(a *searchStartArgs) error {
	process, err := a.options.process()
	if err != nil {
		return err
	}
	n, to := a.scores.n, a.record
	if to.given {
		if err := cabi.Equal("record.n", int64(to.n), "scores", n); err != nil {
			return err
		}
	}
	if _, err = flag(a.starts.moves, "starts.moves"); err != nil { // the same struct as that of chains
		return err
	}
	process.Streams = a.rows.streams
	return openSession(&a.session[0], a.mon, func(s *session) error {
		value, traces := make([]float64, n), make([]decode.Trace, n)
		starts := walks.Starts{Psi: a.starts.psi.Data, Spread: a.options.spread}
		if err := walks.Search(moves{s}, a.rows.Batch, process, starts, a.best, value, traces, a.mon); err != nil {
			return err
		}
		for i, t := range traces {
			put(to.value, i, value[i])
			put(to.temperature, i, t.Temperature)
			put(to.success, i, t.Success)
			put(to.steps, i, t.Steps)
			put(to.accepted, i, t.Accepted)
		}
		return nil
	})
}

// process returns the parameters of a search.
func (in *searchOptionsIn) process() (p decode.Process, err error) {
	p = decode.Process{Temperatures: in.temperatures, Epsilon: in.epsilon, Delta: in.delta, Steps: in.steps, Runs: in.runs, Seed: in.seed}
	if p.Steps < 0 || p.Steps > 1<<40 || p.Runs < 1 || p.Runs > 1<<31 {
		return p, cabi.Illegal("n_runs is %d and n_steps %d, must be between 1 and 2^31, and between 0 and 2^40", p.Runs, p.Steps)
	}
	if p.Method, err = choice[decode.Method](catalogue.RandomDecoders(), in.method, "method"); err != nil {
		return p, err
	}
	p.Proposals, err = choice[decode.Proposals](catalogue.Proposals, in.proposals, "proposals")
	return p, err
}

func doMixingBound(a *mixingBoundArgs) error {
	how, err := choice[chain.Method](catalogue.ChainMethods, a.method, "method")
	if err != nil {
		return err
	}
	if !(a.epsilon > 0 && a.epsilon < 1) {
		return cabi.Illegal("epsilon is %v, must be between 0 and 1", a.epsilon)
	}
	found, err := sampler.MixingBounds(a.rows.Batch, how, a.epsilon, a.mon)
	copy(a.bound, found)
	return err
}
