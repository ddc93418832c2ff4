package structure

import "math/rand/v2"

var _ Proposer = spanningTrees{}

// Propose exchanges an edge, see spanning.Graph.ExchangeTo. Cost: O(n + d).
func (s spanningTrees) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), len(s.edges))
	s.graph.ExchangeTo(dst, y, rng)
}

// moveGaps: with c edges outside of a tree, a move is at least as probable as one of the walk that takes one of them at random, and then
// any edge of the cycle that it closes. That is the down-up walk on the complements of trees, the bases of a matroid of rank c, whose gap
// is at least 1/c (Anari, Liu, Oveis Gharan and Vinzant, 2019).
func (s spanningTrees) moveGaps() (below, above float64) { return 1 / float64(s.outside()), 0 }

// leastGap: with weights w of edges, that walk drops the edge f of a cycle C after e has come with the probability (1/w_f) / Σ_g (1/w_g)
// over g in C. That is at most 1/w_f / (1/w_e + 1/w_f) ≤ min(1, w_e/w_f), with which Metropolis accepts a move that is proposed with
// 1/(|C| − 1) of the probability of e, hence with 1/r and more for trees of r edges. Its gap is at least 1/c for all weights (likewise).
func (s spanningTrees) leastGap() float64 {
	return 1 / (float64(s.outside()) * float64(max(1, len(s.edges)-s.outside())))
}

// outside returns how many edges are outside of a tree.
func (s spanningTrees) outside() int { return max(1, s.graph.OutsideLen()) }
