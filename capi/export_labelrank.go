package main

/*
#include "combpred.h"
*/
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/aggregate"
	"combpred/core/aggregate/plackettluce"
	"combpred/core/catalogue"
	"combpred/core/fault"
	"combpred/core/labelrank"
	"combpred/core/solve"
)

// maxLabels bounds the labels of a ranking: their pairs then fit an int32.
const maxLabels = 1 << 14

func checkLabels(k C.int64_t) error {
	if k < 2 || k > maxLabels {
		return cabi.Illegal("k is %d, must be from 2 to %d", int64(k), maxLabels)
	}
	return nil
}

// readPreferences reads the preferences of rows.
func readPreferences(p *C.cp_in_preferences) (*labelrank.Examples, error) {
	r, err := cabi.Record(p, "preferences")
	if err != nil {
		return nil, err
	}
	if err := checkLabels(r.k); err != nil {
		return nil, err
	}
	if r.n < 0 || r.n > maxRows {
		return nil, cabi.Illegal("n is %d, must be from 0 to %d", int64(r.n), maxRows)
	}
	pairs := r.k * (r.k - 1) / 2
	e := &labelrank.Examples{Labels: int(r.k)}
	if e.Decomposition, err = named[labelrank.Decomposition](catalogue.Subgraphs, r.subgraphs, "preferences.subgraphs"); err != nil {
		return nil, err
	}
	if e.Signs, err = cabi.View[int8](unsafe.Pointer(r.signs), "preferences.signs", r.n, pairs); err != nil {
		return nil, err
	}
	if e.Margins, err = optionalFloat64s(r.margins, "preferences.margins", r.n, pairs); err != nil {
		return nil, err
	}
	if e.Weights, err = optionalFloat64s(r.weights, "preferences.weights", r.n); err != nil {
		return nil, err
	}
	if e.Own, err = readSubgraphs(r); err != nil {
		return nil, err
	}
	return e, e.Check()
}

// readSubgraphs reads divisions of the caller's own: nil for none.
func readSubgraphs(r C.cp_in_preferences) (own *labelrank.Subgraphs, err error) {
	if err := fault.First(checkCount(r.n_own, "preferences.n_own"), checkCount(r.n_edges, "preferences.n_edges")); err != nil {
		return nil, err
	}
	if r.own_rows == nil {
		return nil, nil
	}
	own = new(labelrank.Subgraphs)
	if own.Rows, err = cabi.View[int64](unsafe.Pointer(r.own_rows), "preferences.own_rows", r.n+1); err != nil {
		return nil, err
	}
	if own.Edges, err = cabi.View[int64](unsafe.Pointer(r.own_edges), "preferences.own_edges", r.n_own+1); err != nil {
		return nil, err
	}
	own.Ends, err = cabi.View[[2]int32](unsafe.Pointer(r.own_ends), "preferences.own_ends", r.n_edges)
	return own, err
}

// readRanked reads preferences and the features of their rows.
func readRanked(design *C.cp_in_design, preferences *C.cp_in_preferences) (*solve.Design, *labelrank.Examples, error) {
	x, err := readDesign(design)
	if err != nil {
		return nil, nil, err
	}
	e, err := readPreferences(preferences)
	if err != nil {
		return nil, nil, err
	}
	return x, e, cabi.Equal("preferences.n", preferences.n, "the design", x.Len())
}

// newSVMCall reads what the training of support vector machines has in common, and returns what writes how it ended.
func newSVMCall(options *C.cp_in_labelrank_options, info *C.cp_labelrank_info, workers C.int32_t,
	control *C.cp_control) (labelrank.Options, func(labelrank.Info), error) {
	r, err := cabi.Record(options, "options")
	if err != nil {
		return labelrank.Options{}, nil, err
	}
	if r.max_iter > maxSteps {
		return labelrank.Options{}, nil, cabi.Illegal("max_iter is %d, must be at most %d", int64(r.max_iter), int64(maxSteps))
	}
	t, err := readExecution(workers, control)
	if err != nil {
		return labelrank.Options{}, nil, err
	}
	opt := labelrank.Options{Cost: float64(r.c), Tol: float64(r.tol), MaxIter: int(r.max_iter), Seed: uint64(r.seed),
		Workers: t.workers, Mon: t.mon}
	if err := opt.Check(); err != nil {
		return opt, nil, err
	}
	out, err := cabi.OutRecord(info, "info", true)
	return opt, func(found labelrank.Info) {
		out.Set(C.cp_labelrank_info{objective: C.double(found.Objective), gap: C.double(found.Gap), n_iter: C.int64_t(found.Iter)})
	}, err
}

//export go_cp_labelrank_svm
func go_cp_labelrank_svm(design *C.cp_in_design, preferences *C.cp_in_preferences, options *C.cp_in_labelrank_options, alpha,
	coef *C.double, info *C.cp_labelrank_info, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		x, examples, e := readRanked(design, preferences)
		if e != nil {
			return e
		}
		opt, set, e := newSVMCall(options, info, workers, control)
		if e != nil {
			return e
		}
		k := preferences.k
		a, e := float64s(alpha, "alpha", preferences.n, k*(k-1)/2)
		if e != nil {
			return e
		}
		w, e := matrix(coef, "coef", C.int64_t(x.Columns()), k)
		if e != nil {
			return e
		}
		found, e := labelrank.SolveLinear(examples, x, opt, a, w)
		set(found)
		return e
	})
}

