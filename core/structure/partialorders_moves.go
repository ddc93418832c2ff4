package structure

import "math/rand/v2"

var _ Proposer = partialOrders{}

// Propose draws an ordered pair of items. If the first is before the second with nothing between them, their relation is
// removed; if they are unrelated, it is added where the order stays transitive; otherwise nothing changes. A move and its
// way back draw the same pair, and removing one relation after the other leads from every order to that without
// relations. Cost: O(d) to copy the rest, O(n) for the move.
func (p partialOrders) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), p.len())
	copy(dst, y)
	u := rng.IntN(p.n)
	v := otherIndex(u, p.n, rng)
	switch before := p.before(y, u, v); {
	case before && !p.between(y, u, v):
		dst[p.pair(u, v)] = 0
	case !before && !p.before(y, v, u) && p.addable(y, u, v):
		dst[p.pair(u, v)] = int32(sign(u < v))
	}
}

// between reports whether an item lies between u and v.
func (p partialOrders) between(y []int32, u, v int) bool {
	for w := range p.n {
		if w != u && w != v && p.before(y, u, w) && p.before(y, w, v) {
			return true
		}
	}
	return false
}

// addable reports whether putting u before v implies no other relation: what is before u is before v, and what is after v
// is after u.
func (p partialOrders) addable(y []int32, u, v int) bool {
	for w := range p.n {
		if w == u || w == v {
			continue
		}
		if p.before(y, w, u) && !p.before(y, w, v) || p.before(y, v, w) && !p.before(y, u, w) {
			return false
		}
	}
	return true
}
