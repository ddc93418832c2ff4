package structure

// BoundsTo gives the empty set and the set of all labels.
func (l labelSets) BoundsTo(least, greatest []int32) {
	mustLen("least", len(least), l.n)
	mustLen("greatest", len(greatest), l.n)
	clear(least)
	for i := range greatest {
		greatest[i] = 1
	}
}

// Movable is true: every set is a member.
func (l labelSets) Movable([]int32, int) bool { return true }
