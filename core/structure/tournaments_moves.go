package structure

import "math/rand/v2"

var _ Proposer = tournaments{}

// Propose gives a random pair one of its two other values. Cost: O(d) to copy the rest.
func (t tournaments) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), t.len())
	copy(dst, y)
	pair := rng.IntN(len(y))
	dst[pair] = int32(otherIndex(int(y[pair]+1), 3, rng)) - 1
}

// moveGaps: of one pair the eigenvalues but the first are −1/2, and those of all are means over the pairs.
func (t tournaments) moveGaps() (below, above float64) {
	if t.len() == 0 {
		return 1, 1
	}
	return 1.5 / float64(t.len()), 0.5
}
