package structure

// Lattice is implemented by spaces of sets that are encoded by the 0/1 membership of their elements, their parts, with
// ψ(y) = y. With any two sets their union and their intersection are members, and from every set single elements that
// come or go lead to every other: the order ideals of a partial order are such a space. Chains that change one element
// at a time can then be followed from all states at once by following the least and the greatest (Propp and Wilson,
// 1996).
type Lattice interface {
	// Bounds writes the least and the greatest set, or returns false where the space with its parameters is no lattice.
	Bounds(least, greatest []int32) bool
	// Movable reports whether changing part i alone leads from the member y to another member. If a set that contains
	// another one lacks i and can take it, so can that one; if a set has i and can drop it, so can every subset that
	// has it: both follow from unions and intersections.
	Movable(y []int32, i int) bool
}

var (
	_ Lattice = labelSets{}
	_ Lattice = graphs{}
	_ Lattice = (*subtrees)(nil)
)

// Bounds gives the empty set and the set of all labels, where sets may have any size.
func (l labelSets) Bounds(least, greatest []int32) bool {
	mustLen("least", len(least), l.n)
	mustLen("greatest", len(greatest), l.n)
	if l.size >= 0 {
		return false
	}
	clear(least)
	for i := range greatest {
		greatest[i] = 1
	}
	return true
}

// Movable is true: every set is a member.
func (l labelSets) Movable([]int32, int) bool { return l.size < 0 }

// Bounds returns false: the score of a clique is no sum over its vertices.
func (c cliques) Bounds(_, _ []int32) bool { return false }

// Bounds gives the root alone and the whole tree.
func (t *subtrees) Bounds(least, greatest []int32) bool {
	mustLen("least", len(least), len(t.parent))
	mustLen("greatest", len(greatest), len(t.parent))
	clear(least)
	least[t.order[0]] = 1
	for v := range greatest {
		greatest[v] = 1
	}
	return true
}

// Movable asks that the parent is in and no child is. Cost: one look at each child.
func (t *subtrees) Movable(y []int32, v int) bool {
	p := t.parent[v]
	if p < 0 || y[p] == 0 {
		return false
	}
	for _, c := range t.order[t.below[v][0]:t.below[v][1]] {
		if y[c] == 1 {
			return false
		}
	}
	return true
}

// childRanges returns where the children of each node lie in the order of topDown, which lists nodes level by level and
// the children of one node together. Cost: O(n).
func childRanges(parent, order []int32) [][2]int32 {
	below := make([][2]int32, len(parent))
	for i, v := range order {
		p := parent[v]
		if p < 0 {
			continue
		}
		if below[p][1] == 0 {
			below[p][0] = int32(i)
		}
		below[p][1] = int32(i + 1)
	}
	return below
}
