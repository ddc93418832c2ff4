package main

/*
#include "combpred.h"
*/
import "C"

import (
	"bytes"
	"encoding/json"
	"unsafe"

	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

// ridgeOptions reads the options of a ridge call, with the defaults that the header gives.
func ridgeOptions(raw []byte) (fit.Ridge, error) {
	def := fit.DefaultRidge()
	in := struct {
		Loss      *string  `json:"loss"`
		Alpha     *float64 `json:"alpha"`
		Tol       *float64 `json:"tol"`
		MaxIter   *int     `json:"max_iter"`
		Shift     *float64 `json:"shift"`
		Solver    *string  `json:"solver"`
		Precision *string  `json:"precision"`
	}{&def.Loss, &def.Alpha, &def.Tol, &def.MaxIter, &def.Shift, &def.Solver, &def.Precision}
	if len(raw) > 0 {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&in); err != nil {
			return def, illegal("options: %v", err)
		}
		if dec.More() {
			return def, illegal("options: text follows the JSON object")
		}
	}
	return def, def.Check()
}

// ridgeCall is what all ridge calls have in common.
type ridgeCall struct {
	space   structure.Space
	opt     fit.Ridge
	targets fit.Targets
	mon     *parallel.Monitor
}

func newRidgeCall(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, psi *C.cp_in_f64, n, d C.int64_t,
	first *C.cp_in_i64, weights *C.cp_in_f64, nWorkers C.int32_t, control *C.cp_control) (ridgeCall, error) {
	var c ridgeCall
	var err error
	if c.space, err = space(s); err != nil {
		return c, err
	}
	raw, err := text(options, "options", optionsLen)
	if err != nil {
		return c, err
	}
	if c.opt, err = ridgeOptions(raw); err != nil {
		return c, err
	}
	if c.opt.Workers, err = workers(nWorkers); err != nil {
		return c, err
	}
	if n < 1 || n > maxRows {
		return c, illegal("n is %d, must be from 1 to %d", int64(n), maxRows)
	}
	if err := equal("d", d, c.space.FeatureLen()); err != nil {
		return c, err
	}
	rows := n
	if first != nil {
		starts, err := int64s(first, "first", n+1)
		if err != nil {
			return c, err
		}
		if rows = C.int64_t(starts[n]); rows > maxRows {
			return c, illegal("first ends at %d outputs, must be at most %d", int64(rows), maxRows)
		}
		c.targets.First = make([]int, n+1)
		for i, at := range starts {
			c.targets.First[i] = int(at)
		}
	}
	if c.targets.Psi, err = matrixIn(psi, "psi", rows, d); err != nil {
		return c, err
	}
	if weights != nil {
		if c.targets.Weights, err = float64s(weights, "weights", n); err != nil {
			return c, err
		}
	}
	c.mon = monitor(control)
	return c, nil
}

func matrixIn(p *C.cp_in_f64, name string, rows, cols C.int64_t) (linalg.Matrix[float64], error) {
	data, err := float64s(p, name, rows, cols)
	return linalg.Matrix[float64]{Rows: int(rows), Cols: int(cols), Stride: max(int(cols), 1), Data: data}, err
}

func matrixOut(p *C.double, name string, rows, cols C.int64_t) (linalg.Matrix[float64], error) {
	data, err := outFloat64s(p, name, rows, cols)
	return linalg.Matrix[float64]{Rows: int(rows), Cols: int(cols), Stride: max(int(cols), 1), Data: data}, err
}

func setInfo(dst *C.cp_fit_info, info solve.Info) {
	if dst != nil {
		*dst = C.cp_fit_info{objective: C.double(info.Objective), residual: C.double(info.Residual),
			n_iter: C.int64_t(max(info.Iter, 1)), n_refine: C.int64_t(info.Refine)}
	}
}

//export go_cp_kernel_check
func go_cp_kernel_check(kernel *C.cp_in_f64, n C.int64_t, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if n < 1 || n > maxRows {
			return illegal("n is %d, must be from 1 to %d", int64(n), maxRows)
		}
		k, e := matrixIn(kernel, "kernel", n, n)
		if e != nil {
			return e
		}
		w, e := workers(nWorkers)
		if e != nil {
			return e
		}
		return fit.CheckKernel(k, w, monitor(control))
	})
}

