package main

// #include "combpred.h"
import "C"

import (
	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/chain"
	"combpred/core/loglinear"
	"combpred/core/loglinear/flat"
	"combpred/core/loglinear/train"
)

// stepState is the state by which a caller answers requests.
type stepState []float64

func readState(p *C.double, stateLen C.int64_t, length int) (stepState, error) {
	if err := cabi.Equal("step.state_len", stateLen, "the problem", length); err != nil {
		return nil, err
	}
	state, err := float64s(p, "step.state", stateLen)
	return state, err
}

// place returns where a part of the state begins, −1 for none.
func (s stepState) place(part []float64) C.int64_t {
	if len(part) == 0 {
		return -1
	}
	return C.int64_t(flat.Place(s, part))
}

//export go_cp_loglinear_array_sizes
func go_cp_loglinear_array_sizes(s C.cp_space, options *C.cp_in_loglinear_options, n, q C.int64_t, sizes *C.cp_loglinear_sizes,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		c, e := newLoglinearCall(s, options)
		if e != nil {
			return e
		}
		if e := c.withQ(q); e != nil {
			return e
		}
		if n < 0 || n > maxRows {
			return cabi.Illegal("n is %d, must be from 0 to %d", int64(n), maxRows)
		}
		out, e := cabi.OutRecord(sizes, "sizes", false)
		if e != nil {
			return e
		}
		c.opt.Proposed = c.distribution == int(chain.Meta) && c.opt.Solver != train.LBFGS
		rows, e := c.opt.StateLen(c.space, int(n))
		if e != nil {
			return e
		}
		search := c.opt.Search(c.space)
		length, e := search.StateLen()
		if e != nil {
			return e
		}
		out.Set(C.cp_loglinear_sizes{rows: C.int64_t(rows), search: C.int64_t(length),
			moments: C.int64_t(search.SumsLen(loglinear.Moments)), loss: C.int64_t(search.SumsLen(loglinear.Loss)),
			spread: C.int64_t(search.SumsLen(loglinear.Spread)),
			moment: C.int64_t(c.opt.MomentLen(c.space))})
		return nil
	})
}

//export go_cp_loglinear_rows
func go_cp_loglinear_rows(s C.cp_space, options *C.cp_in_loglinear_options, design *C.cp_in_design, targets *C.cp_in_targets,
	model *C.cp_loglinear_model, step *C.cp_loglinear_rows_step, info *C.cp_loglinear_info, workers C.int32_t,
	control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRowsCall(s, options, design, targets, workers, control)
		if e != nil {
			return e
		}
		m, _, keep, e := loglinearModel(model, c)
		if e != nil {
			return e
		}
		set, e := loglinearInfo(info)
		if e != nil {
			return e
		}
		c.opt.Proposed = c.distribution == int(chain.Meta)
		length, e := c.opt.StateLen(c.space, c.problem.Len())
		if e != nil {
			return e
		}
		in, e := cabi.Record(step, "step")
		if e != nil {
			return e
		}
		declined, e := flag(in.declined, "step.declined")
		if e != nil {
			return e
		}
		state, e := readState(in.state, in.state_len, length)
		if e != nil {
			return e
		}
		if state[0] == 0 {
			if e := c.problem.Check(); e != nil {
				return e
			}
		}
		t, e := train.Open(c.opt, c.space, c.problem, state, m)
		if e != nil {
			return e
		}
		if declined {
			if e := t.Decline(); e != nil {
				return e
			}
		}
		r, e := t.Next(c.mon)
		if e != nil {
			return e
		}
		set(t.Report())
		first := C.int64_t(r.First)
		if r.Numbers != nil {
			first = -1
		}
		in.declined, in.k, in.draws, in.first = 0, C.int64_t(r.Scores.Rows), C.int64_t(r.Draws), first
		in.numbers, in.scores, in.means = state.place(r.Numbers), state.place(r.Scores.Data), state.place(r.Means.Data)
		in.log_z, in.psi = state.place(r.LogZ), state.place(r.Psi.Data)
		cabi.PutName(in.request[:], catalogue.LoglinearRequests.Of(int(r.Ask)))
		*step = in
		if r.Ask != loglinear.Nothing {
			return nil
		}
		keep()
		return t.Report().Err(c.opt)
	})
}

