package structuretest

import (
	"testing"

	"combpred/core/structure"
)

// facts: what the facts say of a behaviour the space has, and a Partitioner says what sums cost.
func (s subject) facts(t *testing.T) {
	f := s.space.Facts()
	for _, c := range []struct {
		what      string
		said, can bool
	}{
		{"moments", f.Moments != structure.ExactMoments || f.StandardError != nil || f.Spectrum != nil, is[structure.Momenter](s.space)},
		{"a table", f.Table.Rows > 0, is[structure.Enumerator](s.space)},
		{"a size to decode", f.TooLargeToDecode, is[structure.Decoder](s.space)},
		{"moves", f.Moves.Gain != nil || f.Moves.Below > 0, is[structure.Proposer](s.space)},
		{"costs of sums", f.Sums != structure.Sums{}, is[structure.Partitioner](s.space)},
		{"positions or sizes", f.Positions != nil || f.SizeMarginals != nil, is[structure.Partitioner](s.space)},
		{"other rows of data", f.Widths != nil || f.AnyWidth, is[structure.Reader](s.space)},
	} {
		if c.said && !c.can {
			t.Errorf("the facts know of %s, and the space has no such behaviour", c.what)
		}
	}
	if is[structure.Partitioner](s.space) && !(f.Sums.Plain > 0 && f.Sums.Marginals > 0) {
		t.Errorf("the costs of a Partitioner are %+v", f.Sums)
	}
	if (f.Loss == "") != (f.Decision == "") {
		t.Errorf("the loss is %q, the decision %q", f.Loss, f.Decision)
	}
}

func is[T any](s structure.Space) bool {
	_, ok := s.(T)
	return ok
}
