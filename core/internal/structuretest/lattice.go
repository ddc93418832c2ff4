package structuretest

import (
	"slices"
	"testing"
)

// mostPairs bounds the number of pairs of sets whose union and intersection are looked up.
const mostPairs = 1 << 18

// lattice: ψ is the encoding, the bounds are members that lie below and above all, unions and intersections are members,
// Movable says whether the set with one element changed is in the list, and such changes join all sets.
func (e *enumerated) lattice(t *testing.T) {
	l := e.space.Facts().Lattice
	if l == nil {
		t.Skip("no Lattice")
	}
	parts := e.space.PartLen()
	least, greatest := garbageParts(parts), garbageParts(parts)
	l.BoundsTo(least, greatest)
	for _, bound := range [][]int32{least, greatest} {
		if _, member := e.index[key(bound)]; !member {
			t.Fatalf("the bound %v is not in the list", bound)
		}
	}
	seen := make([]map[int]float64, len(e.outputs))
	for i, y := range e.outputs {
		seen[i] = map[int]float64{}
		z := slices.Clone(y)
		for v, in := range y {
			if e.psi[i][v] != float64(in) {
				t.Fatalf("ψ_%d of %v is %v", v, y, e.psi[i][v])
			}
			if in < least[v] || in > greatest[v] {
				t.Fatalf("%v does not lie between the bounds %v and %v", y, least, greatest)
			}
			z[v] = 1 - in
			at, member := e.index[key(z)]
			if moves := l.Movable(y, v); moves != member {
				t.Fatalf("Movable(%v, %d) is %v, that %v is in the list is %v", y, v, moves, z, member)
			}
			if member {
				seen[i][at]++
			}
			z[v] = in
		}
	}
	if reached := reachable(seen); reached < len(e.outputs) {
		t.Errorf("changes of one element lead from the first set to %d of %d", reached, len(e.outputs))
	}
	pairs := 0
	for _, a := range e.outputs {
		for _, b := range e.outputs {
			if pairs++; pairs > mostPairs {
				return
			}
			union, common := make([]int32, parts), make([]int32, parts)
			for v := range a {
				union[v], common[v] = max(a[v], b[v]), min(a[v], b[v])
			}
			for _, set := range [][]int32{union, common} {
				if _, member := e.index[key(set)]; !member {
					t.Fatalf("%v, of %v and %v, is not in the list", set, a, b)
				}
			}
		}
	}
}