//export go_cp_loglinear_search
func go_cp_loglinear_search(s C.cp_space, options *C.cp_in_loglinear_options, model *C.cp_loglinear_model,
	step *C.cp_loglinear_search_step, info *C.cp_loglinear_info, workers C.int32_t, control *C.cp_control, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		c, e := newLoglinearCall(s, options)
		if e != nil {
			return e
		}
		if c.execution, e = readExecution(workers, control); e != nil {
			return e
		}
		r, e := cabi.Record(model, "model")
		if e != nil {
			return e
		}
		if e := c.withQ(r.q); e != nil {
			return e
		}
		m, _, keep, e := loglinearModel(model, c)
		if e != nil {
			return e
		}
		set, e := loglinearInfo(info)
		if e != nil {
			return e
		}
		if c.opt.Solver != train.LBFGS {
			return cabi.Illegal("solver must be \"lbfgs\" for a search by sums")
		}
		length, e := c.opt.Search(c.space).StateLen()
		if e != nil {
			return e
		}
		in, e := cabi.Record(step, "step")
		if e != nil {
			return e
		}
		state, e := readState(in.state, in.state_len, length)
		if e != nil {
			return e
		}
		machine, e := train.OpenSearch(c.opt, c.space, state, m)
		if e != nil {
			return e
		}
		request, e := machine.Next(c.mon)
		if e != nil {
			return e
		}
		report := train.SearchReport(machine.Found(), c.opt.Tol)
		set(report)
		in.weights, in.reply = state.place(request.Weights.Data), state.place(request.Sums)
		name := catalogue.LoglinearRequests.Of(int(loglinear.Nothing))
		if request.Kind != loglinear.Finished {
			name = catalogue.LoglinearSums.Of(int(request.Kind))
		}
		cabi.PutName(in.request[:], name)
		*step = in
		if request.Kind != loglinear.Finished {
			return nil
		}
		m.Weights.CopyFrom(request.Weights)
		m.Average.CopyFrom(request.Weights)
		keep()
		return report.Err(c.opt)
	})
}

//export go_cp_loglinear_kernel
func go_cp_loglinear_kernel(kernel *C.double, n C.int64_t, weights *C.cp_in_f64, shift C.double, curvature *C.double, q *C.int64_t,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		if n < 1 || n > maxRows {
			return cabi.Illegal("n is %d, must be from 1 to %d", int64(n), maxRows)
		}
		run, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		k, e := matrix(kernel, "kernel", n, n)
		if e != nil {
			return e
		}
		w, e := optionalFloat64s(weights, "weights", n)
		if e != nil {
			return e
		}
		values, e := float64s(curvature, "curvature", n)
		if e != nil {
			return e
		}
		many, e := cabi.One(q, "q")
		if e != nil {
			return e
		}
		f, e := loglinear.NewKernelFeatures(k, w, float64(shift), run.mon)
		if e != nil {
			return e
		}
		*many = C.int64_t(copy(values, f.Curvature))
		return nil
	})
}

//export go_cp_loglinear_kernel_weights
func go_cp_loglinear_kernel_weights(features *C.cp_in_loglinear_features, wanted *C.cp_in_char, x *C.cp_in_f64, d C.int64_t,
	dst *C.double, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		r, e := cabi.Record(features, "features")
		if e != nil {
			return e
		}
		if r.n < 0 || r.n > maxRows || r.q < 0 || r.q > maxRows || d < 0 || d > maxRows {
			return cabi.Illegal("n, q and d are %d, %d and %d, must be from 0 to %d", int64(r.n), int64(r.q), int64(d), maxRows)
		}
		var f loglinear.KernelFeatures
		if f.Rows, e = matrix(r.rows, "features.rows", r.n, r.q); e != nil {
			return e
		}
		if f.Curvature, e = float64s(r.curvature, "features.curvature", r.q); e != nil {
			return e
		}
		if f.Weights, e = optionalFloat64s(r.weights, "features.weights", r.n); e != nil {
			return e
		}
		which, e := named[int](catalogue.KernelConversions, wanted, "wanted")
		if e != nil {
			return e
		}
		from, to := r.n, r.q
		if which == catalogue.ToDual {
			from, to = r.q, r.n
		}
		source, e := matrix(x, "x", from, d)
		if e != nil {
			return e
		}
		out, e := matrix(dst, "dst", to, d)
		if e != nil {
			return e
		}
		switch which {
		case catalogue.ToDual:
			f.DualTo(out, source)
		case catalogue.FromDual:
			f.OfDualTo(out, source)
		default:
			f.OfScoresTo(out, source)
		}
		return nil
	})
}
