package main

// #include "combpred.h"
import "C"

import (
	"math"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/chain"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/structure"
)

const (
	firstRow     = -1  // in place of a number of rows: the first is written, of however many
	samplerWidth = 16  // bytes of the name of a sampler
	whyWidth     = 256 // bytes of a reason
)

// estimates are the caller's columns, each of which may be missing.
type estimates struct {
	at                                               cabi.Out[C.cp_estimates]
	record                                           C.cp_estimates
	value, lower, upper, expansion, spread, variance []float64
	share, rHat, levels                              []float64
	marginals, bound                                 []float64
	guaranteed                                       []byte
	samples, steps, accepted, draws, repeats, first  []int64
	sampler, why                                     []byte
	n, d                                             int
}

func readEstimates(p *C.cp_estimates, n, d C.int64_t) (e estimates, err error) {
	if e.at, err = cabi.OutRecord(p, "dst", false); err != nil {
		return e, err
	}
	r := *p
	if n == firstRow {
		if n = r.n; n < 1 {
			return e, cabi.Illegal("dst.n is %d, must be at least 1", int64(n))
		}
	}
	e.record, e.n, e.d = r, int(n), int(d)
	if err := cabi.Equal("dst.n", r.n, "the scores", e.n); err != nil {
		return e, err
	}
	if err := cabi.Equal("dst.d", r.d, "the scores", e.d); err != nil {
		return e, err
	}
	for _, c := range []struct {
		to   *[]float64
		from *C.double
		name string
	}{
		{&e.value, r.value, "value"}, {&e.lower, r.lower, "lower"}, {&e.upper, r.upper, "upper"},
		{&e.expansion, r.expansion, "expansion"}, {&e.spread, r.spread, "spread"}, {&e.variance, r.variance, "variance"},
		{&e.share, r.effective_share, "effective_share"}, {&e.rHat, r.r_hat, "r_hat"},
	} {
		if *c.to, err = optionalFloat64s(c.from, c.name, n); err != nil {
			return e, err
		}
	}
	for _, c := range []struct {
		to   *[]int64
		from *C.int64_t
		name string
	}{
		{&e.samples, r.samples, "samples"}, {&e.steps, r.steps, "steps"}, {&e.accepted, r.accepted, "accepted"},
		{&e.draws, r.level_samples, "level_samples"}, {&e.repeats, r.repeats, "repeats"},
	} {
		if *c.to, err = optionalInt64s(c.from, c.name, n); err != nil {
			return e, err
		}
	}
	if e.first, err = optionalInt64s(r.first_level, "first_level", n+1); err != nil {
		return e, err
	}
	if e.levels, err = float64s(r.levels, "levels", r.levels_cap); err != nil {
		return e, err
	}
	if e.marginals, err = optionalFloat64s(r.marginals, "marginals", n, d); err != nil {
		return e, err
	}
	if e.bound, err = optionalFloat64s(r.error, "error", n, d); err != nil {
		return e, err
	}
	if e.guaranteed, err = cabi.Optional[byte](unsafe.Pointer(r.guaranteed), "guaranteed", n); err != nil {
		return e, err
	}
	if e.sampler, err = cabi.Optional[byte](unsafe.Pointer(r.sampler), "sampler", n, samplerWidth); err != nil {
		return e, err
	}
	e.why, err = cabi.Optional[byte](unsafe.Pointer(r.why), "why", n, whyWidth)
	return e, err
}

// vectors returns a column of vectors as long as ψ, or one of the library's own where the caller wants none.
func vectors(column []float64, rows *structure.Batch) []float64 {
	if column == nil {
		return make([]float64, rows.Entries())
	}
	return column
}

func put[T any](column []T, i int, value T) {
	if column != nil {
		column[i] = value
	}
}

// putText writes a text to a field of fixed width, with a closing NUL.
func putText(column []byte, i, width int, text string) {
	if column == nil {
		return
	}
	cabi.PutText(column[i*width:(i+1)*width], text)
}

// setRows writes what is known about draws.
func (e *estimates) setRows(rows []estimate.Row) {
	needed := 0
	for _, row := range rows {
		needed += len(row.Schedule.Levels)
	}
	e.record.levels_needed = C.int64_t(needed)
	at := 0
	for i, row := range rows {
		guaranteed := byte(0)
		if row.Sampler.Exact() {
			guaranteed = 1
		}
		put(e.guaranteed, i, guaranteed)
		put(e.samples, i, row.Samples)
		put(e.steps, i, row.Steps)
		put(e.accepted, i, row.Accepted)
		put(e.draws, i, int64(row.Schedule.Draws))
		put(e.repeats, i, int64(row.Schedule.Repeats))
		put(e.share, i, row.Share)
		put(e.rHat, i, row.RHat)
		put(e.first, i, int64(at))
		putText(e.sampler, i, samplerWidth, row.Sampler.String())
		putText(e.why, i, whyWidth, row.Failure)
		if needed <= len(e.levels) {
			copy(e.levels[at:], row.Schedule.Levels)
		}
		at += len(row.Schedule.Levels)
	}
	put(e.first, len(rows), int64(at))
}

