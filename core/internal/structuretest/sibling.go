package structuretest

import (
	"slices"
	"testing"

	"combpred/core/structure"
)

// sibling: the mirror image of an output is a member, has the output as its own mirror image, and the embeddings of both add up to
// twice the mean.
func (e *enumerated) sibling(t *testing.T) {
	mirror := e.space.Facts().Mirror
	if mirror == nil {
		t.Skip("no siblings")
	}
	mean := garbage(e.space.FeatureLen())
	e.space.(structure.Momenter).Mean(mean)
	image, back := garbageParts(e.space.PartLen()), garbageParts(e.space.PartLen())
	for i, y := range e.outputs {
		mirror(image, y)
		at, member := e.index[key(image)]
		if !member {
			t.Fatalf("the mirror image %v of %v is no member", image, y)
		}
		if mirror(back, image); !slices.Equal(back, y) {
			t.Errorf("the mirror image of %v is %v, whose own is %v", y, image, back)
		}
		for j, m := range mean {
			if e.psi[i][j]+e.psi[at][j] != 2*m {
				t.Fatalf("%v and %v: entries %d add up to %g, twice the mean is %g", y, image, j, e.psi[i][j]+e.psi[at][j], 2*m)
			}
		}
	}
}
