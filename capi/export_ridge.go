package main

/*
#include "combpred.h"
*/
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

// ridgeOptions reads the options of a ridge call in a space.
func ridgeOptions(p *C.cp_in_ridge_options, sp structure.Space) (fit.Ridge, error) {
	out := fit.DefaultRidge()
	out.Loss = "auto"
	r, err := cabi.Record(p, "options")
	if err != nil {
		return out, err
	}
	for _, choice := range []struct {
		dst  *string
		p    *C.cp_in_char
		what string
	}{{(*string)(&out.Loss), r.loss, "loss"}, {(*string)(&out.Solver), r.solver, "solver"},
		{(*string)(&out.Precision), r.precision, "precision"}} {
		name, err := cabi.Name(unsafe.Pointer(choice.p), choice.what)
		if err != nil {
			return out, err
		}
		if name != "" {
			*choice.dst = name
		}
	}
	if out.Loss == "auto" {
		out.Loss, _ = fit.Suited(sp)
	}
	out.Alpha, out.Tol, out.Shift, out.MaxIter = float64(r.alpha), float64(r.tol), float64(r.shift), int(r.max_iter)
	return out, out.Check()
}

// ridgeCall is what all ridge calls have in common.
type ridgeCall struct {
	space   structure.Space
	opt     fit.Ridge
	n, d    C.int64_t
	targets fit.Targets
	mon     *parallel.Monitor
}

func newRidgeCall(s C.cp_space, options *C.cp_in_ridge_options, targets *C.cp_in_targets, workers C.int32_t,
	control *C.cp_control) (ridgeCall, error) {
	var c ridgeCall
	var err error
	if c.space, err = space(s); err != nil {
		return c, err
	}
	if c.opt, err = ridgeOptions(options, c.space); err != nil {
		return c, err
	}
	t, err := readExecution(workers, control)
	if err != nil {
		return c, err
	}
	c.opt.Workers, c.mon = t.workers, t.mon
	r, err := cabi.Record(targets, "targets")
	if err != nil {
		return c, err
	}
	c.n, c.d = r.n, r.d
	if c.targets, err = readTargets(r); err != nil {
		return c, err
	}
	return c, equal("targets.d", r.d, c.space.FeatureLen())
}

// readTargets reads outputs to learn.
func readTargets(r C.cp_targets) (fit.Targets, error) {
	var t fit.Targets
	var err error
	if r.n < 1 || r.n > maxRows {
		return t, cabi.Illegal("targets.n is %d, must be from 1 to %d", int64(r.n), maxRows)
	}
	rows := r.n
	if r.first != nil {
		if t.First, rows, err = starts(r.first, r.n, "targets.first"); err != nil {
			return t, err
		}
	}
	if t.Psi, err = matrix(r.psi, "targets.psi", rows, r.d); err != nil {
		return t, err
	}
	t.Weights, err = optionalFloat64s(r.weights, "targets.weights", r.n)
	return t, err
}

// fitInfo returns what writes how training ended.
func fitInfo(p *C.cp_fit_info) (func(solve.Info), error) {
	out, err := cabi.OutRecord(p, "info", true)
	return func(info solve.Info) {
		result := C.cp_fit_info{objective: C.double(info.Objective), residual: C.double(info.Residual),
			n_iter: C.int64_t(max(info.Iter, 1)), n_refine: C.int64_t(info.Refine)}
		precision := "double"
		if info.Single {
			precision = "single"
		}
		cabi.PutName(result.precision[:], precision)
		out.Set(result)
	}, err
}

//export go_cp_ridge_plan
func go_cp_ridge_plan(s C.cp_space, options *C.cp_in_ridge_options, n, p, nnz C.int64_t, plan *C.cp_ridge_plan_info,
	workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, e := space(s)
		if e != nil {
			return e
		}
		opt, e := ridgeOptions(options, sp)
		if e != nil {
			return e
		}
		if n < 1 || n > maxRows || p < 0 || p > maxRows || nnz < 0 {
			return cabi.Illegal("n, p, nnz are %d, %d, %d: n must be from 1 to %d, p from 0 to %d, nnz not negative", int64(n),
				int64(p), int64(nnz), maxRows, maxRows)
		}
		out, e := cabi.OutRecord(plan, "plan", false)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		made := new(fit.Plan)
		if e := parallel.Detached(t.mon, func() (err error) {
			*made, err = opt.Plan(sp, int(n), int(p), int64(nnz))
			return err
		}); e != nil {
			return e
		}
		result := C.cp_ridge_plan_info{distinct: C.int64_t(made.Distinct),
			work_single: C.int64_t(made.WorkSingle), work_double: C.int64_t(made.WorkDouble),
			work_loo_single: C.int64_t(made.WorkLOOSingle), work_loo_double: C.int64_t(made.WorkLOODouble),
			beside: C.int64_t(made.Beside), beside_loo: C.int64_t(made.BesideLOO)}
		cabi.PutName(result.solver[:], string(made.Solver))
		cabi.PutName(result.route[:], made.Route)
		cabi.PutName(result.route_loo[:], made.RouteLOO)
		cabi.PutName(result.precision[:], string(made.Precision))
		out.Set(result)
		return nil
	})
}

