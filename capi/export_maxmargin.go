package main

/*
#include "combpred.h"
*/
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/maxmargin/affine"
	"combpred/core/parallel"
)

// maxCandidates bounds how many outputs a step draws, so that a step ends soon.
const maxCandidates = 1 << 20

// marginRows reads rows to learn, in blocks of the order that begins at order; ψ may be missing where the caller's own losses say all.
func marginRows(design *C.cp_in_design, targets *C.cp_in_targets, order *C.cp_in_i64, factor float64,
	optional bool) (*maxmargin.Problem, error) {
	p := &maxmargin.Problem{}
	var err error
	if p.X, err = readDesign(design); err != nil {
		return p, err
	}
	r, err := cabi.Record(targets, "targets")
	if err != nil {
		return p, err
	}
	if err := cabi.Equal("targets.n", r.n, "the design", p.X.Len()); err != nil {
		return p, err
	}
	if r.first != nil {
		return p, cabi.Illegal("first must be NULL: each example has one output")
	}
	if r.d < 0 || r.d > maxRows {
		return p, cabi.Illegal("targets.d is %d, must be from 0 to %d", int64(r.d), maxRows)
	}
	p.Psi = linalg.Matrix[float64]{Cols: int(r.d), Stride: max(int(r.d), 1)}
	if !optional || r.psi != nil {
		if p.Psi, err = matrix(r.psi, "targets.psi", r.n, r.d); err != nil {
			return p, err
		}
	}
	weights, err := optionalFloat64s(r.weights, "targets.weights", r.n)
	if err != nil {
		return p, err
	}
	at, err := cabi.Optional[int64](unsafe.Pointer(order), "order", r.n)
	if err != nil {
		return p, err
	}
	return p, p.SetBlocks(weights, at, factor)
}

// marginLoss reads the losses of a problem.
func marginLoss(p *maxmargin.Problem, loss *C.cp_in_affine_loss) error {
	r, err := cabi.Record(loss, "loss")
	if err != nil {
		return err
	}
	if int(r.n) != p.X.Len() || int(r.d) != p.Psi.Cols {
		return cabi.Illegal("loss: n and d are %d and %d, targets have %d and %d", int64(r.n), int64(r.d), p.X.Len(), p.Psi.Cols)
	}
	if p.Loss.Constant, err = float64s(r.constant, "loss.constant", r.n); err != nil {
		return err
	}
	if p.Loss.Gradient, err = matrix(r.gradient, "loss.gradient", r.n, r.d); err != nil {
		return err
	}
	if r.magnitude != nil {
		p.Loss.Magnitude, err = matrix(r.magnitude, "loss.magnitude", r.n, r.d)
	}
	return err
}

// decodedBy says who decodes.
func decodedBy(p *maxmargin.Problem, s C.cp_space, method *C.cp_in_char, candidates C.int64_t, seed C.uint64_t) error {
	var err error
	if p.Space, err = space(s); err != nil {
		return err
	}
	if err := equal("d", C.int64_t(p.Psi.Cols), p.Space.FeatureLen()); err != nil {
		return err
	}
	p.Method, err = named[decode.Method](catalogue.Decoders, method, "method")
	p.Candidates, p.Seed = int(candidates), uint64(seed)
	return err
}

func checkCandidates(n C.int64_t) error {
	if n < 0 || n > maxCandidates {
		return cabi.Illegal("n_candidates is %d, must be from 0 to %d", int64(n), maxCandidates)
	}
	return nil
}

func writeSizes(dst *C.cp_margin_sizes, p *maxmargin.Problem, of func() (int, error)) error {
	out, err := cabi.OutRecord(dst, "sizes", false)
	if err != nil {
		return err
	}
	length, err := of()
	if err == nil {
		out.Set(C.cp_margin_sizes{state: C.int64_t(length), q: C.int64_t(p.X.Columns()), d: C.int64_t(p.Psi.Cols)})
	}
	return err
}

