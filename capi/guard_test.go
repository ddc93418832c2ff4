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
