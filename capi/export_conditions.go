package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/catalogue"
	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// conditionKeys are the keys of the header.
var conditionKeys = [...]structure.Key{
	C.CP_KEY_FIRST: structure.FirstKey, C.CP_KEY_LAST: structure.LastKey, C.CP_KEY_BEFORE: structure.BeforeKey,
	C.CP_KEY_REQUIRED: structure.RequiredKey, C.CP_KEY_FORBIDDEN: structure.ForbiddenKey, C.CP_KEY_SIZE: structure.SizeKey,
	C.CP_KEY_START: structure.StartKey, C.CP_KEY_END: structure.EndKey, C.CP_KEY_LENGTH: structure.LengthKey,
	C.CP_KEY_WITHIN: structure.WithinKey,
}

// readConditions reads conditions in terms of a structure.
func readConditions(p *C.cp_in_conditions) (*decode.Keyed, error) {
	in, err := readConditionsIn(p, "conditions", false, false)
	if err != nil {
		return nil, err
	}
	return in.keyed()
}

// keyed returns conditions in terms of a structure.
func (in *conditionsIn) keyed() (*decode.Keyed, error) {
	if err := fault.First(checkCount(in.n, "conditions.n"), checkCount(len(in.key), "conditions.first[n]")); err != nil {
		return nil, err
	}
	out := &decode.Keyed{First: ints(in.first), All: make([]structure.Condition, len(in.key))}
	for i, k := range in.key {
		if k < 0 || int(k) >= len(conditionKeys) {
			return nil, cabi.Illegal("conditions.key[%d] is %d, must be one of CP_KEY_FIRST to CP_KEY_WITHIN", i, k)
		}
		out.All[i] = structure.Condition{Key: conditionKeys[k], U: int(in.u[i]), V: int(in.v[i])}
	}
	return out, nil
}

// of returns the conditions of n rows.
func (in *conditionsIn) of(n int, rows string) (*decode.Keyed, error) {
	keyed, err := in.keyed()
	if err != nil {
		return nil, err
	}
	return keyed, oneOrEach("conditions.n", C.int64_t(in.n), rows, C.int64_t(n))
}

// restrictedDecoder decodes under conditions of one kind or the other.
type restrictedDecoder interface {
	Batch(b *structure.Batch, method decode.Method, dst []int32, certs []structure.Certificate,
		met []bool, workers int, mon *parallel.Monitor) error
}

// readRestricted reads the conditions of n rows; nil where there are none.
func readRestricted(opt C.cp_decode_options, how decode.Method, n C.int64_t) (restrictedDecoder, error) {
	switch {
	case opt.constraints == nil && opt.conditions == nil:
		return nil, nil
	case opt.constraints != nil && opt.conditions != nil:
		return nil, cabi.Illegal("options has constraints and conditions; leave one of the two out")
	case !how.Constrained():
		return nil, cabi.Illegal("decoder='%s' takes no constraints", catalogue.Decoders.Of(int(how)))
	case opt.constraints != nil:
		return readConstraints(opt.constraints, n)
	}
	keyed, err := readConditionsIn(opt.conditions, "conditions", false, false)
	if err != nil {
		return nil, err
	}
	return keyed.of(int(n), "scores.n")
}

// oneOrEach returns an error unless the conditions are those of all n rows, or of each.
func oneOrEach(name string, count C.int64_t, rows string, n C.int64_t) error {
	if count != 1 && count != n {
		return cabi.Illegal("%s is %d, must be 1 or %s, which is %d", name, int64(count), rows, int64(n))
	}
	return nil
}

