package badrow

import (
	"errors"
	"fmt"
	"testing"

	"combpred/core/parallel"
)

func TestRowIsANumberAndInTheText(t *testing.T) {
	cause := errors.New("score 2 is NaN")
	for _, c := range []struct {
		err  error
		text string
	}{
		{At(3, cause), "row 3: score 2 is NaN"},
		{Named(3, "fit: row %d: %w", 3, cause), "fit: row 3: score 2 is NaN"},
		{fmt.Errorf("decode: %w", At(3, cause)), "decode: row 3: score 2 is NaN"},
		{At(3, general{cause, false}), "row 3: score 2 is NaN"},
	} {
		found, ok := errors.AsType[*Error](c.err)
		if !ok || found.Row != 3 || !errors.Is(c.err, cause) || c.err.Error() != c.text {
			t.Errorf("%v: %+v", c.err, found)
		}
	}
}

// general is an error that tells whether it is about every row.
type general struct {
	error
	everyRow bool
}

func (g general) Unwrap() error { return g.error }

func (g general) EveryRow() bool { return g.everyRow }

func TestNoRowIsToBlameForWhatAllShare(t *testing.T) {
	for _, err := range []error{
		general{errors.New("too large"), true},
		fmt.Errorf("%w", general{errors.New("too large"), true}),
		parallel.ErrCancelled,
		fmt.Errorf("decode: %w", parallel.ErrCancelled),
	} {
		if got := At(0, err); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}

func TestRowsOfPartsAreRenumbered(t *testing.T) {
	stop := errors.New("stop")
	behind := func(row int) int { return row + 1000 }
	bad, ok := errors.AsType[*Error](Renumbered(fmt.Errorf("decode: %w", At(3, stop)), behind))
	if !ok || bad.Row != 1003 || !errors.Is(bad, stop) || bad.Error() != "row 1003: stop" {
		t.Error(bad)
	}
	for _, err := range []error{stop, nil, Named(3, "fit: row %d: %w", 3, stop)} {
		if got := Renumbered(err, behind); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}
