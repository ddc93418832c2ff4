package main

// #include "combpred.h"
import "C"

import (
	"errors"
	"math"
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/badrow"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/decode/kbest"
	"combpred/core/structure"
)

//export go_cp_decode
func go_cp_decode(s *C.cp_in_structure, in *C.cp_in_scores, options *C.cp_in_decode_options, dst *C.int32_t,
	partLen C.int64_t, certificates *C.cp_in_certificates, workers C.int32_t, control *C.cp_control, badRow *C.int64_t,
	err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sc, e := readScores(s, in)
		if e != nil {
			return e
		}
		var opt C.cp_decode_options
		if options != nil {
			if opt, e = cabi.Record(options, "options"); e != nil {
				return e
			}
		}
		how, e := named[decode.Method](catalogue.Decoders, opt.method, "method")
		if e != nil {
			return e
		}
		restricted, e := readConstraints(opt.constraints, how, sc.n)
		if e != nil {
			return e
		}
		out, e := outputs(sc.space, dst, partLen, sc.n)
		if e != nil {
			return e
		}
		cert, e := newCertificates(sc.n, certificates)
		if e != nil {
			return e
		}
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		if restricted == nil {
			e = decode.Batch(sc.space, sc.linear, sc.magnitude, how, uint64(opt.seed), out, cert.rows, t.workers, t.mon)
		} else {
			e = cert.within(sc, restricted, how, out, t)
		}
		if e != nil {
			return e
		}
		cert.write()
		return nil
	})
}

// certificates are the caller's columns of the certificate, each of which may be missing, and the rows that fill them.
type certificates struct {
	rows                  []structure.Certificate
	value, upperBound, nu []float64
	optimal, met          []byte
}

func newCertificates(n C.int64_t, p *C.cp_in_certificates) (c certificates, err error) {
	if p == nil {
		return c, nil
	}
	r, err := cabi.Record(p, "certificates")
	if err != nil {
		return c, err
	}
	if err := cabi.Equal("certificates: n", r.n, "scores", int(n)); err != nil {
		return c, err
	}
	if c.value, err = optionalFloat64s(r.value, "value", n); err != nil {
		return c, err
	}
	if c.upperBound, err = optionalFloat64s(r.upper_bound, "upper_bound", n); err != nil {
		return c, err
	}
	if c.nu, err = optionalFloat64s(r.nu, "nu", n); err != nil {
		return c, err
	}
	if c.optimal, err = cabi.Optional[byte](unsafe.Pointer(r.optimal), "optimal", n); err != nil {
		return c, err
	}
	if c.met, err = cabi.Optional[byte](unsafe.Pointer(r.met), "met", n); err != nil {
		return c, err
	}
	c.rows = make([]structure.Certificate, n)
	return c, nil
}

// within decodes under conditions, and says which rows meet them: without room for that, one that does not is an error.
func (c certificates) within(sc scores, restricted *decode.Restricted, how decode.Method, out []int32, t tail) error {
	met := make([]bool, sc.n)
	if err := restricted.Batch(sc.space, sc.linear, sc.magnitude, how, out, c.rows, met, t.workers, t.mon); err != nil {
		return err
	}
	for i, m := range met {
		if c.met == nil && !m {
			return badrow.At(i, errors.New("no output was found that satisfies the constraints"))
		}
		if c.met != nil {
			c.met[i] = flagged(m)
		}
	}
	return nil
}

func flagged(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// readConstraints reads the conditions of n rows; nil where there are none.
func readConstraints(p *C.cp_in_constraints, how decode.Method, n C.int64_t) (*decode.Restricted, error) {
	if p == nil {
		return nil, nil
	}
	if !how.Constrained() {
		return nil, cabi.Illegal("method is %q, which takes no constraints", catalogue.Decoders.Of(int(how)))
	}
	r, err := cabi.Record(p, "constraints")
	if err != nil {
		return nil, err
	}
	if r.n != 1 && r.n != n {
		return nil, cabi.Illegal("constraints: n is %d, must be 1 or that of scores, %d", int64(r.n), int64(n))
	}
	first, count, err := starts(r.first, r.n)
	if err != nil {
		return nil, err
	}
	feature, err := int32s(r.feature, "feature", count)
	if err != nil {
		return nil, err
	}
	value, err := cabi.View[int8](unsafe.Pointer(r.value), "value", count)
	if err != nil {
		return nil, err
	}
	must, err := cabi.View[int8](unsafe.Pointer(r.must), "must", count)
	if err != nil {
		return nil, err
	}
	out := &decode.Restricted{First: first, All: make([]decode.Condition, count)}
	for k := range out.All {
		out.All[k] = decode.Condition{Feature: int(feature[k]), Value: value[k], Must: must[k] != 0}
	}
	return out, nil
}

func (c certificates) write() {
	for i, r := range c.rows {
		if c.value != nil {
			c.value[i] = r.Value
		}
		if c.upperBound != nil {
			c.upperBound[i] = r.UpperBound
		}
		if c.nu != nil {
			c.nu[i] = r.Nu
		}
		if c.optimal != nil {
			c.optimal[i] = flagged(r.Optimal)
		}
	}
}

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
		if e := cabi.Equal("list: n", r.n, "scores", int(sc.n)); e != nil {
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
		t, e := readTail(workers, control)
		if e != nil {
			return e
		}
		found, e := kbest.Batch(sc.space, sc.linear, sc.magnitude, opt, int(r.capacity), out, value, t.workers, t.mon)
		if e != nil {
			return e
		}
		for i, n := range found.Counts {
			count[i] = int64(n)
		}
		cabi.PutName(r.method[:], catalogue.KBestMethods.Of(int(found.Method)))
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
			return cabi.Illegal("request: capacity is %d, must be from 1 to %d", int64(r.capacity), maxRows)
		}
		if r.row < 0 || r.row >= sc.n {
			return cabi.Illegal("request: row is %d, there are %d rows of scores", int64(r.row), int64(sc.n))
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
		next, e := machine.Next(answers)
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
			return nil, nil, badrow.At(row, err)
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
