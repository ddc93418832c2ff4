package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
)

// descentIn reads what the steps of a descent change: rows × d each.
func descentIn(coef, average, velocity, gains *C.double, rows, d C.int64_t) (fit.Descent, error) {
	var s fit.Descent
	var err error
	if s.Coef, err = matrixOut(coef, "coef", rows, d); err != nil {
		return s, err
	}
	if average != nil {
		if s.Average, err = matrixOut(average, "average", rows, d); err != nil {
			return s, err
		}
	}
	if velocity == nil {
		return s, nil
	}
	if s.Velocity, err = matrixOut(velocity, "velocity", rows, d); err != nil {
		return s, err
	}
	s.Gains, err = outFloat64s(gains, "gains", d)
	return s, err
}

func stepSizes(m, p, t0 C.double, t C.int64_t) (sgd.StepSizes, error) {
	if t < 0 || t > maxSteps {
		return sgd.StepSizes{}, illegal("t is %d, must be from 0 to %d", int64(t), int64(maxSteps))
	}
	return sgd.StepSizes{Rows: float64(m), First: float64(p), Shift: float64(t0), Done: int(t)}, nil
}

// descend takes steps of the sizes asked for and writes the sum of the losses to loss.
func descend(m, p, t0 C.double, t C.int64_t, loss *C.double, take func(sgd.StepSizes) (float64, error)) error {
	steps, err := stepSizes(m, p, t0, t)
	if err != nil {
		return err
	}
	out, err := one(loss, "loss")
	if err != nil {
		return err
	}
	total, err := take(steps)
	*out = C.double(total)
	return err
}

// maxSteps bounds the number of a step: beyond, steps are too small to change a float64.
const maxSteps = 1 << 52

//export go_cp_sgd_expansion
func go_cp_sgd_expansion(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, kernel *C.cp_in_f64, n,
	slots C.int64_t, at, drop *C.cp_in_i64, psi *C.cp_in_f64, d C.int64_t, first *C.cp_in_i64, weights *C.cp_in_f64, m,
	p, t0 C.double, t C.int64_t, coef, average, velocity, gains, loss *C.double, nWorkers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, optionsLen, psi, n, d, first, weights, nWorkers, control)
		if e != nil {
			return e
		}
		if slots < 1 || slots > maxRows {
			return illegal("slots is %d, must be from 1 to %d", int64(slots), maxRows)
		}
		var v sgd.Visits
		if v.Kernel, e = matrixIn(kernel, "kernel", n, slots); e != nil {
			return e
		}
		if v.At, e = int64s(at, "at", n); e != nil {
			return e
		}
		if v.Drop, e = int64s(drop, "drop", n); e != nil {
			return e
		}
		state, e := descentIn(coef, average, velocity, gains, slots, d)
		if e != nil {
			return e
		}
		return descend(m, p, t0, t, loss, func(steps sgd.StepSizes) (float64, error) {
			return c.opt.DescendInExpansion(c.space, steps, v, c.targets, state, c.mon)
		})
	})
}

//export go_cp_sgd_features
func go_cp_sgd_features(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, design *C.cp_in_design,
	q C.int64_t, psi *C.cp_in_f64, d C.int64_t, first *C.cp_in_i64, weights *C.cp_in_f64, m, p, t0 C.double,
	t C.int64_t, coef, average, velocity, gains, loss *C.double, nWorkers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if design == nil {
			return illegal("design is NULL")
		}
		c, e := newRidgeCall(s, options, optionsLen, psi, design.n, d, first, weights, nWorkers, control)
		if e != nil {
			return e
		}
		x, e := readDesign(design)
		if e != nil {
			return e
		}
		if int64(q) != int64(x.Len()) {
			return illegal("q is %d, the design has %d features with the constant", int64(q), x.Len())
		}
		state, e := descentIn(coef, average, velocity, gains, q, d)
		if e != nil {
			return e
		}
		return descend(m, p, t0, t, loss, func(steps sgd.StepSizes) (float64, error) {
			return c.opt.DescendInFeatures(c.space, steps, x, c.targets, state, c.mon)
		})
	})
}

//export go_cp_ridge_losses
func go_cp_ridge_losses(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, scores *C.cp_in_f64,
	n C.int64_t, psi *C.cp_in_f64, d C.int64_t, first *C.cp_in_i64, weights *C.cp_in_f64, losses, curvatures *C.double,
	nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, optionsLen, psi, n, d, first, weights, nWorkers, control)
		if e != nil {
			return e
		}
		var values, bounds []float64
		var f linalg.Matrix[float64]
		if losses != nil {
			if f, e = matrixIn(scores, "scores", n, d); e != nil {
				return e
			}
			if values, e = outFloat64s(losses, "losses", n); e != nil {
				return e
			}
		}
		if curvatures != nil {
			if bounds, e = outFloat64s(curvatures, "curvatures", n); e != nil {
				return e
			}
		}
		return c.opt.Losses(c.space, f, c.targets, values, bounds, c.mon)
	})
}

// readDesign reads a design.
func readDesign(in *C.cp_in_design) (*solve.Design, error) {
	if in.p < 0 || in.p > maxRows {
		return nil, illegal("design: p is %d, must be from 0 to %d", int64(in.p), maxRows)
	}
	x := &solve.Design{N: int(in.n), P: int(in.p), Intercept: in.intercept != 0}
	var err error
	if in.dense != nil || in.n*in.p == 0 {
		x.Dense, err = matrixIn(in.dense, "design.dense", in.n, in.p)
		return x, err
	}
	s := &solve.Sparse{Rows: x.N, Cols: x.P}
	if s.Data, err = float64s(in.data, "design.data", in.nnz); err != nil {
		return nil, err
	}
	if s.Indices, err = int32s(in.indices, "design.indices", in.nnz); err != nil {
		return nil, err
	}
	if s.Indptr, err = int64s(in.indptr, "design.indptr", in.n+1); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, illegal("design: %w", err)
	}
	x.Rows = s
	return x, nil
}
