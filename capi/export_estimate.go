package main

// #include "combpred.h"
import "C"

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/custom/walks"
	"combpred/core/fault"
	"combpred/core/linalg"
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
	case catalogue.Repeats:
		found, err := estimate.Counts(a.rows.Batch, opt.Options, a.workers, a.mon)
		if err != nil {
			return err
		}
		a.dst.setCounts(found, opt.Options)
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

// scoresOf returns the rows of scores.
func (in *suppliedIn) scoresOf() (blas64.General, error) {
	if in.n < 1 || in.n > maxRows || in.d < 1 || in.d > maxRows {
		return blas64.General{}, cabi.Illegal("supplied.n and d are %d and %d, must be from 1 to %d", in.n, in.d, maxRows)
	}
	rows := linalg.General(in.scores)
	for i := range in.n {
		if err := structure.CheckScores(rows.Data[i*in.d:][:in.d]); err != nil {
			return rows, fault.At(i, err)
		}
	}
	return rows, nil
}

// Draws are asked for in blocks of about so many numbers, of a whole number of these draws; more in all are too many to be kept.
const (
	suppliedNumbers = 1 << 21
	suppliedDraws   = 1 << 14
	mostSupplied    = 1 << 33
)

// supply has the caller of a session draw and move.
func (s *session) supply(space *estimate.External) {
	width := space.Features
	space.Mover = countedMoves{moves{s}}
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

// countedMoves are moves that the control counts.
type countedMoves struct{ moves }

// Move implements walks.Mover.
func (m countedMoves) Move(of, from, to []int64, psi, ratio []float64) error {
	m.mon.Advance(len(from))
	return m.moves.Move(of, from, to, psi, ratio)
}

// suppliedMoves are uniform draws and moves for one row of the caller's scores, who knows outputs by ψ. Figures are those scores where
// only they matter.
type suppliedMoves struct {
	moves
	row     int64
	scores  []float64
	ofScore bool
}

// Move implements walks.Mover.
func (m suppliedMoves) Move(_, from, to []int64, figures, ratio []float64) error {
	psi, d := figures, len(m.scores)
	if m.ofScore {
		psi = make([]float64, len(from)*d)
	}
	err := m.moves.Move(slices.Repeat([]int64{m.row}, len(from)), from, to, psi, ratio)
	if m.ofScore {
		for k := range figures {
			figures[k] = floats.Dot(m.scores, psi[k*d:][:d])
		}
	}
	return err
}

// Draws are asked for in blocks of about so many numbers.
const fewestDrawn, mostDrawn = 1 << 8, 1 << 12

// supply adds n draws to those of the space. Where there are no moves from them, the caller need not remember one block beside the next.
func (m suppliedMoves) supply(space *estimate.External, n int) error {
	if n > mostSupplied/space.Features {
		return fault.Memory("it would take %d draws with %d numbers each: ask for a larger epsilon, or for fewer steps", n, space.Features)
	}
	block := min(max(suppliedNumbers/len(m.scores), fewestDrawn), mostDrawn)
	for ; n > 0; n -= block {
		many, first := min(n, block), 0
		if space.Mover != nil {
			first = space.Len()
		}
		to := make([]int64, many)
		for k := range to {
			to[k] = int64(first + k)
		}
		figures := make([]float64, many*space.Features)
		m.request.draws = C.int64_t(n * space.Features)
		if err := m.Move(nil, slices.Repeat([]int64{walks.FromNowhere}, many), to, figures, make([]float64, many)); err != nil {
			return err
		}
		m.request.draws = 0
		space.Draws = append(space.Draws, figures...)
	}
	return nil
}

func doEstimateStart(a *estimateStartArgs) error {
	rows, err := a.supplied.scoresOf()
	if err != nil {
		return err
	}
	opt, err := a.options.options(catalogue.ExternalMethods, 1, a.mon) // draws are taken in their order
	if err != nil {
		return err
	}
	opt.Mean, opt.Bound = a.supplied.mean, first(opt.Bound, rows.Rows)
	moving, err := flag(a.supplied.moves, "supplied.moves")
	if err != nil {
		return err
	}
	size := cabi.Equal("dst.n", int64(a.dst.n), "the scores", rows.Rows)
	if err := fault.First(size, cabi.Equal("dst.d", int64(a.dst.d), "the scores", rows.Cols)); err != nil {
		return err
	}
	return openSession(&a.session[0], a.mon, func(s *session) error {
		found, counts := make([]estimate.Row, rows.Rows), make([]estimate.Count, rows.Rows)
		streams := structure.Rows(&estimate.External{Features: rows.Cols}, rows).Streams()
		for i := range found {
			own := opt
			own.Streams = streams[i : i+1]
			if opt.Bound != nil {
				own.Bound = opt.Bound[i : i+1]
				if math.IsInf(own.Bound[0], 1) {
					own.Bound = nil
				}
			}
			if err := a.estimateRow(s, i, own, moving, &found[i], &counts[i]); err != nil {
				return fault.At(i, err)
			}
		}
		switch opt.method {
		case catalogue.Repeats:
			a.dst.setCounts(counts, opt.Options)
		case catalogue.Annealed:
			a.dst.setAnnealed(found, func(int) float64 { return a.supplied.logCount }, opt.Options)
		default:
			a.dst.setRows(found)
		}
		a.dst.finish(catalogue.ExternalMethods, opt.method)
		var levels []float64
		for _, row := range found {
			levels = append(levels, row.Schedule.Levels...)
		}
		s.request.n, s.request.linear = C.int64_t(len(levels)), (*C.cp_in_f64)(lend(s, levels))
		return nil
	})
}

// estimateRow estimates by the method from what the caller of the session draws for a row.
func (a *estimateStartArgs) estimateRow(
	s *session, i int, opt estimateOptions, moving bool, found *estimate.Row, counted *estimate.Count,
) error {
	d := a.supplied.d
	m := suppliedMoves{moves{s}, int64(i), a.supplied.scores.Data[i*d:][:d], opt.method == catalogue.Annealed}
	space, scores := &estimate.External{Features: d, Log: a.supplied.logCount}, m.scores
	if m.ofScore {
		space.Features, scores = 1, []float64{1}
	}
	if moving {
		space.Mover = m
	}
	space.Supply = func(n int) error { return m.supply(space, n) }
	row := structure.Rows(space, general(1, len(scores), scores))
	var rows []estimate.Row
	var err error
	switch opt.method {
	case catalogue.Repeats:
		counts, err := estimate.Counts(row, opt.Options, 1, a.mon)
		if err == nil {
			*counted = counts[0]
		}
		return err
	case catalogue.Annealed:
		rows, err = estimate.Anneal(row, opt.Options, 1, a.mon)
	default:
		rows, err = a.dst.row(i).means(row, opt)
	}
	if err == nil {
		*found = rows[0]
	}
	return err
}

// row returns where the means of one row go.
func (e *estimatesIn) row(i int) *estimatesIn {
	one := &estimatesIn{n: 1, d: e.d}
	if e.marginals.Data != nil {
		one.marginals.Data = e.marginals.Data[i*e.d:][:e.d]
	}
	if e.error.Data != nil {
		one.error.Data = e.error.Data[i*e.d:][:e.d]
	}
	return one
}
