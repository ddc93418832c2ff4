package main

/*
#include "combpred.h"
*/
import "C"

import (
	"unsafe"

	"combpred/core/labelrank"
	"combpred/core/solve"
)

// maxLabels bounds the labels of a ranking: their pairs then fit an int32.
const maxLabels = 1 << 14

// examplesIn reads the preferences of n rows.
func examplesIn(signs *C.cp_in_i8, margins, weights *C.cp_in_f64, n, k C.int64_t, subgraphs C.int32_t) (*labelrank.Examples, error) {
	if k < 2 || k > maxLabels {
		return nil, illegal("k is %d, must be from 2 to %d", int64(k), maxLabels)
	}
	if n < 0 || n > maxRows {
		return nil, illegal("n is %d, must be from 0 to %d", int64(n), maxRows)
	}
	pairs := k * (k - 1) / 2
	e := &labelrank.Examples{Labels: int(k), Decomposition: labelrank.Decomposition(subgraphs)}
	var err error
	if e.Signs, err = view[int8](unsafe.Pointer(signs), "signs", []C.int64_t{n, pairs}); err != nil {
		return nil, err
	}
	if margins != nil {
		if e.Margins, err = float64s(margins, "margins", n, pairs); err != nil {
			return nil, err
		}
	}
	if weights != nil {
		if e.Weights, err = float64s(weights, "weights", n); err != nil {
			return nil, err
		}
	}
	return e, e.Check()
}

// designIn reads features and checks their number.
func designIn(design *C.cp_in_design, q C.int64_t) (*solve.Design, error) {
	if design == nil {
		return nil, illegal("design is NULL")
	}
	x, err := readDesign(design)
	if err != nil {
		return nil, err
	}
	if int64(q) != int64(x.Len()) {
		return nil, illegal("q is %d, the design has %d features with the constant", int64(q), x.Len())
	}
	return x, nil
}

// machineOut is where the training of a support vector machine writes how it ended.
type machineOut struct {
	objective, gap *C.double
	passes         *C.int64_t
}

func machineOutIn(objective, gap *C.double, passes *C.int64_t) (m machineOut, err error) {
	if m.objective, err = one(objective, "objective"); err != nil {
		return m, err
	}
	if m.gap, err = one(gap, "gap"); err != nil {
		return m, err
	}
	m.passes, err = one(passes, "n_iter")
	return m, err
}

func (m machineOut) set(info labelrank.Info) {
	*m.objective, *m.gap, *m.passes = C.double(info.Objective), C.double(info.Gap), C.int64_t(info.Iter)
}

func machineOptions(c, tol C.double, maxIter C.int64_t, seed C.uint64_t, nWorkers C.int32_t,
	control *C.cp_control) (labelrank.Options, error) {
	w, err := workers(nWorkers)
	if err != nil {
		return labelrank.Options{}, err
	}
	if maxIter > maxSteps {
		return labelrank.Options{}, illegal("max_iter is %d, must be at most %d", int64(maxIter), int64(maxSteps))
	}
	opt := labelrank.Options{Cost: float64(c), Tol: float64(tol), MaxIter: int(maxIter), Seed: uint64(seed), Workers: w,
		Mon: monitor(control)}
	return opt, opt.Check()
}

//export go_cp_labelrank_svm
func go_cp_labelrank_svm(design *C.cp_in_design, q C.int64_t, signs *C.cp_in_i8, margins, weights *C.cp_in_f64,
	k C.int64_t, subgraphs C.int32_t, c, tol C.double, maxIter C.int64_t, seed C.uint64_t, alpha, coef, objective,
	gap *C.double, nIter *C.int64_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		x, e := designIn(design, q)
		if e != nil {
			return e
		}
		examples, e := examplesIn(signs, margins, weights, design.n, k, subgraphs)
		if e != nil {
			return e
		}
		opt, e := machineOptions(c, tol, maxIter, seed, nWorkers, control)
		if e != nil {
			return e
		}
		a, e := outFloat64s(alpha, "alpha", design.n, k*(k-1)/2)
		if e != nil {
			return e
		}
		w, e := matrixOut(coef, "coef", q, k)
		if e != nil {
			return e
		}
		out, e := machineOutIn(objective, gap, nIter)
		if e != nil {
			return e
		}
		info, e := labelrank.SolveLinear(examples, x, opt, a, w)
		out.set(info)
		return e
	})
}

