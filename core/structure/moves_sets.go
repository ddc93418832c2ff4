package structure

import "math/rand/v2"

// Moves between sets, those of labels, edges, vertices or nodes: one element comes, goes, or is exchanged.

var (
	_ Proposer = labelSets{}
	_ Proposer = graphs{}
	_ Gainer   = cliques{}
	_ Proposer = (*subtrees)(nil)
)

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

// Gain adds up the pairs of the vertex that came or went with the others in the set. Cost: O(n).
func (c cliques) Gain(z, y []int32, score Scores) (gain float64) {
	for v, in := range z {
		if in == y[v] {
			continue
		}
		for u, with := range z {
			if with == 1 && u != v {
				gain += score.indicator(c.scheme.number(u, v))
			}
		}
		if in == 0 {
			return -gain
		}
		return gain
	}
	return 0
}

// Propose draws a node other than the root. It leaves if no child of it is in, and comes if it is out and its parent in;
// otherwise nothing changes. A move and its way back draw the same node. Every subtree leads to that of the root alone,
// leaf by leaf. Cost: O(n).
func (t *subtrees) Propose(dst, y []int32, rng *rand.Rand) {
	n := len(t.parent)
	mustLen("dst", len(dst), n)
	copy(dst, y)
	if n == 1 {
		return
	}
	v := t.order[1+rng.IntN(n-1)] // the root is first
	if y[v] == 0 {
		dst[v] = y[t.parent[v]]
		return
	}
	for c, p := range t.parent {
		if p == v && y[c] == 1 {
			return
		}
	}
	dst[v] = 0
}
