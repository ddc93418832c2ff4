package structure

import "math/rand/v2"

// Moves between relations: those of one pair change.

var (
	_ Gainer = tournaments{}
	_ Gainer = partialOrders{}
)

// Propose gives a random pair one of its two other values. Cost: O(d) to copy the rest.
func (t tournaments) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), t.len())
	copy(dst, y)
	pair := rng.IntN(len(y))
	dst[pair] = int32(otherIndex(int(y[pair]+1), 3, rng)) - 1
}

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

// before reports whether u is before v in the relation y.
func (r relations) before(y []int32, u, v int) bool {
	if u < v {
		return y[r.pair(u, v)] == 1
	}
	return y[r.pair(u, v)] == -1
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

// Gain costs a comparison for each pair.
func (r relations) Gain(z, y []int32, score Scores) (gain float64) {
	for i, v := range z {
		if v != y[i] {
			gain += float64(v-y[i])*score.Linear[i] + float64(v*v-y[i]*y[i])*score.magnitude(i)
		}
	}
	return gain
}
