package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/labelrank"
	"combpred/core/solve"
)

// boostCurve is where the way of boosting goes; without entries it is not wanted.
type boostCurve struct{ losses, bounds []float64 }

func readBoostCurve(p *C.cp_in_boost_curve) (boostCurve, error) {
	var c boostCurve
	if p == nil {
		return c, nil
	}
	r, err := cabi.Record(p, "curve")
	if err != nil {
		return c, err
	}
	if r.n_curve < 0 || r.n_curve > maxRows {
		return c, cabi.Illegal("n_curve is %d, must be from 0 to %d", int64(r.n_curve), maxRows)
	}
	if c.losses, err = optionalFloat64s(r.losses, "losses", r.n_curve+1); err != nil {
		return c, err
	}
	c.bounds, err = optionalFloat64s(r.bounds, "bounds", r.n_curve)
	return c, err
}

// keep writes values, of those that are too many the last to the last place.
func keep(dst, values []float64) {
	if n := copy(dst, values); n > 0 && n < len(values) {
		dst[n-1] = values[len(values)-1]
	}
}

//export go_cp_labelrank_boost
func go_cp_labelrank_boost(design *C.cp_in_design, preferences *C.cp_in_preferences, options *C.cp_in_boost_options,
	curve *C.cp_in_boost_curve, weights *C.double, nIter *C.int64_t, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		r, e := cabi.Record(options, "options")
		if e != nil {
			return e
		}
		x, examples, e := readRanked(design, preferences)
		if e != nil {
			return e
		}
		if examples.Margins != nil {
			return cabi.Illegal("margins must be NULL: boosting has none")
		}
		if r.n_rankers < 0 || r.n_rankers > maxRows {
			return cabi.Illegal("n_rankers is %d, must be from 0 to %d", int64(r.n_rankers), maxRows)
		}
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		k, length := C.int64_t(examples.Labels), C.int64_t(x.Len())*C.int64_t(examples.Labels)
		base := labelrank.FeatureFunctions
		if r.scores != nil {
			scores, e := matrix(r.scores, "scores", preferences.n*k, r.n_rankers)
			if e != nil {
				return e
			}
			length = r.n_rankers
			base = func(_ *solve.Design, e *labelrank.Examples) labelrank.Functions {
				return labelrank.RankerFunctions(scores, e)
			}
		}
		dst, e := float64s(weights, "weights", length)
		if e != nil {
			return e
		}
		way, e := readBoostCurve(curve)
		if e != nil {
			return e
		}
		count, e := cabi.One(nIter, "n_iter")
		if e != nil {
			return e
		}
		if r.max_iter > maxSteps {
			return cabi.Illegal("max_iter is %d, must be at most %d", int64(r.max_iter), int64(maxSteps))
		}
		found, e := examples.Boost(base(x, examples), labelrank.BoostOptions{Alpha: float64(r.alpha), MinGain: float64(r.min_gain),
			MaxIter: int(r.max_iter), Workers: t.workers}, t.mon)
		if e != nil {
			return e
		}
		copy(dst, found.Weights)
		keep(way.losses, found.Losses)
		keep(way.bounds, found.Bounds)
		*count = C.int64_t(len(found.Bounds))
		return found.Check()
	})
}

//export go_cp_labelrank_mistake_bound
func go_cp_labelrank_mistake_bound(design *C.cp_in_design, preferences *C.cp_in_preferences, options *C.cp_in_online_options,
	coef *C.cp_in_f64, nPasses C.int64_t, bound *C.double, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		r, e := cabi.Record(options, "options")
		if e != nil {
			return e
		}
		l := labelrank.Learner{Rate: float64(r.rate), Radius: float64(r.radius), Cost: float64(r.c)}
		if l.Update, e = named[labelrank.Update](catalogue.Updates, r.update, "update"); e != nil {
			return e
		}
		if e := l.Check(); e != nil {
			return e
		}
		x, examples, e := readRanked(design, preferences)
		if e != nil {
			return e
		}
		if examples.Margins != nil {
			return cabi.Illegal("margins must be NULL: those of online learning are 1")
		}
		u, e := matrix(coef, "coef", C.int64_t(x.Len()), C.int64_t(examples.Labels))
		if e != nil {
			return e
		}
		if nPasses < 1 || nPasses > maxSteps {
			return cabi.Illegal("n_passes is %d, must be from 1 to %d", int64(nPasses), int64(maxSteps))
		}
		out, e := cabi.One(bound, "bound")
		if e != nil {
			return e
		}
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		found, e := l.MistakeBound(examples, x, u, int(nPasses), t.mon)
		*out = C.double(found)
		return e
	})
}
