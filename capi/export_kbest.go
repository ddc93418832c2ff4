package main

// #include "combpred.h"
import "C"

import (
	"math"

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

//export go_cp_hereditary_start
func go_cp_hereditary_start(weights *C.cp_in_f64, nEdges C.int64_t, decoder *C.cp_in_char, most C.int64_t, to *C.cp_session,
	workers C.int32_t, control *C.cp_control, err *C.char, errCap C.int64_t) C.int32_t {
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
		if most < hereditary.ExactEdges || most > maxRows {
			return cabi.Illegal("most is %d, must be from %d to %d", int64(most), hereditary.ExactEdges, maxRows)
		}
		t, e := readExecution(workers, control)
		if e != nil {
			return e
		}
		return openSession(to, t.mon, func(s *session) error {
			found, err := hereditary.Find(w, method, int(most), s.hold)
			if err != nil {
				return err
			}
			sets := [][]bool{found.Set}
			if found.Part != nil {
				sets = append(sets, found.Part)
			}
			s.show(sets)
			s.request.value, s.request.bound = C.double(found.Value), C.double(found.Bound)
			return nil
		})
	})
}

// show lends sets of edges to the caller.
func (s *session) show(sets [][]bool) {
	var edges []int32
	for _, set := range sets {
		for _, in := range set {
			edges = append(edges, int32(asFlag(in)))
		}
	}
	s.request.n, s.request.parts = C.int64_t(len(sets)), (*C.cp_in_i32)(lend(s, edges))
}

// hold asks the caller for verdicts on sets.
func (s *session) hold(sets [][]bool, until int, verdicts []uint8) error {
	s.show(sets)
	s.request.stream, s.request.proven = C.int64_t(until), (*C.uint8_t)(lend(s, verdicts))
	return s.ask(C.CP_ASK_HOLDS)
}
