package structure

import (
	"math/rand/v2"
	"slices"
)

// Moves between outputs of one part: to any other one, all alike.

var (
	_ Proposer = multiClass{}
	_ Proposer = ordinal{}
	_ Proposer = (*posetElements)(nil)
	_ Proposer = (*hierarchy)(nil)
	_ Proposer = (*listed)(nil)
)

func (m multiClass) Propose(dst, y []int32, rng *rand.Rand)     { proposeIndex(dst, y, m.n, rng) }
func (o ordinal) Propose(dst, y []int32, rng *rand.Rand)        { proposeIndex(dst, y, o.n, rng) }
func (p *posetElements) Propose(dst, y []int32, rng *rand.Rand) { proposeIndex(dst, y, p.n, rng) }
func (l *listed) Propose(dst, y []int32, rng *rand.Rand)        { proposeIndex(dst, y, l.psi.Rows, rng) }

// Propose goes to any other allowed node. Cost: O(log n).
func (h *hierarchy) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), 1)
	at, _ := slices.BinarySearch(h.allowed, y[0])
	dst[0] = h.allowed[otherIndex(at, len(h.allowed), rng)]
}

func proposeIndex(dst, y []int32, n int, rng *rand.Rand) {
	mustLen("dst", len(dst), 1)
	dst[0] = int32(otherIndex(int(y[0]), n, rng))
}

// otherIndex draws an index below n other than i, or returns i where there is none.
func otherIndex(i, n int, rng *rand.Rand) int {
	if n == 1 {
		return i
	}
	j := rng.IntN(n - 1)
	if j >= i {
		j++
	}
	return j
}
