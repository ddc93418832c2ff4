package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/core/linalg"
)

//export go_cp_ridge_kernel_loo
func go_cp_ridge_kernel_loo(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, kernel *C.cp_in_f64,
	n C.int64_t, psi *C.cp_in_f64, d C.int64_t, first *C.cp_in_i64, weights *C.cp_in_f64, work unsafe.Pointer,
	workBytes C.int64_t, scores *C.double, nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, optionsLen, psi, n, d, first, weights, nWorkers, control)
		if e != nil {
			return e
		}
		k, e := matrixIn(kernel, "kernel", n, n)
		if e != nil {
			return e
		}
		work32, work64, out, e := c.leaveOneOut(n, d, work, workBytes, false, scores)
		if e != nil {
			return e
		}
		return c.opt.LeaveOneOut(c.space, k, c.targets, work32, work64, out, c.mon)
	})
}

//export go_cp_ridge_spectral_loo
func go_cp_ridge_spectral_loo(s *C.cp_in_structure, options *C.cp_in_char, optionsLen C.int64_t, eigenvalues,
	vectors *C.cp_in_f64, n C.int64_t, psi *C.cp_in_f64, d C.int64_t, first *C.cp_in_i64, weights *C.cp_in_f64,
	work unsafe.Pointer, workBytes C.int64_t, scores *C.double, nWorkers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRidgeCall(s, options, optionsLen, psi, n, d, first, weights, nWorkers, control)
		if e != nil {
			return e
		}
		values, v, e := eigen(eigenvalues, vectors, n)
		if e != nil {
			return e
		}
		work32, work64, out, e := c.leaveOneOut(n, d, work, workBytes, true, scores)
		if e != nil {
			return e
		}
		return c.opt.LeaveOneOutSpectral(c.space, values, v, c.targets, work32, work64, out, c.mon)
	})
}

// leaveOneOut returns the work space and the output of a leave-one-out call.
func (c ridgeCall) leaveOneOut(n, d C.int64_t, work unsafe.Pointer, workBytes C.int64_t, spectral bool,
	scores *C.double) ([]float32, []float64, linalg.Matrix[float64], error) {
	out, err := matrixOut(scores, "scores", n, d)
	if err != nil {
		return nil, nil, out, err
	}
	need, err := c.opt.LeaveOneOutBytes(c.space, int(n), c.opt.Precision, spectral)
	if err != nil {
		return nil, nil, out, err
	}
	work32, work64, err := scratch(work, workBytes, need, c.opt.Precision)
	return work32, work64, out, err
}
