package main

// #include "combpred.h"
import "C"

import (
	"math"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode/hereditary"
	"combpred/core/decode/kbest"
	"combpred/core/fault"
	"combpred/core/structure"
)

// maxListed bounds how many outputs are asked for.
const maxListed = 1 << 40

// readKBest reads how outputs are listed.
func readKBest(p *C.cp_in_kbest_options) (kbest.Options, int, error) {
	opt := C.cp_kbest_options{nu: 1}
	var err error
	if p != nil {
		if opt, err = cabi.Record(p, "options"); err != nil {
			return kbest.Options{}, 0, err
		}
	}
	out := kbest.Options{Nu: float64(opt.nu), Skip: int(opt.skip)}
	if out.Method, err = named[kbest.Method](catalogue.KBestMethods, opt.method, "method"); err != nil {
		return out, 0, err
	}
	if !(opt.nu >= 0 && opt.nu <= 1) {
		return out, 0, cabi.Illegal("nu is %v, must be from 0 to 1", float64(opt.nu))
	}
	if opt.skip < 0 || opt.most < 0 || opt.skip > maxListed || opt.most > maxListed {
		return out, 0, cabi.Illegal("skip and most are %d and %d, must be from 0 to %d", int64(opt.skip), int64(opt.most), int64(maxListed))
	}
	most := int(opt.most)
	if most == 0 {
		most = math.MaxInt
	}
	return out, most, nil
}

//export go_cp_kbest
func go_cp_kbest(s *C.cp_in_structure, in *C.cp_in_scores, options *C.cp_in_kbest_options, list *C.cp_kbest_list,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readScores(s, in)
		if e != nil {
			return e
		}
		opt, _, e := readKBest(options)
		if e != nil {
			return e
		}
		to, e := cabi.OutRecord(list, "list", false)
		if e != nil {
			return e
		}
		r := *list
		if e := cabi.Equal("list.n", r.n, "scores", int(sc.n)); e != nil {
			return e
		}
		if e := equal("part_len", r.part_len, sc.space.PartLen()); e != nil {
			return e
		}
		out, e := int32s(r.parts, "parts", r.n, r.capacity, r.part_len)
		if e != nil {
			return e
		}
		value, e := optionalFloat64s(r.value, "value", r.n, r.capacity)
		if e != nil {
			return e
		}
		count, e := int64s(r.count, "count", r.n)
		if e != nil {
			return e
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		found, e := kbest.Batch(sc.rows, opt, int(r.capacity), out, value, t.workers, t.mon)
		if e != nil {
			return e
		}
		for i, n := range found.Counts {
			count[i] = int64(n)
		}
		method := opt.Method
		if sc.n > 0 {
			method = found.Methods[0]
		}
		cabi.PutName(r.method[:], catalogue.KBestMethods.Of(int(method)))
		to.Set(r)
		return nil
	})
}

//export go_cp_kbest_next
func go_cp_kbest_next(s *C.cp_in_structure, in *C.cp_in_scores, options *C.cp_in_kbest_options, state *C.uint8_t,
	stateCap C.int64_t, needed *C.int64_t, request *C.cp_kbest_request, badRow *C.int64_t, err *C.char,
	errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readScores(s, in)
		if e != nil {
			return e
		}
		opt, most, e := readKBest(options)
		if e != nil {
			return e
		}
		to, e := cabi.OutRecord(request, "request", false)
		if e != nil {
			return e
		}
		r := *request
		if r.capacity < 1 || r.capacity > maxRows {
			return cabi.Illegal("request.capacity is %d, must be from 1 to %d", int64(r.capacity), maxRows)
		}
		if r.row < 0 || r.row >= sc.n {
			return cabi.Illegal("request.row is %d, there are %d rows of scores", int64(r.row), int64(sc.n))
		}
		d := C.int64_t(sc.space.FeatureLen())
		if e := equal("d", r.d, int(d)); e != nil {
			return e
		}
		parts, e := outputs(sc.space, r.parts, r.part_len, r.capacity)
		if e != nil {
			return e
		}
		linear, e := float64s(r.linear, "linear", r.capacity, d)
		if e != nil {
			return e
		}
		magnitude, e := float64s(r.magnitude, "magnitude", r.capacity, d)
		if e != nil {
			return e
		}
		buffer, e := cabi.View[byte](unsafe.Pointer(state), "state", stateCap)
		if e != nil {
			return e
		}
		if _, e := cabi.One(needed, "needed"); e != nil {
			return e
		}
		machine, answers, e := machineOf(sc, int(r.row), opt, most, int(r.capacity), buffer, parts)
		if e != nil {
			return e
		}
		next, e := machine.Next(answers, nil)
		if e != nil {
			return e
		}
		after := machine.State()
		*needed = C.int64_t(len(after))
		if len(after) > len(buffer) {
			next = kbest.Request{Ask: kbest.State}
		} else {
			copy(buffer, after)
		}
		copy(linear, next.Linear.Data)
		copy(magnitude, next.Magnitude.Data)
		copy(parts, next.Parts)
		r.n_asked, r.n_squares, r.value = C.int64_t(next.Linear.Rows), C.int64_t(next.Magnitude.Rows), C.double(next.Value)
		cabi.PutName(r.ask[:], catalogue.KBestRequests.Of(int(next.Ask)))
		to.Set(r)
		return nil
	})
}

