package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"combpred/core/fault"
)

func TestRowStandsBesideTheText(t *testing.T) {
	cause := fault.Numerical("score %d is NaN", 2)
	for _, c := range []struct {
		err         error
		kind        fault.Kind
		row         int
		text, shown string
	}{
		{cause, fault.KindNumerical, fault.NoRow, "score 2 is NaN", "score 2 is NaN"},
		{fault.At(3, cause), fault.KindNumerical, 3, "score 2 is NaN", "row 3: score 2 is NaN"},
		{fault.At(5, fault.At(3, cause)), fault.KindNumerical, 5, "score 2 is NaN", "row 5: score 2 is NaN"},
		{fault.Wrap("magnitude: %w", fault.At(3, cause)), fault.KindNumerical, 3, "magnitude: score 2 is NaN",
			"row 3: magnitude: score 2 is NaN"},
		{fault.Value("the start is no member: %w", cause), fault.KindValue, fault.NoRow, "the start is no member: score 2 is NaN",
			"the start is no member: score 2 is NaN"},
	} {
		if k, r, s := fault.KindOf(c.err), fault.RowOf(c.err), fault.TextOf(c.err); k != c.kind || r != c.row || s != c.text {
			t.Errorf("%v: kind %d, row %d, text %q", c.err, k, r, s)
		}
		if c.err.Error() != c.shown || !errors.Is(c.err, cause) {
			t.Errorf("%q, must be %q", c.err, c.shown)
		}
	}
}

func TestConstructorsGiveTheirKind(t *testing.T) {
	for want, f := range []func(string, ...any) error{
		fault.Value, fault.Capability, fault.Numerical, fault.Cancelled, fault.Budget, fault.Memory, fault.NotConverged,
	} {
		if err := f("%d %s", 1, "text"); fault.KindOf(err) != fault.Kind(want) || err.Error() != "1 text" {
			t.Errorf("%v of kind %d, must be of kind %d", err, fault.KindOf(err), want)
		}
	}
	if got := fault.KindOf(errors.New("any")); got != fault.KindValue {
		t.Errorf("an error of someone else's is of kind %d", got)
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
	cancelled := fault.Cancelled("cancelled")
	for _, err := range []error{
		general{errors.New("too large"), true},
		fmt.Errorf("%w", general{errors.New("too large"), true}),
		cancelled,
		fault.Wrap("the first pass: %w", cancelled),
	} {
		if got := fault.At(0, err); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
	if got := fault.RowOf(fault.At(3, general{errors.New("too large"), false})); got != 3 {
		t.Errorf("row %d is to blame, must be 3", got)
	}
}

func TestRowsOfPartsAreRenumbered(t *testing.T) {
	stop := errors.New("stop")
	behind := func(row int) int { return row + 1000 }
	if got := fault.Renumbered(fault.At(3, stop), behind); fault.RowOf(got) != 1003 || got.Error() != "row 1003: stop" {
		t.Error(got)
	}
	for _, err := range []error{stop, nil} {
		if got := fault.Renumbered(err, behind); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}
