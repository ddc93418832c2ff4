package main

// #include "combpred.h"
import "C"

import (
	"slices"

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
	return keyed, oneOrEach("conditions.n", in.n, rows, n)
}

// restrictedDecoder decodes under conditions of one kind or the other.
type restrictedDecoder interface {
	Batch(b *structure.Batch, method decode.Method, dst []int32, certs []structure.Certificate,
		met []bool, workers int, mon *parallel.Monitor) error
}

// restricted returns the conditions of n rows; nil where there are none.
func (in *decodeOptionsIn) restricted(how decode.Method, n int) (restrictedDecoder, error) {
	switch {
	case in.constraints == nil && in.conditions == nil:
		return nil, nil
	case in.constraints != nil && in.conditions != nil:
		return nil, cabi.Illegal("options has constraints and conditions; leave one of the two out")
	case !how.Constrained():
		return nil, cabi.Illegal("decoder='%s' takes no constraints", catalogue.Decoders.Of(int(how)))
	case in.conditions != nil:
		return in.conditions.of(n, "scores.n")
	}
	return in.constraints.of(n)
}

// within returns rows of the outputs that satisfy conditions; nil: there are none.
func (in *conditionsIn) within(b *structure.Batch) (decode.Held, error) {
	if in == nil || !in.given {
		return decode.Held{Batch: b}, nil
	}
	keyed, err := in.of(b.Len(), "scores.n")
	if err != nil {
		return decode.Held{}, err
	}
	return keyed.Within(b)
}

// oneOrEach returns an error unless the conditions are those of all n rows, or of each.
func oneOrEach(name string, count int, rows string, n int) error {
	if count != 1 && count != n {
		return cabi.Illegal("%s is %d, must be 1 or %s, which is %d", name, count, rows, n)
	}
	return nil
}

// of returns the conditions of n rows on entries of ψ.
func (in *constraintsIn) of(n int) (*decode.Restricted, error) {
	if err := fault.First(oneOrEach("constraints.n", in.n, "scores.n", n), checkCount(len(in.must), "constraints.first[n]")); err != nil {
		return nil, err
	}
	out := &decode.Restricted{First: ints(in.first), All: make([]decode.Condition, len(in.must))}
	for k, must := range in.must {
		if must != 0 && must != 1 {
			return nil, cabi.Illegal("constraints.must[%d] is %d, must be 0 or 1", k, must)
		}
		out.All[k] = decode.Condition{Feature: int(in.feature[k]), Value: in.value[k], Must: must == 1}
	}
	return out, nil
}

func doSpaceRestrict(a *spaceRestrictArgs) error {
	keyed, err := a.conditions.keyed()
	if err != nil {
		return err
	}
	found, out := make([][]structure.EntryCondition, a.conditions.n), a.restriction
	if out.given {
		if err := cabi.Equal("restriction.n", int64(out.n), "conditions", len(found)); err != nil {
			return err
		}
	}
	keep := func(row int, r structure.Restriction) {
		if out.given {
			found[row] = r.Mask.EntryConditions()
		}
	}
	if err := keyed.Each(a.space, a.workers, a.mon, keep); err != nil || !out.given {
		return err
	}
	out.write(found)
	return nil
}

// write writes the conditions of each row, where there is room for all.
func (in *restrictionIn) write(found [][]structure.EntryCondition) {
	at := 0
	for i, conditions := range found {
		in.first[i] = int64(at)
		at += len(conditions)
	}
	in.first[len(found)] = int64(at)
	in.c.needed = C.int64_t(at)
	in.to.Set(in.c)
	if at > in.capacity {
		return
	}
	for i, c := range slices.Concat(found...) {
		in.feature[i], in.value[i], in.must[i] = int32(c.Feature), c.Value, int8(flagged(c.Must))
	}
}

func doSpaceArrange(a *spaceArrangeArgs) error {
	keyed, err := a.conditions.of(a.n, "n")
	if err != nil {
		return err
	}
	copy(a.dst, a.y)
	return keyed.Arrange(a.space, a.dst, a.workers, a.mon)
}