//export go_cp_labelrank_svm_kernel
func go_cp_labelrank_svm_kernel(kernel *C.cp_in_f64, n C.int64_t, signs *C.cp_in_i8, margins, weights *C.cp_in_f64,
	k C.int64_t, subgraphs C.int32_t, c, tol C.double, maxIter C.int64_t, seed C.uint64_t, alpha, dual, objective,
	gap *C.double, nIter *C.int64_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		values, e := matrixIn(kernel, "kernel", n, n)
		if e != nil {
			return e
		}
		examples, e := examplesIn(signs, margins, weights, n, k, subgraphs)
		if e != nil {
			return e
		}
		opt, e := machineOptions(c, tol, maxIter, seed, nWorkers, control)
		if e != nil {
			return e
		}
		a, e := outFloat64s(alpha, "alpha", n, k*(k-1)/2)
		if e != nil {
			return e
		}
		coefficients, e := matrixOut(dual, "dual", n, k)
		if e != nil {
			return e
		}
		out, e := machineOutIn(objective, gap, nIter)
		if e != nil {
			return e
		}
		info, e := labelrank.SolveKernel(examples, values, opt, a, coefficients)
		out.set(info)
		return e
	})
}

// orderIn reads the order of n rows.
func orderIn(order *C.cp_in_i64, n C.int64_t) ([]int64, error) {
	if order == nil {
		return nil, nil
	}
	out, err := int64s(order, "order", n)
	for step, i := range out {
		if i < 0 || i >= int64(n) {
			return nil, illegal("order: step %d is on row %d, there are %d", step, i, int64(n))
		}
	}
	return out, err
}

//export go_cp_labelrank_online
func go_cp_labelrank_online(design *C.cp_in_design, q C.int64_t, signs *C.cp_in_i8, weights *C.cp_in_f64,
	order *C.cp_in_i64, k C.int64_t, subgraphs, update C.int32_t, rate, radius, c C.double, coef, theta, average,
	tally *C.double, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if _, e := workers(nWorkers); e != nil {
			return e
		}
		x, e := designIn(design, q)
		if e != nil {
			return e
		}
		examples, e := examplesIn(signs, nil, weights, design.n, k, subgraphs)
		if e != nil {
			return e
		}
		rows, e := orderIn(order, design.n)
		if e != nil {
			return e
		}
		l := labelrank.Learner{Update: labelrank.Update(update), Rate: float64(rate), Radius: float64(radius), Cost: float64(c)}
		if l.Coef, e = matrixOut(coef, "coef", q, k); e != nil {
			return e
		}
		if l.Update == labelrank.Multiplicative {
			if l.Theta, e = matrixOut(theta, "theta", q, k); e != nil {
				return e
			}
		}
		if average != nil {
			if l.Average, e = matrixOut(average, "average", q, k); e != nil {
				return e
			}
		}
		sums, e := outFloat64s(tally, "tally", 4)
		if e != nil {
			return e
		}
		l.Tally = labelrank.Tally{Weight: sums[0], Mistakes: sums[1], Loss: sums[2], Scale: sums[3]}
		if e = l.Check(); e != nil {
			return e
		}
		e = l.Learn(examples, x, rows, monitor(control))
		sums[0], sums[1], sums[2], sums[3] = l.Tally.Weight, l.Tally.Mistakes, l.Tally.Loss, l.Tally.Scale
		return e
	})
}