//export go_cp_ridge_plan
func go_cp_ridge_plan(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, n, p, nnz C.int64_t, plan *C.char,
	planCap C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, e := space(s)
		if e != nil {
			return e
		}
		raw, e := text(options, "options", optionsLen)
		if e != nil {
			return e
		}
		opt, e := ridgeOptions(raw)
		if e != nil {
			return e
		}
		if n < 1 || n > maxRows || p < 0 || p > maxRows || nnz < 0 {
			return illegal("n, p, nnz are %d, %d, %d: n must be from 1 to %d, p from 0 to %d, nnz not negative", int64(n),
				int64(p), int64(nnz), maxRows, maxRows)
		}
		out, e := opt.Plan(sp, int(n), int(p), int64(nnz))
		if e != nil {
			return e
		}
		bytes, e := json.Marshal(out)
		if e != nil {
			return e
		}
		dst, e := outChars(plan, "plan", planCap)
		if e != nil {
			return e
		}
		if len(dst) < len(bytes)+1 {
			return illegal("plan_cap is %d, the plan needs %d", len(dst), len(bytes)+1)
		}
		dst[copy(dst, bytes)] = 0
		return nil
	})
}

// maxRows bounds row and feature counts so that the bytes of a square matrix fit an int64.
const maxRows = 1 << 28

//export go_cp_ridge_kernel
func go_cp_ridge_kernel(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, kernel *C.cp_in_f64,
	n C.int64_t, psi *C.cp_in_f64, d C.int64_t, first *C.cp_in_i64, weights *C.cp_in_f64, work unsafe.Pointer,
	workBytes C.int64_t, dual *C.double, info *C.cp_fit_info, nWorkers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, optionsLen, psi, n, d, first, weights, nWorkers, control)
		if e != nil {
			return e
		}
		k, e := matrixIn(kernel, "kernel", n, n)
		if e != nil {
			return e
		}
		out, e := matrixOut(dual, "dual", n, d)
		if e != nil {
			return e
		}
		need, e := c.opt.WorkBytes(c.space, int(n), c.opt.Precision)
		if e != nil {
			return e
		}
		work32, work64, e := scratch(work, workBytes, need, c.opt.Precision)
		if e != nil {
			return e
		}
		result, e := c.opt.Kernel(c.space, k, c.targets, work32, work64, out, c.mon)
		setInfo(info, result)
		return e
	})
}

// scratch returns the caller's work memory as slices of either precision, after checking that it has the bytes needed.
func scratch(p unsafe.Pointer, bytes C.int64_t, need int64, precision string) ([]float32, []float64, error) {
	if int64(bytes) < need {
		return nil, nil, illegal("work has %d bytes, precision %q needs %d", int64(bytes), precision, need)
	}
	if need == 0 {
		return nil, nil, nil
	}
	work64, err := view[float64](p, "work", []C.int64_t{bytes / 8})
	if err != nil {
		return nil, nil, err
	}
	work32, err := view[float32](p, "work", []C.int64_t{bytes / 4})
	return work32, work64, err
}

//export go_cp_ridge_spectral
func go_cp_ridge_spectral(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, eigenvalues,
	vectors *C.cp_in_f64, n C.int64_t, psi *C.cp_in_f64, d C.int64_t, first *C.cp_in_i64, weights *C.cp_in_f64,
	dual *C.double, info *C.cp_fit_info, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, optionsLen, psi, n, d, first, weights, nWorkers, control)
		if e != nil {
			return e
		}
		values, v, e := eigen(eigenvalues, vectors, n)
		if e != nil {
			return e
		}
		out, e := matrixOut(dual, "dual", n, d)
		if e != nil {
			return e
		}
		result, e := c.opt.Spectral(c.space, values, v, c.targets, out, c.mon)
		setInfo(info, result)
		return e
	})
}

func eigen(eigenvalues, vectors *C.cp_in_f64, n C.int64_t) ([]float64, linalg.Matrix[float64], error) {
	values, err := float64s(eigenvalues, "eigenvalues", n)
	if err != nil {
		return nil, linalg.Matrix[float64]{}, err
	}
	v, err := matrixIn(vectors, "vectors", n, n)
	return values, v, err
}

//export go_cp_covariance_solve
func go_cp_covariance_solve(s *C.cp_in_structure, shift C.double, curvature *C.cp_in_f64, v *C.cp_in_f64, n, d C.int64_t,
	dst *C.double, nWorkers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		sp, _, e := spaceWithMoments(s, d)
		if e != nil {
			return e
		}
		c, e := float64s(curvature, "curvature", n)
		if e != nil {
			return e
		}
		in, e := matrixIn(v, "v", n, d)
		if e != nil {
			return e
		}
		out, e := matrixOut(dst, "dst", n, d)
		if e != nil {
			return e
		}
		if _, e = workers(nWorkers); e != nil {
			return e
		}
		return fit.CovarianceSolve(sp, float64(shift), c, in, out, monitor(control))
	})
}
