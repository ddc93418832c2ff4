package structure

import "math/rand/v2"

var _ Proposer = assignments{}

// Propose exchanges the columns of two random rows. Cost: O(n).
func (a assignments) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), a.n)
	copy(dst, y)
	if a.n == 1 {
		return
	}
	i := rng.IntN(a.n)
	j := otherIndex(i, a.n, rng)
	dst[i], dst[j] = dst[j], dst[i]
}

// moveGaps are those of random transpositions (Diaconis and Shahshahani, 1981), which change between even and odd.
func (a assignments) moveGaps() (below, above float64) {
	if a.n == 1 {
		return 1, 1
	}
	return 2 / float64(a.n-1), 0
}
