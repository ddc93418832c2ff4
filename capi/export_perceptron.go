package main

/*
#include "combpred.h"
*/
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
)

// perceptronCall is what calls about perceptrons have in common.
type perceptronCall struct {
	p   *maxmargin.Problem
	opt maxmargin.PerceptronOptions
}

func newPerceptronCall(options *C.cp_in_perceptron_options, design *C.cp_in_design, targets *C.cp_in_targets,
	loss *C.cp_in_affine_loss) (perceptronCall, error) {
	var c perceptronCall
	r, err := cabi.Record(options, "options")
	if err != nil {
		return c, err
	}
	if c.opt.Shuffle, err = flag(r.shuffle, "shuffle"); err != nil {
		return c, err
	}
	if err := checkCandidates(r.n_candidates); err != nil {
		return c, err
	}
	if c.p, err = marginRows(design, targets, r.order, 1, false); err != nil {
		return c, err
	}
	if r.start != nil {
		if c.opt.Start, err = matrix(r.start, "start", C.int64_t(c.p.X.Columns()), C.int64_t(c.p.Psi.Cols)); err != nil {
			return c, err
		}
	}
	c.opt.MaxIter, c.opt.Seed, c.opt.Sampled = int(r.max_iter), uint64(r.seed), r.n_candidates > 0
	c.opt.Squared, c.opt.Least, c.opt.Visits = float64(r.squared), float64(r.least), int(r.visits)
	if r.squared != 0 {
		return c, marginLoss(c.p, loss)
	}
	if loss != nil {
		return c, cabi.Illegal("loss must be NULL where squared is 0")
	}
	return c, nil
}

// open begins, where the state is that of nothing yet, or goes on.
func (c perceptronCall) open(data []float64) (*maxmargin.PerceptronTraining, error) {
	if len(data) > 0 && data[0] == 0 {
		return maxmargin.NewPerceptron(c.p, c.opt, data)
	}
	return maxmargin.ResumePerceptron(c.p, c.opt, data)
}

// perceptronWeights are where the weights of a perceptron go, in pairs; without rows they are not wanted.
type perceptronWeights struct{ last, late, dualLast, dualLate linalg.Matrix[float64] }

func readPerceptronSolution(p *C.cp_in_perceptron_solution, problem *maxmargin.Problem) (perceptronWeights, error) {
	var w perceptronWeights
	r, err := cabi.Record(p, "solution")
	if err != nil {
		return w, err
	}
	if int(r.n) != problem.X.Len() || int(r.q) != problem.X.Columns() || int(r.d) != problem.Psi.Cols {
		return w, cabi.Illegal("solution: n, q and d are %d, %d and %d, must be %d, %d and %d", int64(r.n), int64(r.q), int64(r.d),
			problem.X.Len(), problem.X.Columns(), problem.Psi.Cols)
	}
	if r.last != nil || r.late != nil {
		if w.last, err = matrix(r.last, "solution.last", r.q, r.d); err != nil {
			return w, err
		}
		if w.late, err = matrix(r.late, "solution.late", r.q, r.d); err != nil {
			return w, err
		}
	}
	if r.dual_last != nil || r.dual_late != nil {
		if w.dualLast, err = matrix(r.dual_last, "solution.dual_last", r.n, r.d); err != nil {
			return w, err
		}
		w.dualLate, err = matrix(r.dual_late, "solution.dual_late", r.n, r.d)
	}
	return w, err
}

// add adds what training has changed, and tells how it ended.
func (w perceptronWeights) add(m *maxmargin.PerceptronTraining) C.cp_perceptron_info {
	if w.dualLast.Rows > 0 {
		m.AddCoefficients(w.dualLast, w.dualLate)
	}
	if w.last.Rows > 0 {
		m.AddWeights(w.last, w.late)
	}
	found := m.Found()
	info := C.cp_perceptron_info{mistakes: C.int64_t(found.Mistakes), n_iter: C.int64_t(found.Iter), visits: C.int64_t(found.Visits),
		radius: C.double(found.Radius), bound: C.double(found.Bound)}
	if found.Separated {
		info.separated = 1
	}
	return info
}

//export go_cp_perceptron_fit
func go_cp_perceptron_fit(s C.cp_space, options *C.cp_in_perceptron_options, design *C.cp_in_design, targets *C.cp_in_targets,
	loss *C.cp_in_affine_loss, solution *C.cp_in_perceptron_solution, info *C.cp_perceptron_info, workers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newPerceptronCall(options, design, targets, loss)
		if e != nil {
			return e
		}
		if e := decodedBy(c.p, s, options.method, options.n_candidates, options.seed); e != nil {
			return e
		}
		w, e := readPerceptronSolution(solution, c.p)
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
		c.opt.Workers = t.workers
		m, e := maxmargin.TrainPerceptron(c.p, c.opt, t.mon)
		if e != nil {
			return e
		}
		out.Set(w.add(m))
		return nil
	})
}

//export go_cp_perceptron_state_len
func go_cp_perceptron_state_len(options *C.cp_in_perceptron_options, design *C.cp_in_design, targets *C.cp_in_targets,
	loss *C.cp_in_affine_loss, sizes *C.cp_margin_sizes, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newPerceptronCall(options, design, targets, loss)
		if e != nil {
			return e
		}
		return writeSizes(sizes, c.p, func() (int, error) { return c.opt.StateLen(c.p) })
	})
}

//export go_cp_perceptron_next
func go_cp_perceptron_next(options *C.cp_in_perceptron_options, design *C.cp_in_design, targets *C.cp_in_targets,
	loss *C.cp_in_affine_loss, state *C.double, stateLen C.int64_t, step *C.cp_margin_step, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newPerceptronCall(options, design, targets, loss)
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

//export go_cp_perceptron_result
func go_cp_perceptron_result(options *C.cp_in_perceptron_options, design *C.cp_in_design, targets *C.cp_in_targets,
	loss *C.cp_in_affine_loss, state *C.double, stateLen C.int64_t, solution *C.cp_in_perceptron_solution,
	info *C.cp_perceptron_info, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newPerceptronCall(options, design, targets, loss)
		if e != nil {
			return e
		}
		data, e := float64s(state, "state", stateLen)
		if e != nil {
			return e
		}
		w, e := readPerceptronSolution(solution, c.p)
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
		out.Set(w.add(m))
		return nil
	})
}
