package main

// #include "combpred.h"
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/linalg"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// primalCall is what calls about rows have in common.
type primalCall struct {
	task *primal.Task
	rows *primal.Rows
	p, d int
	q    int
	execution
}

// newPrimalCall reads the arguments; light tasks do for passes over rows.
func newPrimalCall(s C.cp_space, options *C.cp_in_ridge_options, features *C.cp_in_features, outputs *C.cp_in_outputs,
	workers C.int32_t, control *C.cp_control, light bool) (primalCall, error) {
	var c primalCall
	sp, err := space(s)
	if err != nil {
		return c, err
	}
	if c.execution, err = readExecution(workers, control); err != nil {
		return c, err
	}
	if c.rows, err = readRows(sp, features, outputs); err != nil {
		return c, err
	}
	if c.task, err = primalTask(sp, options, light); err != nil {
		return c, err
	}
	if err := c.rows.Check(c.task); err != nil {
		return c, err
	}
	_, c.p = c.rows.X.Size()
	c.d, c.q = len(c.task.Mean), c.p
	if c.task.Intercept {
		c.q++
	}
	return c, nil
}

// readRows reads features and outputs, whose pages are given back where they lie in mapped files.
func readRows(sp structure.Space, features *C.cp_in_features, outputs *C.cp_in_outputs) (*primal.Rows, error) {
	x, xPages, err := readFeatures(features)
	if err != nil {
		return nil, err
	}
	rows := &primal.Rows{X: x}
	psiPages, err := readOutputs(rows, sp, outputs)
	if err != nil {
		return nil, err
	}
	if xPages.start != 0 || psiPages.start != 0 {
		rows.Release = func(lo, hi int) {
			xPages.giveBack(lo, hi)
			if rows.First != nil {
				lo, hi = rows.First[lo], rows.First[hi]
			}
			psiPages.giveBack(lo, hi)
		}
	}
	return rows, nil
}

func primalTask(sp structure.Space, options *C.cp_in_ridge_options, light bool) (*primal.Task, error) {
	opt, err := ridgeOptions(options, sp)
	if err != nil {
		return nil, err
	}
	if light {
		return opt.PrimalRows(sp)
	}
	return opt.Primal(sp)
}

func (c primalCall) product(p *C.double, name string) (linalg.Matrix[float64], error) {
	return matrix(p, name, C.int64_t(c.q), C.int64_t(c.d))
}

//export go_cp_ridge_features
func go_cp_ridge_features(s C.cp_space, options *C.cp_in_ridge_options, features *C.cp_in_features,
	outputs *C.cp_in_outputs, budget C.int64_t, coef *C.double, info *C.cp_fit_info, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newPrimalCall(s, options, features, outputs, workers, control, false)
		if e != nil {
			return e
		}
		if budget < 0 {
			return cabi.Illegal("budget is %d, must not be negative", int64(budget))
		}
		w, e := c.product(coef, "coef")
		if e != nil {
			return e
		}
		set, e := fitInfo(info)
		if e != nil {
			return e
		}
		c.rows.Cache(int64(budget))
		result, e := c.task.Solve(w, c.rows, c.workers, c.mon)
		set(result)
		return e
	})
}

//export go_cp_ridge_sums
func go_cp_ridge_sums(s C.cp_space, options *C.cp_in_ridge_options, features *C.cp_in_features,
	outputs *C.cp_in_outputs, sums *C.double, workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newPrimalCall(s, options, features, outputs, workers, control, true)
		if e != nil {
			return e
		}
		data, e := float64s(sums, "sums", C.int64_t(primal.SumsLen(c.p, c.d)))
		if e != nil {
			return e
		}
		return c.task.AddSums(primal.NewSums(data, c.p, c.d), c.rows, c.workers, c.mon)
	})
}

//export go_cp_ridge_product
func go_cp_ridge_product(s C.cp_space, options *C.cp_in_ridge_options, features *C.cp_in_features,
	outputs *C.cp_in_outputs, direction *C.cp_in_f64, product *C.double, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newPrimalCall(s, options, features, outputs, workers, control, true)
		if e != nil {
			return e
		}
		data, e := float64s(direction, "direction", C.int64_t(c.task.DirectionLen(c.p)))
		if e != nil {
			return e
		}
		out, e := c.product(product, "product")
		if e != nil {
			return e
		}
		return c.task.AddProduct(out, c.task.NewDirection(data, c.p), c.rows, c.workers, c.mon)
	})
}

//export go_cp_ridge_primal_start
func go_cp_ridge_primal_start(s C.cp_space, options *C.cp_in_ridge_options, p C.int64_t, coef *C.double, d C.int64_t,
	info *C.cp_fit_info, to *C.cp_session, workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		run, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		sp, e := space(s)
		if e != nil {
			return e
		}
		if e := checkCount(p, "p"); e != nil {
			return e
		}
		task, e := primalTask(sp, options, false)
		if e != nil {
			return e
		}
		if e := equal("d", d, len(task.Mean)); e != nil {
			return e
		}
		c := primalCall{task: task, p: int(p), d: int(d), q: int(p)}
		if task.Intercept {
			c.q++
		}
		w, e := c.product(coef, "coef")
		if e != nil {
			return e
		}
		set, e := fitInfo(info)
		if e != nil {
			return e
		}
		return openSession(to, run.mon, func(s *session) error {
			result, e := task.SolveOver(w, int(p), rowsElsewhere{s}, run.mon)
			set(result)
			return e
		})
	})
}

// rowsElsewhere are rows that only the caller of a session can read.
type rowsElsewhere struct{ *session }

func (r rowsElsewhere) AddSums(to primal.Sums) error {
	r.request.sums = (*C.double)(lend(r.session, to.Data))
	return r.ask(C.CP_ASK_SUMS)
}

func (r rowsElsewhere) AddProduct(to linalg.Matrix[float64], v primal.Direction) error {
	r.request.linear = (*C.double)(lend(r.session, v.Data))
	r.request.results = (*C.double)(lend(r.session, to.Data))
	return r.ask(C.CP_ASK_PRODUCT)
}

func (r rowsElsewhere) Work(f func() error) error { return r.onCaller(f) }
