package fit

import (
	"testing"

	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// TestCoordinatesAreKeptWithTheSpace: no structure that can be learnt in has its coordinates built twice, by any of the calls that
// need them.
func TestCoordinatesAreKeptWithTheSpace(t *testing.T) {
	for _, spec := range structure.Catalogue() {
		for _, args := range structuretest.SizesOf(t, spec.Name).Small {
			s := space(t, spec.Name, args)
			if _, ok := s.(structure.Momenter); !ok {
				continue
			}
			o := plain()
			if _, err := o.Plan(s, 50, 0, 0); err != nil {
				t.Fatal(err)
			}
			before, _ := structure.DerivedBytes(s)
			first, err := o.coordinates(s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := o.Plan(s, 50, 0, 0); err != nil {
				t.Fatal(err)
			}
			again, err := o.coordinates(s)
			if now, _ := structure.DerivedBytes(s); err != nil || again != first || now != before || before < first.Bytes() {
				t.Errorf("%s: the coordinates are built again, error %v", structure.Describe(s), err)
			}
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	s, err := structure.New("cycles", sized(15))
	if err != nil {
		b.Fatal(err)
	}
	o := plain()
	for b.Loop() {
		if _, err := o.Plan(s, 1000, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}
