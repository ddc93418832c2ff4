package structure

// BoundsTo gives the root alone and the whole tree.
func (t *subtrees) BoundsTo(least, greatest []int32) {
	mustLen("least", len(least), len(t.parent))
	mustLen("greatest", len(greatest), len(t.parent))
	clear(least)
	least[t.order[0]] = 1
	for v := range greatest {
		greatest[v] = 1
	}
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
