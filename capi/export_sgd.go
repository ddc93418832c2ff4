package main

/*
#include "combpred.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/fit"
	"combpred/core/kernel"
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
	if err := cabi.Equal("state.rows", r.rows, owner, int(rows)); err != nil {
		return s, err
	}
	if err := cabi.Equal("state.d", r.d, "targets", int(d)); err != nil {
		return s, err
	}
	return banks(r.coef, r.average, r.velocity, r.gains, rows, d)
}

// banks views coefficients, and what else there is of them.
func banks(coef, average, velocity, gains *C.double, rows, d C.int64_t) (fit.Descent, error) {
	var s fit.Descent
	var err error
	if s.Coef, err = matrix(coef, "coef", rows, d); err != nil {
		return s, err
	}
	if average != nil {
		if s.Average, err = matrix(average, "average", rows, d); err != nil {
			return s, err
		}
	}
	if velocity == nil {
		return s, nil
	}
	if s.Velocity, err = matrix(velocity, "velocity", rows, d); err != nil {
		return s, err
	}
	s.Gains, err = float64s(gains, "gains", d)
	return s, err
}

//export go_cp_sgd_expansion
func go_cp_sgd_expansion(s C.cp_space, options *C.cp_in_ridge_options, given *C.cp_sgd_kernel, targets *C.cp_in_targets,
	passes *C.cp_in_sgd_passes, support *C.cp_sgd_support, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, targets, workers, control)
		if e != nil {
			return e
		}
		stream, how, e := readPasses(passes)
		if e != nil {
			return e
		}
		held, at, e := readSupport(support, c.d)
		if e != nil {
			return e
		}
		k, e := readSGDKernel(given, c, how.Most > 2 && held.Most == 0)
		if e != nil {
			return e
		}
		if e := c.visit(&how, k.design); e != nil {
			return e
		}
		e = c.opt.Grow(c.space, k.values, k.first, c.targets, stream, how, &held, &at, c.mon)
		if e = k.ask(given, e); e == nil || c.mon.Err() != nil {
			writeSupport(support, held, at, len(how.Order))
		}
		return e
	})
}

// sgdKernel is a kernel as a call of descent takes it.
type sgdKernel struct {
	values sgd.Kernel
	first  int           // rows that are in the support alone
	design *solve.Design // the inputs of the others, nil where there are none
	asked  *fit.AskedKernel
}

func readSGDKernel(p *C.cp_sgd_kernel, c ridgeCall, repeated bool) (sgdKernel, error) {
	var k sgdKernel
	r, err := cabi.Record(p, "given")
	if err != nil {
		return k, err
	}
	if r.n < c.n || r.n > maxRows {
		return k, cabi.Illegal("given.n is %d, must be from the %d of targets to %d", int64(r.n), int64(c.n), maxRows)
	}
	if r.n_rows < 0 || r.n_rows > r.n || r.n_columns < 0 || r.n_columns > r.n {
		return k, cabi.Illegal("given: n_rows and n_columns are %d and %d, must be from 0 to %d", int64(r.n_rows), int64(r.n_columns),
			int64(r.n))
	}
	k.first = int(r.n - c.n)
	var x kernel.Rows
	if r.x != nil {
		if x, err = rowsOf(r.x, "given.x"); err != nil {
			return k, err
		}
		if err := cabi.Equal("given.n", r.n, "x", x.Len()); err != nil {
			return k, err
		}
		own := x.Slice(k.first, x.Len())
		k.design = &solve.Design{Rows: own}
	}
	switch {
	case r.matrix != nil:
		values, err := matrix(r.matrix, "given.matrix", r.n, r.n)
		k.values = &fit.MatrixKernel{Values: values}
		return k, err
	case r.function != nil:
		if r.x == nil {
			return k, cabi.Illegal("given: function needs x, which is NULL")
		}
		f, err := kernelFunction(r.function, x.Features())
		if err != nil {
			return k, err
		}
		k.values, err = fit.NewRowKernel(f, x, k.first, repeated, c.opt.Workers, c.mon)
		return k, err
	}
	k.asked = &fit.AskedKernel{}
	k.values = k.asked
	for _, room := range []*C.int64_t{r.rows, r.columns} {
		if _, err := cabi.View[int64](unsafe.Pointer(room), "given: rows and columns", r.n); err != nil {
			return k, err
		}
	}
	if r.n_rows > 0 {
		k.asked.Answer, err = float64s(r.values, "given.values", r.n_rows, max(r.n_columns, 1))
	}
	return k, err
}

// ask writes down what a call that ended with an error asks for: then it is none.
func (k sgdKernel) ask(p *C.cp_sgd_kernel, err error) error {
	if k.asked == nil {
		return err
	}
	r := *p
	r.n_rows, r.n_columns = 0, 0
	if errors.Is(err, sgd.ErrAsked) {
		copy(unsafe.Slice((*int64)(unsafe.Pointer(r.rows)), int(r.n)), k.asked.Rows)
		copy(unsafe.Slice((*int64)(unsafe.Pointer(r.columns)), int(r.n)), k.asked.Columns)
		r.n_rows, r.n_columns, err = C.int64_t(len(k.asked.Rows)), C.int64_t(len(k.asked.Columns)), nil
	}
	p.n_rows, p.n_columns = r.n_rows, r.n_columns
	return err
}

// readSupport reads the function that steps change, and where they stand.
func readSupport(p *C.cp_sgd_support, d C.int64_t) (sgd.Support, sgd.Progress, error) {
	var s sgd.Support
	var at sgd.Progress
	r, err := cabi.Record(p, "support")
	if err != nil {
		return s, at, err
	}
	if r.capacity < 1 || r.capacity > maxRows {
		return s, at, cabi.Illegal("support: capacity is %d, must be from 1 to %d", int64(r.capacity), maxRows)
	}
	for _, field := range []struct {
		name        string
		value, most C.int64_t
	}{{"n", r.n, r.capacity}, {"most", r.most, maxRows}, {"passes", r.passes, maxRows}, {"steps", r.steps, maxSteps}, {"stage", r.stage, 3},
		{"at", r.at, maxSteps}, {"quiet", r.quiet, maxRows}, {"visits", r.visits, maxSteps}, {"converged", r.converged, 1}} {
		if field.value < 0 || field.value > field.most {
			return s, at, cabi.Illegal("support.%s is %d, must be from 0 to %d", field.name, int64(field.value), int64(field.most))
		}
	}
	s.Len, s.Most = int(r.n), int(r.most)
	if s.Rows, err = cabi.View[int64](unsafe.Pointer(r.rows), "support.rows", r.capacity); err != nil {
		return s, at, err
	}
	held, err := banks(r.coef, r.average, r.velocity, r.gains, r.capacity, d)
	s.Coef, s.Average, s.Velocity, s.Gains = held.Coef, held.Average, held.Velocity, held.Gains
	at.Outcome = sgd.Outcome{Passes: int(r.passes), Steps: int(r.steps), Loss: float64(r.loss), Weight: float64(r.weight),
		Start: float64(r.start), Converged: r.converged != 0}
	at.Stage, at.At, at.Quiet, at.Value, at.Curvature = int(r.stage), int(r.at), int(r.quiet), float64(r.value), float64(r.curvature)
	return s, at, err
}

func writeSupport(p *C.cp_sgd_support, s sgd.Support, at sgd.Progress, visits int) {
	out, err := cabi.OutRecord(p, "support", false)
	if err != nil {
		return
	}
	r := *p
	r.n, r.visits = C.int64_t(s.Len), C.int64_t(visits)
	r.passes, r.steps, r.converged = C.int64_t(at.Passes), C.int64_t(at.Steps), truth(at.Converged)
	r.loss, r.weight, r.start, r.curvature = C.double(at.Loss), C.double(at.Weight), C.double(at.Start), C.double(at.Curvature)
	r.stage, r.at, r.quiet, r.value = C.int64_t(at.Stage), C.int64_t(at.At), C.int64_t(at.Quiet), C.double(at.Value)
	out.Set(r)
}

//export go_cp_sgd_fit
func go_cp_sgd_fit(s C.cp_space, options *C.cp_in_ridge_options, design *C.cp_in_design, targets *C.cp_in_targets,
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
		if e := cabi.Equal("targets.n", c.n, "the design", x.Len()); e != nil {
			return e
		}
		stream, how, e := readPasses(passes)
		if e != nil {
			return e
		}
		if e := c.visit(&how, x); e != nil {
			return e
		}
		coefficients, e := descentIn(state, C.int64_t(x.Columns()), c.d, "the design, with the constant,")
		if e != nil {
			return e
		}
		out, e := cabi.OutRecord(report, "report", true)
		if e != nil {
			return e
		}
		done, curvature, e := c.opt.Train(c.space, x, c.targets, stream, how, coefficients, c.mon)
		result := C.cp_sgd_report{passes: C.int64_t(done.Passes), steps: C.int64_t(done.Steps), loss: C.double(done.Loss),
			weight: C.double(done.Weight), start: C.double(done.Start), curvature: C.double(curvature), visits: C.int64_t(len(how.Order)),
			converged: truth(done.Converged)}
		out.Set(result)
		return e
	})
}

// visit makes the visits of a pass where the caller does not say which: of rows x, which may be nil.
func (c ridgeCall) visit(passes *sgd.Passes, x *solve.Design) error {
	if passes.Order != nil {
		return nil
	}
	if !passes.Shuffle {
		x = nil
	}
	order, err := fit.VisitedRows(c.targets, x, c.opt.Workers, c.mon)
	passes.Order = order
	return err
}

// truth is 1 for what is true.
func truth(v bool) C.int64_t {
	if v {
		return 1
	}
	return 0
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
	if r.order != nil || r.n_order != 0 {
		if passes.Order, err = int64s(r.order, "passes.order", r.n_order); err != nil {
			return stream, passes, err
		}
	}
	if r.curve != nil {
		passes.Curve, err = float64s(r.curve, "passes.curve", r.max_iter)
	}
	return stream, passes, err
}

//export go_cp_ridge_losses
func go_cp_ridge_losses(s C.cp_space, options *C.cp_in_ridge_options, scores *C.cp_in_f64, targets *C.cp_in_targets,
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