//export go_cp_labelrank_svm_kernel
func go_cp_labelrank_svm_kernel(kernel *C.cp_in_f64, preferences *C.cp_in_preferences, options *C.cp_in_labelrank_options,
	alpha, dual *C.double, info *C.cp_labelrank_info, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		examples, e := readPreferences(preferences)
		if e != nil {
			return e
		}
		n, k := preferences.n, preferences.k
		values, e := matrix(kernel, "kernel", n, n)
		if e != nil {
			return e
		}
		opt, set, e := newSVMCall(options, info, workers, control)
		if e != nil {
			return e
		}
		a, e := float64s(alpha, "alpha", n, k*(k-1)/2)
		if e != nil {
			return e
		}
		coefficients, e := matrix(dual, "dual", n, k)
		if e != nil {
			return e
		}
		found, e := labelrank.SolveKernel(examples, values, opt, a, coefficients)
		set(found)
		return e
	})
}

// readLearner reads the options and the state of online learning, and the order of n rows.
func readLearner(options *C.cp_in_online_options, state *C.cp_in_online_state, n C.int64_t, q, k int) (l labelrank.Learner,
	order []int64, tally []float64, err error) {
	r, err := cabi.Record(options, "options")
	if err != nil {
		return l, nil, nil, err
	}
	l.Rate, l.Radius, l.Cost = float64(r.rate), float64(r.radius), float64(r.c)
	if l.Update, err = named[labelrank.Update](catalogue.Updates, r.update, "update"); err != nil {
		return l, nil, nil, err
	}
	if order, err = cabi.Optional[int64](unsafe.Pointer(r.order), "order", n); err != nil {
		return l, nil, nil, err
	}
	for step, i := range order {
		if i < 0 || i >= int64(n) {
			return l, nil, nil, cabi.Illegal("order: step %d is on row %d, there are %d", step, i, int64(n))
		}
	}
	s, err := cabi.Record(state, "state")
	if err != nil {
		return l, nil, nil, err
	}
	if int(s.q) != q || int(s.k) != k {
		return l, nil, nil, cabi.Illegal("state: q and k are %d and %d, must be %d features, with the constant, and %d labels",
			int64(s.q), int64(s.k), q, k)
	}
	if l.Coef, err = matrix(s.coef, "state.coef", s.q, s.k); err != nil {
		return l, nil, nil, err
	}
	if l.Update == labelrank.Multiplicative {
		if l.Theta, err = matrix(s.theta, "state.theta", s.q, s.k); err != nil {
			return l, nil, nil, err
		}
	}
	if s.average != nil {
		if l.Average, err = matrix(s.average, "state.average", s.q, s.k); err != nil {
			return l, nil, nil, err
		}
	}
	if tally, err = float64s(s.tally, "state.tally", 4); err != nil {
		return l, nil, nil, err
	}
	l.Tally = labelrank.Tally{Weight: tally[0], Mistakes: tally[1], Loss: tally[2], Scale: tally[3]}
	return l, order, tally, l.Check()
}

//export go_cp_labelrank_online
func go_cp_labelrank_online(design *C.cp_in_design, preferences *C.cp_in_preferences, options *C.cp_in_online_options,
	state *C.cp_in_online_state, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		x, examples, e := readRanked(design, preferences)
		if e != nil {
			return e
		}
		if examples.Margins != nil {
			return cabi.Illegal("margins must be NULL: those of online learning are 1")
		}
		l, order, tally, e := readLearner(options, state, preferences.n, x.Columns(), examples.Labels)
		if e != nil {
			return e
		}
		e = l.Learn(examples, x, order, t.mon)
		tally[0], tally[1], tally[2], tally[3] = l.Tally.Weight, l.Tally.Mistakes, l.Tally.Loss, l.Tally.Scale
		return e
	})
}

//export go_cp_aggregate_chains
func go_cp_aggregate_chains(proba *C.cp_in_f64, n, k C.int64_t, chains, least *C.double, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if e := checkLabels(k); e != nil {
			return e
		}
		p, e := matrix(proba, "proba", n, k*k)
		if e != nil {
			return e
		}
		out, e := matrix(chains, "chains", n, k*k)
		if e != nil {
			return e
		}
		thresholds, e := float64s(least, "least", n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return aggregate.Chains(out, thresholds, p, int(k), t.workers, t.mon)
	})
}

//export go_cp_bradley_terry_fit
func go_cp_bradley_terry_fit(wins, ties, covariates *C.cp_in_f64, k, p C.int64_t, penalty C.double, coef, covariance *C.double,
	workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		if err := checkLabels(k); err != nil {
			return err
		}
		c, q := plackettluce.Comparisons{Penalty: float64(penalty)}, k
		var err error
		if c.Wins, err = matrix(wins, "wins", k, k); err != nil {
			return err
		}
		if covariates != nil {
			if c.Covariates, err = matrix(covariates, "covariates", k, p); err != nil {
				return err
			}
			q = p
		}
		if ties != nil {
			if c.Ties, err = matrix(ties, "ties", k, k); err != nil {
				return err
			}
			q++
		}
		x, err := float64s(coef, "coef", q)
		if err != nil {
			return err
		}
		spread, err := matrix(covariance, "covariance", q, q)
		if err != nil {
			return err
		}
		t, err := readExecution(workers, control)
		if err != nil {
			return err
		}
		done, err := c.FitTo(x, spread, t.mon)
		if err == nil && !done {
			return &plackettluce.NotConvergedError{Unfitted: 1, Sets: 1}
		}
		return err
	})
}
