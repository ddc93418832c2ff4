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
func readKBest(p *C.cp_in_kbest_options) (out kbest.Options, opt C.cp_kbest_options, err error) {
	opt.nu = 1
	if p != nil {
		if opt, err = cabi.Record(p, "options"); err != nil {
			return out, opt, err
		}
	}
	out = kbest.Options{Nu: float64(opt.nu), Skip: int(opt.skip), Most: int(opt.most)}
	if out.Method, err = named[kbest.Method](catalogue.KBestMethods, opt.method, "method"); err != nil {
		return out, opt, err
	}
	if !(opt.nu >= 0 && opt.nu <= 1) {
		return out, opt, cabi.Illegal("nu is %v, must be from 0 to 1", float64(opt.nu))
	}
	if opt.skip < 0 || opt.most < 0 || opt.skip > maxListed || opt.most > maxListed {
		return out, opt, cabi.Illegal("skip and most are %d and %d, must be from 0 to %d", int64(opt.skip), int64(opt.most),
			int64(maxListed))
	}
	if opt.rows < 0 || opt.rows > maxRows {
		return out, opt, cabi.Illegal("rows is %d, must be from 0 to %d", int64(opt.rows), maxRows)
	}
	if out.Most == 0 {
		out.Most = math.MaxInt
	}
	return out, opt, nil
}

//export go_cp_kbest
func go_cp_kbest(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_kbest_options, list *C.cp_kbest_list,
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
		out, e := sc.outputs(r.parts, "parts", r.part_len, r.capacity)
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

//export go_cp_kbest_start
func go_cp_kbest_start(s C.cp_space, in *C.cp_in_scores, options *C.cp_in_kbest_options, to *C.cp_session,
	workers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readScores(s, in)
		if e != nil {
			return e
		}
		opt, more, e := readKBest(options)
		if e != nil {
			return e
		}
		row, rows := int(more.row), int(more.rows)
		if row < 0 || row >= int(sc.n) {
			return cabi.Illegal("row is %d, there are %d rows of scores", row, int64(sc.n))
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		space, score := sc.rows.Row(row)
		if e := score.Check(); e != nil {
			return fault.At(row, e)
		}
		return openSession(to, t.mon, func(s *session) error {
			if rows > 0 {
				return kbest.PartitionBy(space, score, opt, rows, s.decoded, s.tell)
			}
			_, e := kbest.List(space, score, opt, s.tell, t.workers, t.mon)
			return e
		})
	})
}

// decoded asks the caller for the best outputs of subproblems.
func (s *session) decoded(of kbest.Subproblems, dst []int32) ([]bool, error) {
	clear(dst)
	if len(s.listed) > 0 { // before the caller works for the next ones
		if err := s.ask(C.CP_ASK_LISTED); err != nil {
			return nil, err
		}
	}
	r := &s.request
	r.n, r.outputs = C.int64_t(of.Linear.Rows), (*C.int32_t)(lend(s, dst))
	r.linear, r.magnitude = (*C.double)(lend(s, of.Linear.Data)), (*C.double)(lend(s, of.Magnitude.Data))
	return nil, s.ask(C.CP_ASK_DECODE)
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
