package structure

import "math/rand/v2"

var _ Proposer = (*subtrees)(nil)

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
