package main

import (
	"errors"
	"fmt"
	"testing"

	"combpred/core/parallel"
	"combpred/core/structure"
)

type numbered struct{ error }

func (numbered) Status() int32 { return 3 }

func TestErrorsHaveTheirStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int32
	}{
		{errors.New("any"), 1},
		{&structure.LimitError{}, 2},
		{&structure.CapabilityError{}, 2},
		{numbered{errors.New("own")}, 3},
		{parallel.ErrCancelled, 4},
		{&parallel.PanicError{}, 5},
	} {
		for _, err := range []error{c.err, fmt.Errorf("row 3: %w", c.err), errors.Join(c.err)} {
			if got := int32(statusOf(err)); got != c.want {
				t.Errorf("%T: status %d, want %d", err, got, c.want)
			}
		}
	}
}

func TestSplitMixIsABijectionOnASample(t *testing.T) {
	seen := make(map[uint64]bool)
	for i := range uint64(10_000) {
		seen[mix(i)] = true
	}
	if len(seen) != 10_000 {
		t.Errorf("%d values", len(seen))
	}
	// First output of SplitMix64 with seed 0, as published with the reference implementation.
	if got := mix(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("mix(0) = %#x", got)
	}
}
