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
	if _, ok := s.space.(structure.Moments); !ok {
		t.Skip("no Moments")
	}
	keeper, ok := s.space.(structure.Keeper)
	if !ok {
		t.Fatal("a space with Moments must be a Keeper: embed a pointer to a kept")
	}
	before := keeper.KeptBytes()
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
	if got := keeper.KeptBytes() - before; got != 123 {
		t.Errorf("%d bytes more are kept, want 123", got)
	}
}