// nextStep goes on, and says what is needed next.
func nextStep(state *C.double, stateLen C.int64_t, step *C.cp_margin_step, mon *parallel.Monitor,
	open func(data []float64) (maxmargin.Machine, error)) error {
	data, err := float64s(state, "state", stateLen)
	if err != nil {
		return err
	}
	out, err := cabi.OutRecord(step, "step", false)
	if err != nil {
		return err
	}
	m, err := open(data)
	if err != nil {
		return err
	}
	r, err := m.Next(mon)
	if err != nil {
		return err
	}
	place := func(part []float64) C.int64_t {
		if len(part) == 0 {
			return -1
		}
		return C.int64_t((uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&data[0]))) / unsafe.Sizeof(data[0]))
	}
	at := m.Look()
	found := C.cp_margin_step{n: C.int64_t(r.Linear.Rows), rows: place(r.Rows), linear: place(r.Linear.Data),
		magnitude: place(r.Magnitude.Data), reply: place(r.Psi.Data), offset: place(r.Offset), proven: place(r.Proven),
		stream: C.int64_t(r.Stream), length: C.int64_t(r.Length), n_iter: C.int64_t(at.Iter), objective: C.double(at.Objective),
		bound: C.double(at.Bound)}
	cabi.PutName(found.request[:], catalogue.MarginRequests.Of(int(r.Ask)))
	out.Set(found)
	return nil
}

//export go_cp_affine_losses
func go_cp_affine_losses(entries, cost *C.cp_in_char, psi *C.cp_in_f64, n, d C.int64_t, counted *C.cp_in_i8,
	parent *C.cp_in_i32, constant, gradient, magnitude *C.double, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		kind, e := named[affine.Entries](catalogue.EntryKinds, entries, "entries")
		if e != nil {
			return e
		}
		which, e := named[affine.Cost](catalogue.Costs, cost, "cost")
		if e != nil {
			return e
		}
		y, e := matrix(psi, "psi", n, d)
		if e != nil {
			return e
		}
		mask, e := cabi.Optional[int8](unsafe.Pointer(counted), "counted", d)
		if e != nil {
			return e
		}
		var counts []bool
		for _, v := range mask {
			counts = append(counts, v != 0)
		}
		above, e := cabi.Optional[int32](unsafe.Pointer(parent), "parent", d)
		if e != nil {
			return e
		}
		a, e := float64s(constant, "constant", n)
		if e != nil {
			return e
		}
		g, e := matrix(gradient, "gradient", n, d)
		if e != nil {
			return e
		}
		var t linalg.Matrix[float64]
		if magnitude != nil || kind == affine.SignsAndZeros {
			if t, e = matrix(magnitude, "magnitude", n, d); e != nil {
				return e
			}
			t.Zero()
		}
		loss, e := affine.New(y, kind, which, counts, above)
		if e != nil {
			return e
		}
		copy(a, loss.Constant)
		g.CopyFrom(loss.Gradient)
		if loss.Magnitude.Rows > 0 {
			t.CopyFrom(loss.Magnitude)
		}
		return nil
	})
}

//export go_cp_rows_order
func go_cp_rows_order(design *C.cp_in_design, targets *C.cp_in_targets, order *C.int64_t, workers C.int32_t, control *C.cp_control,
	badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		x, e := readDesign(design)
		if e != nil {
			return e
		}
		r, e := cabi.Record(targets, "targets")
		if e != nil {
			return e
		}
		if e := cabi.Equal("targets.n", r.n, "the design", x.Len()); e != nil {
			return e
		}
		y, e := readTargets(r)
		if e != nil {
			return e
		}
		for i := range x.Len() {
			if y.First != nil && (y.First[i] < 0 || y.First[i] > y.First[i+1] || y.First[i+1] > y.Psi.Rows) {
				return fault.At(i, fault.Value("the outputs are %d to %d of %d", y.First[i], y.First[i+1], y.Psi.Rows))
			}
		}
		dst, e := cabi.View[int64](unsafe.Pointer(order), "order", r.n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return maxmargin.RowsOrder(dst, x, y.Psi, y.First, t.workers, t.mon)
	})
}
