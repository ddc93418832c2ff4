package structure

import "math/rand/v2"

var _ Proposer = labelSets{}

// Propose adds or drops a random label. Sets of one size exchange a random member for a random label that is none: as
// all sets have as many pairs of these, a move and its way back have the same probability. Cost: O(n).
func (l labelSets) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), l.n)
	copy(dst, y)
	if l.size < 0 {
		dst[rng.IntN(l.n)] ^= 1
		return
	}
	if l.size == 0 || l.size == l.n {
		return
	}
	leaves, comes := rng.IntN(l.size), rng.IntN(l.n-l.size)
	for i, in := range y {
		if in == 1 {
			if leaves == 0 {
				dst[i] = 0
			}
			leaves--
		} else {
			if comes == 0 {
				dst[i] = 1
			}
			comes--
		}
	}
}