// machineOf returns a new machine, or that of a state with the answers to what it asked for last.
func machineOf(sc scores, row int, opt kbest.Options, most, rows int, state []byte, parts []int32) (*kbest.Machine, []int32, error) {
	d := sc.linear.Cols
	score := structure.Scores{Linear: sc.linear.Data[row*d : (row+1)*d]}
	if sc.magnitude.Rows > 0 {
		at := min(row, sc.magnitude.Rows-1)
		score.Magnitude = sc.magnitude.Data[at*d : (at+1)*d]
	}
	for _, v := range [][]float64{score.Linear, score.Magnitude} {
		if err := structure.CheckScores(v); err != nil {
			return nil, nil, fault.At(row, err)
		}
	}
	if !kbest.Begun(state) {
		return kbest.NewMachine(sc.space, score, opt.Nu, most, rows), nil, nil
	}
	m, err := kbest.Resume(sc.space, score, opt.Nu, most, rows, state)
	if err != nil {
		return nil, nil, err
	}
	return m, parts[:m.Asked()*sc.space.PartLen()], nil
}

//export go_cp_hereditary_next
func go_cp_hereditary_next(weights *C.cp_in_f64, nEdges C.int64_t, decoder *C.cp_in_char, state *C.double, stateLen C.int64_t,
	needed *C.int64_t, request *C.cp_hereditary_request, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		w, e := float64s(weights, "weights", nEdges)
		if e != nil {
			return e
		}
		if e := structure.CheckScores(w); e != nil {
			return e
		}
		method, e := named[hereditary.Method](catalogue.HereditaryMethods, decoder, "decoder")
		if e != nil {
			return e
		}
		to, e := cabi.OutRecord(request, "request", false)
		if e != nil {
			return e
		}
		r := *request
		if r.capacity < hereditary.ExactEdges || r.capacity > maxRows {
			return cabi.Illegal("request.capacity is %d, must be from %d to %d", int64(r.capacity), hereditary.ExactEdges, maxRows)
		}
		sets, e := cabi.View[byte](unsafe.Pointer(r.sets), "request.sets", r.capacity, nEdges)
		if e != nil {
			return e
		}
		verdicts, e := cabi.View[byte](unsafe.Pointer(r.verdicts), "request.verdicts", r.capacity)
		if e != nil {
			return e
		}
		buffer, e := float64s(state, "state", stateLen)
		if e != nil {
			return e
		}
		if _, e := cabi.One(needed, "needed"); e != nil {
			return e
		}
		length := hereditary.StateLen(len(w))
		*needed = C.int64_t(length)
		next := hereditary.Request{Ask: hereditary.State}
		if len(buffer) >= length {
			machine := hereditary.New(w, method, int(r.capacity))
			if hereditary.Begun(buffer) {
				if machine, e = hereditary.Resume(w, method, int(r.capacity), buffer[:length]); e != nil {
					return e
				}
			}
			if next, e = machine.Next(verdicts[:machine.Asked()]); e != nil {
				return e
			}
			machine.StateTo(buffer[:length])
			value, bound := machine.Found()
			r.value, r.upper_bound = C.double(value), C.double(bound)
		}
		for i, set := range next.Sets {
			for j, in := range set {
				sets[i*len(w)+j] = 0
				if in {
					sets[i*len(w)+j] = 1
				}
			}
		}
		for i := range verdicts {
			verdicts[i] = hereditary.Unknown
		}
		r.n_asked, r.until = 0, C.int64_t(next.Until)
		if next.Ask == hereditary.Holds {
			r.n_asked = C.int64_t(len(next.Sets))
		}
		cabi.PutName(r.ask[:], catalogue.HereditaryRequests.Of(int(next.Ask)))
		to.Set(r)
		return nil
	})
}