// maxRows bounds row and feature counts so that the bytes of a square matrix fit an int64.
const maxRows = 1 << 28

//export go_cp_ridge_kernel
func go_cp_ridge_kernel(s C.cp_space, options *C.cp_in_ridge_options, kernel *C.cp_in_f64, targets *C.cp_in_targets,
	workspace *C.cp_in_workspace, dual *C.double, info *C.cp_fit_info, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, targets, workers, control)
		if e != nil {
			return e
		}
		k, e := matrix(kernel, "kernel", c.n, c.n)
		if e != nil {
			return e
		}
		out, e := matrix(dual, "dual", c.n, c.d)
		if e != nil {
			return e
		}
		set, e := fitInfo(info)
		if e != nil {
			return e
		}
		need, e := c.opt.WorkBytes(c.space, int(c.n), c.opt.Precision)
		if e != nil {
			return e
		}
		work32, work64, e := scratch(workspace, need, c.opt.Precision)
		if e != nil {
			return e
		}
		result, e := c.opt.Kernel(c.space, k, c.targets, work32, work64, out, c.mon)
		set(result)
		return e
	})
}

// scratch returns the caller's work memory as slices of either precision, after checking that it has the bytes needed.
func scratch(p *C.cp_in_workspace, need int64, precision fit.Precision) ([]float32, []float64, error) {
	var r C.cp_workspace
	var err error
	if p != nil {
		if r, err = cabi.Record(p, "workspace"); err != nil {
			return nil, nil, err
		}
	}
	if int64(r.bytes) < need {
		return nil, nil, cabi.Illegal("workspace.bytes is %d, precision %q needs %d", int64(r.bytes), precision, need)
	}
	if need == 0 {
		return nil, nil, nil
	}
	work64, err := cabi.View[float64](r.data, "workspace.data", r.bytes/8)
	if err != nil {
		return nil, nil, err
	}
	work32, err := cabi.View[float32](r.data, "workspace.data", r.bytes/4)
	return work32, work64, err
}

//export go_cp_ridge_loo
func go_cp_ridge_loo(s C.cp_space, options *C.cp_in_ridge_options, kernel *C.cp_in_f64, targets *C.cp_in_targets,
	loo *C.cp_in_loo, workspace *C.cp_in_workspace, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, targets, workers, control)
		if e != nil {
			return e
		}
		k, e := matrix(kernel, "kernel", c.n, c.n)
		if e != nil {
			return e
		}
		r, e := cabi.Record(loo, "loo")
		if e != nil {
			return e
		}
		if e := cabi.Equal("loo.n", r.n, "targets", int(c.n)); e != nil {
			return e
		}
		if e := cabi.Equal("loo.d", r.d, "targets", int(c.d)); e != nil {
			return e
		}
		if r.n_alphas < 1 || r.n_alphas > maxRows {
			return cabi.Illegal("n_alphas is %d, must be from 1 to %d", int64(r.n_alphas), maxRows)
		}
		alphas, e := float64s(r.alphas, "loo.alphas", r.n_alphas)
		if e != nil {
			return e
		}
		all, e := cabi.View[float64](unsafe.Pointer(r.scores), "loo.scores", r.n_alphas, c.n, c.d)
		if e != nil {
			return e
		}
		need, e := c.opt.LeaveOneOutBytes(c.space, int(c.n), c.opt.Precision)
		if e != nil {
			return e
		}
		work32, work64, e := scratch(workspace, need, c.opt.Precision)
		if e != nil {
			return e
		}
		scores := make([]linalg.Matrix[float64], len(alphas))
		for i := range scores {
			size := int(c.n * c.d)
			scores[i] = linalg.Matrix[float64]{Rows: int(c.n), Cols: int(c.d), Stride: int(c.d), Data: all[i*size : (i+1)*size]}
		}
		return c.opt.LeaveOneOut(c.space, k, c.targets, alphas, work32, work64, scores, c.mon)
	})
}
