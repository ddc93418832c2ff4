package structure

import (
	"errors"
	"testing"

	"combpred/core/parallel"
	"combpred/core/structure/examples"
)

type number int

func (number) Bytes() int { return 8 }

type text string

func (t text) Bytes() int { return len(t) }

// TestDeriveBuildsOnce: each kind of thing is built once for a space, at whatever the same time it is asked for, and for each
// space anew.
func TestDeriveBuildsOnce(t *testing.T) {
	space, other := mustNew(t, "cycles", examples.Sized(5)), mustNew(t, "cycles", examples.Sized(5))
	built := 0 // guarded by the space
	err := parallel.For(200, 1, 8, nil, func(int, int) error {
		n, err := Derive(space, func() (number, error) {
			built++
			return 7, nil
		})
		if err == nil && n != 7 {
			err = errors.New("another number")
		}
		return err
	})
	if err != nil || built != 1 {
		t.Errorf("built %d times, error %v", built, err)
	}
	if s, err := Derive(space, func() (text, error) { return "seven", nil }); err != nil || s != "seven" {
		t.Errorf("beside a number the text %q is kept, error %v", s, err)
	}
	if n, err := Derive(other, func() (number, error) { return 8, nil }); err != nil || n != 8 {
		t.Errorf("another space has the number %d, error %v", n, err)
	}
	if got, _ := DerivedBytes(space); got != 8+5 {
		t.Errorf("%d bytes are kept, want 13", got)
	}
}

// TestDeriveForgetsErrors: what failed is tried again.
func TestDeriveForgetsErrors(t *testing.T) {
	space := mustNew(t, "multiclass", examples.Sized(3))
	refusal := errors.New("not now")
	if n, err := Derive(space, func() (number, error) { return 3, refusal }); err != refusal || n != 0 {
		t.Errorf("got %d with the error %v", n, err)
	}
	if n, err := Derive(space, func() (number, error) { return 4, nil }); err != nil || n != 4 {
		t.Errorf("got %d with the error %v", n, err)
	}
}

// TestDeriveWithoutKeeper: a space that keeps nothing has everything built anew.
func TestDeriveWithoutKeeper(t *testing.T) {
	space := struct{ Space }{mustNew(t, "multiclass", examples.Sized(3))}
	for want := range number(3) {
		if n, err := Derive(space, func() (number, error) { return want, nil }); err != nil || n != want {
			t.Errorf("got %d with the error %v, want %d", n, err, want)
		}
	}
}
