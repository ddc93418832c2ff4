package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
)

// maxSteps bounds the number of a step: beyond, steps are too small to change a float64.
const maxSteps = 1 << 52

// descentIn reads what the steps of a descent change: rows×d each.
func descentIn(p *C.cp_in_sgd_state, rows, d C.int64_t, owner string) (fit.Descent, error) {
	var s fit.Descent
	r, err := cabi.Record(p, "state")
	if err != nil {
		return s, err
	}
	if err := cabi.Equal("state: rows", r.rows, owner, int(rows)); err != nil {
		return s, err
	}
	if err := cabi.Equal("state: d", r.d, "targets", int(d)); err != nil {
		return s, err
	}
	if s.Coef, err = matrix(r.coef, "coef", rows, d); err != nil {
		return s, err
	}
	if r.average != nil {
		if s.Average, err = matrix(r.average, "average", rows, d); err != nil {
			return s, err
		}
	}
	if r.velocity == nil {
		return s, nil
	}
	if s.Velocity, err = matrix(r.velocity, "velocity", rows, d); err != nil {
		return s, err
	}
	s.Gains, err = float64s(r.gains, "gains", d)
	return s, err
}

// descend takes steps of the sizes asked for and writes the sum of the losses to loss.
func descend(p *C.cp_in_sgd_steps, loss *C.double, take func(sgd.StepSizes) (float64, error)) error {
	r, err := cabi.Record(p, "steps")
	if err != nil {
		return err
	}
	if r.t < 0 || r.t > maxSteps {
		return cabi.Illegal("t is %d, must be from 0 to %d", int64(r.t), int64(maxSteps))
	}
	out, err := cabi.One(loss, "loss")
	if err != nil {
		return err
	}
	total, err := take(sgd.StepSizes{Rows: float64(r.m), First: float64(r.p), Shift: float64(r.t0), Done: int(r.t)})
	*out = C.double(total)
	return err
}

//export go_cp_sgd_expansion
func go_cp_sgd_expansion(s *C.cp_in_structure, options *C.cp_in_ridge_options, expansion *C.cp_in_expansion,
	targets *C.cp_in_targets, steps *C.cp_in_sgd_steps, state *C.cp_in_sgd_state, loss *C.double, workers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, targets, workers, control)
		if e != nil {
			return e
		}
		r, e := cabi.Record(expansion, "expansion")
		if e != nil {
			return e
		}
		if e := cabi.Equal("expansion: n", r.n, "targets", int(c.n)); e != nil {
			return e
		}
		if r.slots < 1 || r.slots > maxRows {
			return cabi.Illegal("slots is %d, must be from 1 to %d", int64(r.slots), maxRows)
		}
		var v sgd.Visits
		if v.Kernel, e = matrix(r.kernel, "kernel", r.n, r.slots); e != nil {
			return e
		}
		if v.At, e = int64s(r.at, "at", r.n); e != nil {
			return e
		}
		if v.Drop, e = int64s(r.drop, "drop", r.n); e != nil {
			return e
		}
		coefficients, e := descentIn(state, r.slots, c.d, "the expansion")
		if e != nil {
			return e
		}
		return descend(steps, loss, func(sizes sgd.StepSizes) (float64, error) {
			return c.opt.DescendInExpansion(c.space, sizes, v, c.targets, coefficients, c.mon)
		})
	})
}

//export go_cp_sgd_fit
func go_cp_sgd_fit(s *C.cp_in_structure, options *C.cp_in_ridge_options, design *C.cp_in_design, targets *C.cp_in_targets,
	passes *C.cp_in_sgd_passes, state *C.cp_in_sgd_state, report *C.cp_sgd_report, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, targets, workers, control)
		if e != nil {
			return e
		}
		x, e := readDesign(design)
		if e != nil {
			return e
		}
		if e := cabi.Equal("targets: n", c.n, "the design", x.N); e != nil {
			return e
		}
		stream, how, e := readPasses(passes)
		if e != nil {
			return e
		}
		coefficients, e := descentIn(state, C.int64_t(x.Len()), c.d, "the design, with the constant,")
		if e != nil {
			return e
		}
		out, e := cabi.OutRecord(report, "report", true)
		if e != nil {
			return e
		}
		done, curvature, e := c.opt.Train(c.space, x, c.targets, stream, how, coefficients, c.mon)
		result := C.cp_sgd_report{passes: C.int64_t(done.Passes), steps: C.int64_t(done.Steps), loss: C.double(done.Loss),
			weight: C.double(done.Weight), start: C.double(done.Start), curvature: C.double(curvature)}
		if done.Converged {
			result.converged = 1
		}
		out.Set(result)
		return e
	})
}

// readPasses reads how rows are gone through.
func readPasses(p *C.cp_in_sgd_passes) (fit.Stream, sgd.Passes, error) {
	var stream fit.Stream
	var passes sgd.Passes
	r, err := cabi.Record(p, "passes")
	if err != nil {
		return stream, passes, err
	}
	if r.seen < 0 || r.seen > maxSteps {
		return stream, passes, cabi.Illegal("seen is %d, must be from 0 to %d", int64(r.seen), int64(maxSteps))
	}
	if r.shuffle != 0 && r.shuffle != 1 {
		return stream, passes, cabi.Illegal("shuffle is %d, must be 0 or 1", int64(r.shuffle))
	}
	if r.max_iter < 1 || r.max_iter > maxRows {
		return stream, passes, cabi.Illegal("max_iter is %d, must be from 1 to %d", int64(r.max_iter), maxRows)
	}
	stream = fit.Stream{Eta: float64(r.eta0), Seen: int(r.seen), Curvature: float64(r.curvature)}
	passes = sgd.Passes{Shuffle: r.shuffle != 0, Seed: uint64(r.seed), Most: int(r.max_iter), Tol: float64(r.tol)}
	if passes.Order, err = int64s(r.order, "order", r.n_order); err != nil {
		return stream, passes, err
	}
	if r.curve != nil {
		passes.Curve, err = float64s(r.curve, "curve", r.max_iter)
	}
	return stream, passes, err
}

//export go_cp_ridge_losses
func go_cp_ridge_losses(s *C.cp_in_structure, options *C.cp_in_ridge_options, scores *C.cp_in_f64, targets *C.cp_in_targets,
	losses, curvatures *C.double, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, targets, workers, control)
		if e != nil {
			return e
		}
		var values []float64
		var f linalg.Matrix[float64]
		if losses != nil {
			if f, e = matrix(scores, "scores", c.n, c.d); e != nil {
				return e
			}
			if values, e = float64s(losses, "losses", c.n); e != nil {
				return e
			}
		}
		bounds, e := optionalFloat64s(curvatures, "curvatures", c.n)
		if e != nil {
			return e
		}
		return c.opt.Losses(c.space, f, c.targets, values, bounds, c.mon)
	})
}

// readDesign reads a design.
func readDesign(p *C.cp_in_design) (*solve.Design, error) {
	in, err := cabi.Record(p, "design")
	if err != nil {
		return nil, err
	}
	if in.n < 0 || in.n > maxRows || in.p < 0 || in.p > maxRows {
		return nil, cabi.Illegal("design: n and p are %d and %d, must be from 0 to %d", int64(in.n), int64(in.p), maxRows)
	}
	x := &solve.Design{N: int(in.n), P: int(in.p), Intercept: in.intercept != 0}
	if in.dense != nil || in.n*in.p == 0 {
		x.Dense, err = matrix(in.dense, "design.dense", in.n, in.p)
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
		return nil, cabi.Illegal("design: %w", err)
	}
	x.Rows = s
	return x, nil
}
