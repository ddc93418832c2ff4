package structure

import "math/rand/v2"

var _ Proposer = spanningTrees{}

// Propose exchanges an edge, see spanning.Graph.ExchangeTo. Cost: O(n + d).
func (s spanningTrees) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), len(s.edges))
	s.graph.ExchangeTo(dst, y, rng)
}
