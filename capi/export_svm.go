package main

/*
#include "combpred.h"
*/
import "C"

import (
	"math"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
)

// marginCall is what calls about support vector machines have in common.
type marginCall struct {
	p   *maxmargin.Problem
	opt maxmargin.SVMOptions
}

// newMarginCall reads the arguments; own says that outputs are the caller's.
func newMarginCall(options *C.cp_in_svm_options, design *C.cp_in_design, targets *C.cp_in_targets, loss *C.cp_in_affine_loss,
	own bool) (marginCall, error) {
	var c marginCall
	r, err := cabi.Record(options, "options")
	if err != nil {
		return c, err
	}
	if c.opt.Solver, err = named[maxmargin.Solver](catalogue.MarginSolvers, r.solver, "solver"); err != nil {
		return c, err
	}
	rescaling, err := named[int](catalogue.Rescalings, r.rescaling, "rescaling")
	if err != nil {
		return c, err
	}
	if !(r.c > 0) || math.IsInf(float64(r.c), 1) {
		return c, cabi.Illegal("c is %g, must be finite and above 0", float64(r.c))
	}
	if c.opt.Average, err = flag(r.average, "average"); err != nil {
		return c, err
	}
	zeroOne, err := flag(r.zero_one, "zero_one")
	if err != nil {
		return c, err
	}
	if err := checkCandidates(r.n_candidates); err != nil {
		return c, err
	}
	if r.n_candidates > 0 && (rescaling == 1 || zeroOne) {
		return c, cabi.Illegal("n_candidates is %d, must be 0 with slack rescaling and with a loss of 0 and 1", int64(r.n_candidates))
	}
	if own && zeroOne {
		return c, cabi.Illegal("zero_one must be 0 where outputs are the caller's own")
	}
	if r.most_rows < 0 || r.most_rows > maxRows {
		return c, cabi.Illegal("most_rows is %d, must be from 0 to %d", int64(r.most_rows), maxRows)
	}
	asked := own && loss == nil
	if c.p, err = marginRows(design, targets, r.order, float64(r.c), asked); err != nil {
		return c, err
	}
	c.opt.Tol, c.opt.MaxIter, c.opt.Seed, c.opt.BlockRows = float64(r.tol), int(r.max_iter), uint64(r.seed), int(r.most_rows)
	c.p.Slack, c.p.Asked, c.p.Loss.ZeroOne = rescaling == 1, asked, zeroOne
	switch {
	case zeroOne && loss != nil:
		return c, cabi.Illegal("loss must be NULL where zero_one is 1")
	case zeroOne || asked:
		return c, nil
	}
	return c, marginLoss(c.p, loss)
}

// open begins, where the state is that of nothing yet, or goes on.
func (c marginCall) open(data []float64) (*maxmargin.SVM, error) {
	if len(data) > 0 && data[0] == 0 {
		return maxmargin.NewSVM(c.p, c.opt, data)
	}
	return maxmargin.ResumeSVM(c.p, c.opt, data)
}

// readSolution views where a solution goes.
func readSolution(p *C.cp_in_svm_solution, problem *maxmargin.Problem) (coef, curve linalg.Matrix[float64], err error) {
	r, err := cabi.Record(p, "solution")
	if err != nil {
		return coef, curve, err
	}
	if int(r.q) != problem.X.Columns() || int(r.d) != problem.Psi.Cols {
		return coef, curve, cabi.Illegal("solution: q and d are %d and %d, must be %d and %d", int64(r.q), int64(r.d), problem.X.Columns(),
			problem.Psi.Cols)
	}
	if coef, err = matrix(r.coef, "solution.coef", r.q, r.d); err != nil {
		return coef, curve, err
	}
	curve, err = matrix(r.curve, "solution.curve", r.n_curve, 3)
	return coef, curve, err
}

func svmInfo(found maxmargin.Solution, nCurve int) C.cp_svm_info {
	info := C.cp_svm_info{objective: C.double(found.Objective), gap: C.double(found.Gap), n_iter: C.int64_t(found.Iter),
		n_calls: C.int64_t(found.Calls), n_curve: C.int64_t(nCurve)}
	if found.Exact {
		info.exact = 1
	}
	return info
}

//export go_cp_svm_fit
func go_cp_svm_fit(s C.cp_space, options *C.cp_in_svm_options, design *C.cp_in_design, targets *C.cp_in_targets,
	loss *C.cp_in_affine_loss, solution *C.cp_in_svm_solution, info *C.cp_svm_info, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newMarginCall(options, design, targets, loss, false)
		if e != nil {
			return e
		}
		if e := decodedBy(c.p, s, options.method, options.n_candidates, options.seed); e != nil {
			return e
		}
		coef, curve, e := readSolution(solution, c.p)
		if e != nil {
			return e
		}
		out, e := cabi.OutRecord(info, "info", true)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		if e := c.p.SetMembers(); e != nil {
			return e
		}
		c.opt.Workers = t.workers
		found, looks, e := maxmargin.TrainSVM(c.p, c.opt, t.mon)
		if e != nil {
			return e
		}
		coef.CopyFrom(found.Weights)
		curve.Zero()
		for k, l := range looks {
			if curve.Rows > 0 {
				copy(curve.Row(min(k, curve.Rows-1)), []float64{float64(l.Iter), l.Objective, l.Bound})
			}
		}
		out.Set(svmInfo(found, min(len(looks), curve.Rows)))
		return c.opt.Check(found)
	})
}

//export go_cp_svm_state_len
func go_cp_svm_state_len(options *C.cp_in_svm_options, design *C.cp_in_design, targets *C.cp_in_targets, loss *C.cp_in_affine_loss,
	sizes *C.cp_margin_sizes, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newMarginCall(options, design, targets, loss, true)
		if e != nil {
			return e
		}
		return writeSizes(sizes, c.p, func() (int, error) { return c.opt.StateLen(c.p) })
	})
}

//export go_cp_svm_next
func go_cp_svm_next(options *C.cp_in_svm_options, design *C.cp_in_design, targets *C.cp_in_targets, loss *C.cp_in_affine_loss,
	state *C.double, stateLen C.int64_t, step *C.cp_margin_step, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newMarginCall(options, design, targets, loss, true)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		c.opt.Workers = t.workers
		return nextStep(state, stateLen, step, t.mon, func(data []float64) (maxmargin.Machine, error) { return c.open(data) })
	})
}

//export go_cp_svm_result
func go_cp_svm_result(options *C.cp_in_svm_options, design *C.cp_in_design, targets *C.cp_in_targets, loss *C.cp_in_affine_loss,
	state *C.double, stateLen C.int64_t, solution *C.cp_in_svm_solution, info *C.cp_svm_info, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newMarginCall(options, design, targets, loss, true)
		if e != nil {
			return e
		}
		data, e := float64s(state, "state", stateLen)
		if e != nil {
			return e
		}
		coef, _, e := readSolution(solution, c.p)
		if e != nil {
			return e
		}
		out, e := cabi.OutRecord(info, "info", true)
		if e != nil {
			return e
		}
		m, e := c.open(data)
		if e != nil {
			return e
		}
		found := m.Found()
		coef.CopyFrom(found.Weights)
		out.Set(svmInfo(found, 0))
		if !m.Done() {
			return nil
		}
		return c.opt.Check(found)
	})
}
