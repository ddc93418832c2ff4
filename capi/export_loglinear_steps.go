package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/loglinear"
	"combpred/core/loglinear/train"
)

// stepOf is the struct by which a caller answers requests.
type stepOf struct {
	at    *C.cp_loglinear_step
	state []float64
}

func readStep(p *C.cp_loglinear_step, length int) (stepOf, error) {
	r, err := cabi.Record(p, "step")
	if err != nil {
		return stepOf{}, err
	}
	if err := cabi.Equal("step: state_len", r.state_len, "the problem", length); err != nil {
		return stepOf{}, err
	}
	if _, err := flag(r.declined, "step: declined"); err != nil {
		return stepOf{}, err
	}
	state, err := float64s(r.state, "step: state", r.state_len)
	return stepOf{p, state}, err
}

// place returns where a part of the state begins, −1 for none.
func (s stepOf) place(part []float64) C.int64_t {
	if len(part) == 0 {
		return -1
	}
	return C.int64_t((uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&s.state[0]))) / unsafe.Sizeof(part[0]))
}

// set writes a request.
func (s stepOf) set(request string, r C.cp_loglinear_step) {
	cabi.PutName(r.request[:], request)
	r.state, r.state_len = s.at.state, s.at.state_len
	out, err := cabi.OutRecord(s.at, "step", false)
	if err != nil {
		panic(err)
	}
	out.Set(r)
}

//export go_cp_loglinear_rows
func go_cp_loglinear_rows(s *C.cp_in_structure, options *C.cp_in_loglinear_options, design *C.cp_in_design, targets *C.cp_in_targets,
	model *C.cp_loglinear_model, step *C.cp_loglinear_step, info *C.cp_loglinear_info, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		c, e := newRowsCall(s, options, design, targets, ofCaller, workers, control)
		if e != nil {
			return e
		}
		if c.distribution != ofCaller {
			return cabi.Illegal("distribution must be \"caller\": cp_loglinear_fit is for those that the library knows")
		}
		m, _, keep, e := loglinearModel(model, c)
		if e != nil {
			return e
		}
		set, e := loglinearInfo(info)
		if e != nil {
			return e
		}
		length, e := c.opt.StateLen(c.space, c.problem.Len())
		if e != nil {
			return e
		}
		out, e := readStep(step, length)
		if e != nil {
			return e
		}
		if out.state[0] == 0 {
			if e := c.problem.Check(); e != nil {
				return e
			}
		}
		t, e := train.Open(c.opt, c.space, c.problem, out.state, m)
		if e != nil {
			return e
		}
		if step.declined != 0 {
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
		out.set(catalogue.LoglinearRequests.Of(int(r.Ask)), C.cp_loglinear_step{k: C.int64_t(r.Scores.Rows), draws: C.int64_t(r.Draws),
			first: first, numbers: out.place(r.Numbers), scores: out.place(r.Scores.Data), means: out.place(r.Means.Data),
			log_z: out.place(r.LogZ), psi: out.place(r.Psi.Data), weights: -1, reply: -1})
		if r.Ask != loglinear.Nothing {
			return nil
		}
		keep()
		return t.Report().Err(c.opt)
	})
}

//export go_cp_loglinear_search
func go_cp_loglinear_search(s *C.cp_in_structure, options *C.cp_in_loglinear_options, model *C.cp_loglinear_model,
	step *C.cp_loglinear_step, info *C.cp_loglinear_info, workers C.int32_t, control *C.cp_control, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		c, e := newLoglinearCall(s, options, exact)
		if e != nil {
			return e
		}
		if c.tail, e = readTail(workers, control); e != nil {
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
		out, e := readStep(step, length)
		if e != nil {
			return e
		}
		machine, e := train.OpenSearch(c.opt, c.space, out.state, m)
		if e != nil {
			return e
		}
		request, e := machine.Next(c.mon)
		if e != nil {
			return e
		}
		report := train.SearchReport(machine.Found(), c.opt.Tol)
		set(report)
		none := C.int64_t(-1)
		reply := C.cp_loglinear_step{first: none, numbers: none, scores: none, means: none, log_z: none, psi: none,
			weights: out.place(request.Weights.Data), reply: out.place(request.Sums)}
		if request.Kind != loglinear.Finished {
			out.set(catalogue.LoglinearSums.Of(int(request.Kind)), reply)
			return nil
		}
		out.set(catalogue.LoglinearRequests.Of(int(loglinear.Nothing)), reply)
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
		run, e := readTail(workers, control)
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
		if f.Rows, e = matrix(r.rows, "rows", r.n, r.q); e != nil {
			return e
		}
		if f.Curvature, e = float64s(r.curvature, "curvature", r.q); e != nil {
			return e
		}
		if f.Weights, e = optionalFloat64s(r.weights, "weights", r.n); e != nil {
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
