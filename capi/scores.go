package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/control/spaces"
	"combpred/core/fault"
	"combpred/core/structure"
)

// scores are those of n rows, and the spaces that they are about.
type scores struct {
	rows     *structure.Batch
	n        C.int64_t
	isPacked bool      // rows have spaces of their own: d and part_len are sums over all rows
	each     C.int64_t // how many times there are d and part_len numbers: for every row, or once
	streams  []uint64  // nil: they follow from scores
}

// readScores reads scores and checks that they are as long as ψ.
func readScores(s C.cp_space, in *C.cp_in_scores) (out scores, err error) {
	r, err := cabi.Record(in, "scores")
	if err != nil {
		return out, err
	}
	if r.n_magnitude != 0 && r.n_magnitude != 1 && r.n_magnitude != r.n {
		return out, cabi.Illegal("scores.n_magnitude is %d, must be 0, 1 or scores.n, which is %d", int64(r.n_magnitude), int64(r.n))
	}
	if out.streams, err = cabi.Optional[uint64](unsafe.Pointer(r.streams), "scores.streams", r.n); err != nil {
		return out, err
	}
	out.n = r.n
	if r.n_spaces != 0 {
		out.isPacked, out.each = true, 1
		out.rows, err = severalSpaces(s, r)
		return out, err
	}
	out.each = r.n
	if r.spaces != nil || r.of != nil || r.first != nil {
		return out, cabi.Illegal("scores.spaces, of and first go with scores.n_spaces, which is 0")
	}
	sp, err := space(s)
	if err != nil {
		return out, err
	}
	if err := equal("scores.d", r.d, sp.FeatureLen()); err != nil {
		return out, err
	}
	linear, err := float64s(r.linear, "scores.linear", r.n, r.d)
	if err != nil {
		return out, err
	}
	magnitude, err := float64s(r.magnitude, "scores.magnitude", r.n_magnitude, r.d)
	out.rows = structure.OneSpace(sp, general(r.n, r.d, linear), general(r.n_magnitude, r.d, magnitude))
	return out, err
}

// severalSpaces reads the scores of rows with spaces of their own.
func severalSpaces(s C.cp_space, r C.cp_scores) (*structure.Batch, error) {
	if s != 0 {
		return nil, cabi.Illegal("space is %d, must be 0 where scores.spaces are those of rows", uint64(s))
	}
	if r.n < 0 || r.n > maxRows || r.n_spaces < 0 || r.n_spaces > maxRows {
		return nil, cabi.Illegal("scores.n and n_spaces are %d and %d, must be from 0 to %d", int64(r.n), int64(r.n_spaces), maxRows)
	}
	if r.n_magnitude != 0 && r.n_magnitude != r.n {
		return nil, cabi.Illegal("scores.n_magnitude is %d, must be 0 or scores.n, which is %d: rows are of several spaces",
			int64(r.n_magnitude), int64(r.n))
	}
	handles, err := cabi.View[uint64](unsafe.Pointer(r.spaces), "scores.spaces", r.n_spaces)
	if err != nil {
		return nil, err
	}
	var open []structure.Space
	for i, handle := range handles {
		sp, err := spaces.Of(handle)
		if err != nil {
			return nil, fault.Wrap("scores.spaces[%d]: %w", i, err)
		}
		open = append(open, sp)
	}
	of, err := cabi.Optional[int32](unsafe.Pointer(r.of), "scores.of", r.n)
	if err != nil {
		return nil, err
	}
	first, err := cabi.Optional[int](unsafe.Pointer(r.first), "scores.first", r.n)
	if err != nil {
		return nil, err
	}
	linear, err := float64s(r.linear, "scores.linear", r.d)
	if err != nil {
		return nil, err
	}
	var magnitude []float64
	if r.n_magnitude != 0 {
		if magnitude, err = float64s(r.magnitude, "scores.magnitude", r.d); err != nil {
			return nil, err
		}
	}
	return structure.NewBatch(int(r.n), open, of, first, linear, magnitude)
}

// readLinear is readScores where a distribution is made of the scores.
func readLinear(s C.cp_space, in *C.cp_in_scores) (scores, error) {
	out, err := readScores(s, in)
	if err == nil && out.rows.Magnitudes() != 0 {
		return out, cabi.Illegal("scores.n_magnitude is %d, must be 0 for a distribution", out.rows.Magnitudes())
	}
	return out, err
}

// partLen returns an error unless a number is that of the parts of one output, or of one output of all rows.
func (sc scores) partLen(partLen C.int64_t) error {
	if sc.isPacked {
		return cabi.Equal("part_len", partLen, "the outputs of all rows together", sc.rows.Parts())
	}
	return equal("part_len", partLen, sc.rows.Spaces()[0].PartLen())
}

// entries returns the length of ψ, or of ψ of all rows.
func (sc scores) entries() C.int64_t {
	if sc.isPacked {
		return C.int64_t(sc.rows.Entries())
	}
	return C.int64_t(sc.rows.Spaces()[0].FeatureLen())
}

// outputs returns encoded outputs of all rows, many of each.
func (sc scores) outputs(dst *C.cp_in_i32, name string, partLen C.int64_t, many ...C.int64_t) ([]int32, error) {
	if err := sc.partLen(partLen); err != nil {
		return nil, err
	}
	return int32s(dst, name, append(many, sc.each, partLen)...)
}
