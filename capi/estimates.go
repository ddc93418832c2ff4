package main

// #include "combpred.h"
import "C"

import (
	"math"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/partition/estimate"
)

const (
	samplerWidth = 16  // bytes of the name of a sampler
	whyWidth     = 256 // bytes of a reason
)

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
func (e *estimatesIn) setRows(rows []estimate.Row) {
	needed := 0
	for _, row := range rows {
		needed += len(row.Schedule.Levels)
	}
	e.c.levels_needed = C.int64_t(needed)
	at := 0
	for i, row := range rows {
		put(e.guaranteed, i, flagged(row.Sampler.Exact()))
		put(e.samples, i, row.Samples)
		put(e.steps, i, row.Steps)
		put(e.accepted, i, row.Accepted)
		put(e.levelSamples, i, int64(row.Schedule.Draws))
		put(e.repeats, i, int64(row.Schedule.Repeats))
		put(e.effectiveShare, i, row.Share)
		put(e.rHat, i, row.RHat)
		put(e.firstLevel, i, int64(at))
		putText(e.sampler, i, samplerWidth, row.Sampler.String())
		putText(e.why, i, whyWidth, row.Failure)
		if needed <= len(e.levels) {
			copy(e.levels[at:], row.Schedule.Levels)
		}
		at += len(row.Schedule.Levels)
	}
	put(e.firstLevel, len(rows), int64(at))
}

// setAnnealed writes estimates of ln Z.
func (e *estimatesIn) setAnnealed(rows []estimate.Row, logCount func(i int) float64, opt estimate.Options) {
	for i, row := range rows {
		v := logCount(i) + row.LogRatio
		put(e.value, i, v)
		put(e.lower, i, v-math.Log1p(opt.Epsilon))
		put(e.upper, i, v-math.Log1p(-opt.Epsilon))
	}
	e.setRows(rows)
}

// setCounts writes estimates of the numbers of outputs.
func (e *estimatesIn) setCounts(counts []estimate.Count, opt estimate.Options) {
	for i, c := range counts {
		put(e.value, i, c.Log)
		put(e.lower, i, c.Log-math.Log1p(opt.Epsilon))
		put(e.upper, i, c.Log-math.Log1p(-opt.Epsilon))
		put(e.guaranteed, i, 1)
		put(e.samples, i, c.Samples)
		put(e.repeats, i, c.Repeats)
	}
}

// setTaylor writes an expansion.
func (e *estimatesIn) setTaylor(x estimate.Expansion) {
	for i, v := range x.Value {
		put(e.expansion, i, v)
		put(e.value, i, min(max(v, x.Lower[i]), x.Upper[i]))
		put(e.lower, i, x.Lower[i])
		put(e.upper, i, x.Upper[i])
		put(e.spread, i, x.Spread[i])
		put(e.variance, i, x.Variance[i])
		put(e.guaranteed, i, 1)
	}
	copy(e.marginals.Data, x.Gradient.Data)
}

// finish tells the caller which method was taken.
func (e *estimatesIn) finish(methods catalogue.Names, method int) {
	cabi.PutName(e.c.method[:], methods.Of(method))
	e.to.Set(e.c)
}
