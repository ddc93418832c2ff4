package main

// #include "combpred.h"
import "C"

import (
	"math"
	"slices"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode/hereditary"
	"combpred/core/decode/kbest"
	"combpred/core/fault"
	"combpred/core/structure"
)

// maxListed bounds how many outputs are asked for.
const maxListed = 1 << 40

// kbest returns how outputs are listed.
func (in *kbestOptionsIn) kbest() (out kbest.Options, err error) {
	out = kbest.Options{Nu: in.nu, Skip: in.skip, Most: in.most}
	if out.Method, err = choice[kbest.Method](catalogue.KBestMethods, in.method, "method"); err != nil {
		return out, err
	}
	if !(in.nu >= 0 && in.nu <= 1) {
		return out, cabi.Illegal("nu is %v, must be from 0 to 1", in.nu)
	}
	if in.skip < 0 || in.most < 0 || in.skip > maxListed || in.most > maxListed {
		return out, cabi.Illegal("skip and most are %d and %d, must be from 0 to %d", in.skip, in.most, int64(maxListed))
	}
	if out.Most == 0 {
		out.Most = math.MaxInt
	}
	return out, checkCount(in.rows, "rows")
}

func doKbest(a *kbestArgs) error {
	opt, err := a.options.kbest()
	if err != nil {
		return err
	}
	to := a.list
	if err := cabi.Equal("list.n", int64(to.n), "scores", a.scores.n); err != nil {
		return err
	}
	held, err := a.options.conditions.within(a.rows.Batch)
	if err != nil {
		return err
	}
	found, err := kbest.Batch(held.Batch, opt, to.capacity, to.parts, to.value.Data, a.workers, a.mon)
	if err != nil {
		return err
	}
	for i, n := range found.Counts {
		to.count[i] = int64(n)
		for k := range n {
			held.List(i, held.OutputOf(to.parts, i, k, to.capacity))
		}
	}
	method := opt.Method
	if a.scores.n > 0 {
		method = found.Methods[0]
	}
	cabi.PutName(to.c.method[:], catalogue.KBestMethods.Of(int(method)))
	to.to.Set(to.c)
	return nil
}

func doKbestStart(a *kbestStartArgs) error {
	opt, err := a.options.kbest()
	if err != nil {
		return err
	}
	row := a.options.row
	if row < 0 || row >= a.scores.n {
		return cabi.Illegal("row is %d, there are %d rows of scores", row, a.scores.n)
	}
	if a.options.conditions != nil && a.options.rows > 0 {
		return fault.Capability("outputs that the caller decodes take no conditions, leave them out")
	}
	held, err := a.options.conditions.within(a.rows.Batch)
	if err != nil {
		return err
	}
	space, score := held.Row(row)
	if err := score.Check(); err != nil {
		return fault.At(row, err)
	}
	return openSession(&a.session[0], a.mon, func(s *session) error {
		if a.options.rows > 0 {
			err := kbest.PartitionBy(space, score, opt, a.options.rows, s.decoded, s.tell)
			return fault.First(err, a.mon.Err()) // a list that is cut short is none
		}
		tell := s.tell
		if a.options.conditions != nil {
			tell = func(y []int32, value float64) bool {
				listed := slices.Clone(y) // y is lent
				held.List(row, listed)
				return s.tell(listed, value)
			}
		}
		_, err := kbest.List(space, score, opt, tell, a.workers, a.mon)
		return fault.First(err, a.mon.Err())
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

func doHereditaryStart(a *hereditaryStartArgs) error {
	if err := structure.CheckScores(a.weights); err != nil {
		return err
	}
	method, err := choice[hereditary.Method](catalogue.HereditaryMethods, a.decoder, "decoder")
	if err != nil { // a decoder of other structures
		return fault.Capability("properties that only the caller can tell: %w", err)
	}
	if a.most < hereditary.ExactEdges || a.most > maxRows {
		return cabi.Illegal("most is %d, must be from %d to %d", a.most, hereditary.ExactEdges, maxRows)
	}
	return openSession(&a.session[0], a.mon, func(s *session) error {
		found, err := hereditary.Find(a.weights, method, a.most, s.hold)
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