// setAnnealed writes estimates of ln Z.
func (e *estimates) setAnnealed(rows []estimate.Row, logCount float64, opt estimate.Options) {
	for i, row := range rows {
		v := logCount + row.LogRatio
		put(e.value, i, v)
		put(e.lower, i, v-math.Log1p(opt.Epsilon))
		put(e.upper, i, v-math.Log1p(-opt.Epsilon))
	}
	e.setRows(rows)
}

// setTaylor writes an expansion.
func (e *estimates) setTaylor(x estimate.Expansion) {
	for i, v := range x.Value {
		put(e.expansion, i, v)
		put(e.value, i, min(max(v, x.Lower[i]), x.Upper[i]))
		put(e.lower, i, x.Lower[i])
		put(e.upper, i, x.Upper[i])
		put(e.spread, i, x.Spread[i])
		put(e.variance, i, x.Variance[i])
		put(e.guaranteed, i, 1)
	}
	copy(e.marginals, x.Gradient.Data)
}

// finish tells the caller which method was taken.
func (e *estimates) finish(methods catalogue.Names, method int) {
	cabi.PutName(e.record.method[:], methods.Of(method))
	e.at.Set(e.record)
}

// chainRecord are the caller's columns, each of which may be missing.
type chainRecord struct {
	chain.Draws
	at     cabi.Out[C.cp_chain_record]
	record C.cp_chain_record
	report sampler.Report
}

// readChainRecord reads where what is known about samples goes.
func readChainRecord(p *C.cp_chain_record, n, samples C.int64_t) (out chainRecord, err error) {
	if out.at, err = cabi.OutRecord(p, "record", true); err != nil || p == nil {
		return out, err
	}
	r, err := cabi.Record(p, "record")
	if err == nil {
		err = checkCount(r.n, "record.n")
	}
	if err != nil {
		return out, err
	}
	out.record = r
	if n == firstRow && r.n > 0 {
		n, r.n = 1, 1
	}
	if r.n != n || r.n_samples != samples {
		return out, cabi.Illegal("record: n and n_samples are %d and %d, those asked for %d and %d", int64(r.n),
			int64(r.n_samples), int64(n), int64(samples))
	}
	if out.Value, err = optionalFloat64s(r.value, "record.value", n, samples); err != nil {
		return out, err
	}
	for _, c := range []struct {
		to   *[]int64
		from *C.int64_t
		name string
		many C.int64_t
	}{
		{&out.Steps, r.steps, "record.steps", samples}, {&out.Accepted, r.accepted, "record.accepted", samples},
		{&out.report.Steps, r.total, "record.total", 1}, {&out.report.Thin, r.spacing, "record.spacing", 1},
	} {
		if *c.to, err = optionalInt64s(c.from, c.name, n, c.many); err != nil {
			return out, err
		}
	}
	for _, c := range []struct {
		to   *[]float64
		from *C.double
		name string
	}{
		{&out.report.Acceptance, r.acceptance, "record.acceptance"}, {&out.report.EffectiveSize, r.effective_size, "record.effective_size"},
		{&out.report.RHat, r.r_hat, "record.r_hat"}, {&out.report.Time, r.autocorrelation_time, "record.autocorrelation_time"},
		{&out.report.Correlation, r.autocorrelation, "record.autocorrelation"},
		{&out.report.MixingBound, r.mixing_bound, "record.mixing_bound"},
	} {
		if *c.to, err = optionalFloat64s(c.from, c.name, n); err != nil {
			return out, err
		}
	}
	return out, nil
}

// finish tells the caller how samples were drawn, and what chains showed.
func (o *chainRecord) finish(found sampler.Found) {
	if from, to := found.Report, &o.report; from != nil {
		copy(to.Steps, from.Steps)
		copy(to.Thin, from.Thin)
		copy(to.Acceptance, from.Acceptance)
		copy(to.EffectiveSize, from.EffectiveSize)
		copy(to.RHat, from.RHat)
		copy(to.Time, from.Time)
		copy(to.Correlation, from.Correlation)
		copy(to.MixingBound, from.MixingBound)
	}
	cabi.PutName(o.record.method[:], catalogue.SampleMethods.Of(int(found.Sampler)))
	o.at.Set(o.record)
}
