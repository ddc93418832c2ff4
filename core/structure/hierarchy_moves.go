package structure

import (
	"math/rand/v2"
	"slices"
)

var _ Proposer = (*hierarchy)(nil)

// Propose goes to any other allowed node. Cost: O(log n).
func (h *hierarchy) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), 1)
	at, _ := slices.BinarySearch(h.allowed, y[0])
	dst[0] = h.allowed[otherIndex(at, len(h.allowed), rng)]
}