// readConstraints reads the conditions of n rows on entries of ψ.
func readConstraints(p *C.cp_in_constraints, n C.int64_t) (*decode.Restricted, error) {
	r, err := cabi.Record(p, "constraints")
	if err != nil {
		return nil, err
	}
	if err := oneOrEach("constraints.n", r.n, "scores.n", n); err != nil {
		return nil, err
	}
	first, count, err := starts(r.first, r.n, "constraints.first")
	if err != nil {
		return nil, err
	}
	feature, err := int32s(r.feature, "constraints.feature", count)
	if err != nil {
		return nil, err
	}
	value, err := cabi.View[int8](unsafe.Pointer(r.value), "constraints.value", count)
	if err != nil {
		return nil, err
	}
	must, err := cabi.View[int8](unsafe.Pointer(r.must), "constraints.must", count)
	if err != nil {
		return nil, err
	}
	out := &decode.Restricted{First: first, All: make([]decode.Condition, count)}
	for k := range out.All {
		if must[k] != 0 && must[k] != 1 {
			return nil, cabi.Illegal("constraints.must[%d] is %d, must be 0 or 1", k, must[k])
		}
		out.All[k] = decode.Condition{Feature: int(feature[k]), Value: value[k], Must: must[k] == 1}
	}
	return out, nil
}

//export go_cp_space_restrict
func go_cp_space_restrict(s C.cp_space, conditions *C.cp_in_conditions, restriction *C.cp_restriction,
	nWorkers C.int32_t, control *C.cp_control, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		sp, err := space(s)
		if err != nil {
			return err
		}
		keyed, err := readConditions(conditions)
		if err != nil {
			return err
		}
		out, err := newRestriction(restriction, len(keyed.First)-1)
		if err != nil {
			return err
		}
		run, err := readExecution(nWorkers, control)
		if err != nil {
			return err
		}
		found := make([][]structure.EntryCondition, len(keyed.First)-1)
		keep := func(row int, r structure.Restriction) {
			if restriction != nil {
				found[row] = r.Mask.EntryConditions()
			}
		}
		if err := keyed.Each(sp, run.workers, run.mon, keep); err != nil {
			return err
		}
		out.write(found)
		return nil
	})
}

// restriction is a caller's, and views of its buffers.
type restriction struct {
	at          cabi.Out[C.cp_restriction]
	record      C.cp_restriction
	first       []int64
	feature     []int32
	value, must []int8
}

func newRestriction(p *C.cp_restriction, n int) (out restriction, err error) {
	if out.at, err = cabi.OutRecord(p, "restriction", true); err != nil || p == nil {
		return out, err
	}
	if out.record, err = cabi.Record(p, "restriction"); err != nil {
		return out, err
	}
	r := &out.record
	if err := cabi.Equal("restriction.n", r.n, "conditions", n); err != nil {
		return out, err
	}
	if out.first, err = int64s(r.first, "restriction.first", r.n+1); err != nil {
		return out, err
	}
	if out.feature, err = int32s(r.feature, "restriction.feature", r.capacity); err != nil {
		return out, err
	}
	if out.value, err = cabi.View[int8](unsafe.Pointer(r.value), "restriction.value", r.capacity); err != nil {
		return out, err
	}
	out.must, err = cabi.View[int8](unsafe.Pointer(r.must), "restriction.must", r.capacity)
	return out, err
}

// write writes the conditions of each row.
func (out *restriction) write(found [][]structure.EntryCondition) {
	if out.first == nil {
		return
	}
	at := 0
	for i, conditions := range found {
		out.first[i] = int64(at)
		at += len(conditions)
	}
	out.first[len(found)] = int64(at)
	out.record.needed = C.int64_t(at)
	out.at.Set(out.record)
	if at > len(out.feature) {
		return
	}
	for i, conditions := range found {
		for k, c := range conditions {
			j := int(out.first[i]) + k
			out.feature[j], out.value[j], out.must[j] = int32(c.Feature), c.Value, int8(flagged(c.Must))
		}
	}
}

func doSpaceArrange(a *spaceArrangeArgs) error {
	keyed, err := a.conditions.of(a.n, "n")
	if err != nil {
		return err
	}
	row := rowsOfParts(a.y, a.partLen)
	if err := eachRow(a.n, a.workers, a.mon, func(i int) error { return a.space.Check(row(i)) }); err != nil {
		return err
	}
	copy(a.dst, a.y)
	return keyed.Arrange(a.space, a.dst, a.workers, a.mon)
}
