package main

// #include "combpred.h"
import "C"

import (
	"unsafe"

	"combpred/capi/cabi"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/structure"
)

// rows are those of scores, and the spaces that they are about.
type rows struct {
	*structure.Batch
	isPacked bool     // rows have spaces of their own: d and part_len are sums over all rows
	streams  []uint64 // nil: they follow from scores
}

// times returns how many times d or part_len numbers lie in a buffer with something for each of n rows: once where they are of all rows.
func (in *scoresIn) times(n int) float64 {
	if in.nSpaces != 0 {
		n = min(n, 1)
	}
	return float64(n)
}

// batch returns the rows, which are of the space of that handle, or have spaces of their own.
func (in *scoresIn) batch(handle C.cp_space) (r rows, err error) {
	r.isPacked, r.streams = in.nSpaces != 0, unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(in.streams))), len(in.streams))
	if r.isPacked {
		r.Batch, err = in.severalSpaces(handle)
		return r, err
	}
	if in.nMagnitude != 0 && in.nMagnitude != 1 && in.nMagnitude != in.n {
		return r, cabi.Illegal("scores.n_magnitude is %d, must be 0, 1 or scores.n, which is %d", in.nMagnitude, in.n)
	}
	if in.c.spaces != nil || in.c.of != nil || in.c.first != nil {
		return r, cabi.Illegal("scores.spaces, of and first go with scores.n_spaces, which is 0")
	}
	sp, err := space(handle)
	if err == nil {
		err = equal("scores.d", C.int64_t(in.d), sp.FeatureLen())
	}
	if err != nil {
		return r, err
	}
	r.Batch = structure.OneSpace(sp, linalg.General(in.linear), linalg.General(in.magnitude))
	return r, nil
}

// severalSpaces returns rows with spaces of their own.
func (in *scoresIn) severalSpaces(handle C.cp_space) (*structure.Batch, error) {
	if handle != 0 {
		return nil, cabi.Illegal("space is %d, must be 0 where scores.spaces are those of rows", uint64(handle))
	}
	if err := fault.First(checkCount(in.n, "scores.n"), checkCount(in.nSpaces, "scores.n_spaces")); err != nil {
		return nil, err
	}
	if in.nMagnitude != 0 && in.nMagnitude != in.n {
		return nil, cabi.Illegal("scores.n_magnitude is %d, must be 0 or scores.n, which is %d: rows are of several spaces",
			in.nMagnitude, in.n)
	}
	var open []structure.Space
	for i, handle := range in.spaces {
		sp, err := space(handle)
		if err != nil {
			return nil, fault.Wrap("scores.spaces[%d]: %w", i, err)
		}
		open = append(open, sp)
	}
	first := unsafe.Slice((*int)(unsafe.Pointer(unsafe.SliceData(in.first))), len(in.first))
	return structure.NewBatch(in.n, open, in.of, first, in.linear.Data, in.magnitude.Data)
}

// checkPartLen returns an error unless a number is that of the parts of one output, or of one output of all rows.
func (r rows) checkPartLen(name string, partLen int) error {
	if r.isPacked {
		return cabi.Equal(name, int64(partLen), "the outputs of all rows together", r.Parts())
	}
	return equal(name, C.int64_t(partLen), r.Spaces()[0].PartLen())
}

// checkFeatureLen returns an error unless a number is the length of ψ, or of ψ of all rows.
func (r rows) checkFeatureLen(name string, d int) error {
	return cabi.Equal(name, int64(d), "the scores", r.entries())
}

// entries returns the length of ψ, or of ψ of all rows.
func (r rows) entries() int {
	if r.isPacked {
		return r.Entries()
	}
	return r.Spaces()[0].FeatureLen()
}
