package structure

var _ Lattice = labelSets{}

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
