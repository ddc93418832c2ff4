package main

/*
#include "combpred.h"
*/
import "C"

import (
	"slices"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/labelrank"
	"combpred/core/labelrank/direct"
	"combpred/core/maxmargin"
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
	if c.losses, err = optionalFloat64s(r.losses, "curve.losses", r.n_curve+1); err != nil {
		return c, err
	}
	c.bounds, err = optionalFloat64s(r.bounds, "curve.bounds", r.n_curve)
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
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		k, length := C.int64_t(examples.Labels), C.int64_t(x.Columns())*C.int64_t(examples.Labels)
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
		u, e := matrix(coef, "coef", C.int64_t(x.Columns()), C.int64_t(examples.Labels))
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
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		found, e := l.MistakeBound(examples, x, u, int(nPasses), t.mon)
		*out = C.double(found)
		return e
	})
}

// readLoss reads what a loss looks at, and the numbers of one that the caller has.
func readLoss(d *direct.SVM, r *C.cp_in_rankings) (err error) {
	if err := checkCount(r.n_listed, "rankings.n_listed"); err != nil {
		return err
	}
	d.Top = int(r.top)
	switch d.Loss {
	case direct.ByPosition:
		d.Losses, err = float64s(r.losses, "rankings.losses", r.k, r.k)
	case direct.ByHits:
		if r.top < 1 || r.top >= r.k {
			return cabi.Illegal("rankings.top is %d, must be from 1 to %d", int64(r.top), int64(r.k)-1)
		}
		d.Losses, err = float64s(r.losses, "rankings.losses", r.top+1)
	case direct.Listed:
		if d.Listed, err = int32s(r.listed, "rankings.listed", r.n_listed, r.k); err == nil {
			d.Losses, err = float64s(r.losses, "rankings.losses", r.n, r.n_listed)
		}
	}
	return err
}

//export go_cp_labelrank_direct
func go_cp_labelrank_direct(design *C.cp_in_design, rankings *C.cp_in_rankings, loss *C.cp_in_char, positionWeights *C.cp_in_f64,
	options *C.cp_in_labelrank_options, coef *C.double, info *C.cp_labelrank_info, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		opt, set, e := newSVMCall(options, info, workers, control)
		if e != nil {
			return e
		}
		x, e := readDesign(design)
		if e != nil {
			return e
		}
		r, e := cabi.Record(rankings, "rankings")
		if e != nil {
			return e
		}
		if e := cabi.Equal("rankings.n", r.n, "the design", x.Len()); e != nil {
			return e
		}
		if e := checkLabels(r.k); e != nil {
			return e
		}
		d := direct.SVM{Cost: opt.Cost, SVMOptions: maxmargin.SVMOptions{Tol: opt.Tol, MaxIter: opt.MaxIter, Workers: opt.Workers}}
		if d.Loss, e = named[direct.Loss](slices.Concat(catalogue.PositionLosses, catalogue.OwnRankingLosses), loss, "loss"); e != nil {
			return e
		}
		if d.Weights, e = float64s(positionWeights, "position_weights", r.k); e != nil {
			return e
		}
		if d.Positions, e = int32s(r.positions, "rankings.positions", r.n, r.k); e != nil {
			return e
		}
		if d.Rows, e = optionalFloat64s(r.weights, "rankings.weights", r.n); e != nil {
			return e
		}
		if e := readLoss(&d, &r); e != nil {
			return e
		}
		w, e := matrix(coef, "coef", C.int64_t(x.Columns()), r.k)
		if e != nil {
			return e
		}
		found, e := d.Train(x, opt.Mon)
		if e != nil {
			return e
		}
		w.CopyFrom(found.Weights)
		set(labelrank.Info{Objective: found.Objective, Gap: found.Gap, Iter: found.Iter})
		return d.SVMOptions.Check(found)
	})
}

//export go_cp_labelrank_read
func go_cp_labelrank_read(positions *C.cp_in_f64, n, k C.int64_t, ranks *C.int32_t, signs *C.int8_t, gaps *C.double, workers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if e := checkLabels(k); e != nil {
			return e
		}
		values, e := matrix(positions, "positions", n, k)
		if e != nil {
			return e
		}
		order, e := int32s(ranks, "ranks", n, k)
		if e != nil {
			return e
		}
		pairs, e := cabi.View[int8](unsafe.Pointer(signs), "signs", n, k*(k-1)/2)
		if e != nil {
			return e
		}
		gapsOut, e := optionalFloat64s(gaps, "gaps", n, k*(k-1)/2)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return labelrank.ReadPositions(order, pairs, gapsOut, values, t.workers, t.mon)
	})
}

//export go_cp_labelrank_consensus
func go_cp_labelrank_consensus(preferences *C.cp_in_preferences, neighbors *C.cp_in_neighbors, scores *C.double, positions *C.int32_t,
	theta, probability, pairs *C.double, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		examples, e := readPreferences(preferences)
		if e != nil {
			return e
		}
		r, e := cabi.Record(neighbors, "neighbors")
		if e != nil {
			return e
		}
		v := labelrank.Neighbors{Examples: examples}
		if v.Weights, e = matrix(r.weights, "neighbors.weights", r.n, r.m); e != nil {
			return e
		}
		if v.Numbers, e = int64s(r.numbers, "neighbors.numbers", r.n, r.m); e != nil {
			return e
		}
		if v.Counts, e = cabi.Optional[int32](unsafe.Pointer(r.counts), "neighbors.counts", preferences.n, preferences.k); e != nil {
			return e
		}
		var dst labelrank.Consensus
		k := C.int64_t(examples.Labels)
		if scores != nil {
			if dst.Scores, e = matrix(scores, "scores", r.n, k); e != nil {
				return e
			}
		}
		if dst.Positions, e = cabi.Optional[int32](unsafe.Pointer(positions), "positions", r.n, k); e != nil {
			return e
		}
		if dst.Theta, e = optionalFloat64s(theta, "theta", r.n); e != nil {
			return e
		}
		if dst.Probability, e = optionalFloat64s(probability, "probability", r.n); e != nil {
			return e
		}
		if pairs != nil {
			if dst.Pairs, e = matrix(pairs, "pairs", r.n, k*k); e != nil {
				return e
			}
		}
		if (dst.Theta == nil) != (dst.Probability == nil) || dst.Theta != nil && dst.Positions == nil {
			return cabi.Illegal("theta and probability go together, and with positions")
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return v.ConsensusTo(dst, t.workers, t.mon)
	})
}
