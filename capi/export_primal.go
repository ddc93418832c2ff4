package main

// #include "combpred.h"
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
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

//export go_cp_ridge_primal_sizes
func go_cp_ridge_primal_sizes(s C.cp_space, options *C.cp_in_ridge_options, p C.int64_t, sizes *C.cp_primal_sizes,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		task, e := primalOfFeatures(s, options, p, true)
		if e != nil {
			return e
		}
		out, e := cabi.OutRecord(sizes, "sizes", false)
		if e != nil {
			return e
		}
		q := p
		if task.Intercept {
			q++
		}
		out.Set(C.cp_primal_sizes{state: C.int64_t(task.StateLen(int(p))), sums: C.int64_t(primal.SumsLen(int(p), len(task.Mean))),
			direction: C.int64_t(task.DirectionLen(int(p))), q: q, d: C.int64_t(len(task.Mean))})
		return nil
	})
}

func primalOfFeatures(s C.cp_space, options *C.cp_in_ridge_options, p C.int64_t, light bool) (*primal.Task, error) {
	sp, err := space(s)
	if err != nil {
		return nil, err
	}
	if p < 0 || p > maxRows {
		return nil, cabi.Illegal("p is %d, must be from 0 to %d", int64(p), maxRows)
	}
	return primalTask(sp, options, light)
}

//export go_cp_ridge_primal
func go_cp_ridge_primal(s C.cp_space, options *C.cp_in_ridge_options, p C.int64_t, state *C.double, stateLen C.int64_t,
	step *C.cp_primal_step, info *C.cp_fit_info, workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		run, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		task, e := primalOfFeatures(s, options, p, false)
		if e != nil {
			return e
		}
		if e := cabi.Equal("state_len", stateLen, "the problem", task.StateLen(int(p))); e != nil {
			return e
		}
		data, e := float64s(state, "state", stateLen)
		if e != nil {
			return e
		}
		out, e := cabi.OutRecord(step, "step", false)
		if e != nil {
			return e
		}
		set, e := fitInfo(info)
		if e != nil {
			return e
		}
		return nextRequest(task, int(p), data, run.mon, out, set)
	})
}

// nextRequest begins, where the state is that of nothing yet, or goes on.
func nextRequest(task *primal.Task, p int, state []float64, mon *parallel.Monitor, out cabi.Out[C.cp_primal_step],
	set func(solve.Info)) error {
	resume := func() (*primal.Machine, error) { return task.Resume(state) }
	if state[0] == 0 {
		resume = func() (*primal.Machine, error) { return task.Start(state, p) }
	}
	machine, err := resume()
	if err != nil {
		return err
	}
	request, err := machine.Next(mon)
	if request == 0 {
		return err
	}
	reply, direction, weights := machine.Places()
	result := C.cp_primal_step{reply: C.int64_t(reply), direction: C.int64_t(direction), coef: C.int64_t(weights)}
	cabi.PutName(result.request[:], catalogue.PrimalRequests.Of(int(request)))
	out.Set(result)
	set(machine.Info())
	return err
}
