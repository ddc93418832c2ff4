package structuretest

import (
	"testing"

	"combpred/core/structure"
)

// derived is something to keep with a space.
type derived struct{ bytes int }

func (d *derived) Bytes() int { return d.bytes }

// keeps: a space that can be learnt in keeps what is derived from it, and knows how much that is.
func (s subject) keeps(t *testing.T) {
	if _, ok := s.space.(structure.Momenter); !ok {
		t.Skip("no Momenter")
	}
	before, ok := structure.DerivedBytes(s.space)
	if !ok {
		t.Fatal("with a Momenter what is derived must be kept: embed a pointer to a kept")
	}
	built := 0
	build := func() (*derived, error) {
		built++
		return &derived{bytes: 123}, nil
	}
	first, err := structure.Derive(s.space, build)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := structure.Derive(s.space, build); err != nil || again != first || built != 1 {
		t.Errorf("the same is built %d times, error %v", built, err)
	}
	if after, _ := structure.DerivedBytes(s.space); after-before != 123 {
		t.Errorf("%d bytes more are kept, want 123", after-before)
	}
}
