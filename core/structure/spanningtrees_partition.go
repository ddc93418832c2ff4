package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/graph/spanning"
)

var _ Partitioner = spanningTrees{}

// LogPartition is the logarithm of a determinant (the matrix-tree theorem for weighted edges), and an edge has the
// probability of its share in the conductance between its ends. Neither subtracts anything, so that scores may be of any
// size. With marginals it returns a *LimitError beyond 1024 vertices. Cost: at most O(n³), for both.
func (s spanningTrees) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), len(s.edges))
	if marginals != nil {
		mustLen("marginals", len(marginals), len(s.edges))
		if err := checkSumSize("the exact computation of probabilities of edges in spanning trees", "vertices", s.graph.N(),
			spanning.MaxSummed); err != nil {
			return 0, err
		}
		if err := s.graph.EdgesTo(marginals, scores, poll); err != nil {
			return 0, err
		}
	}
	return s.graph.LogSum(scores, poll)
}

func (s spanningTrees) partitionCost(marginals bool) float64 {
	n := float64(s.graph.N())
	switch {
	case !marginals:
		return 10*n*n*n + float64(len(s.edges))
	case s.graph.N() > spanning.MaxSummed:
		return math.Inf(1)
	}
	return 40*n*n*n + float64(len(s.edges))
}

// Distribution runs the elimination of vertices backwards, see spanning.Sampler. It returns a *LimitError beyond 512
// vertices. Cost: nearly O(n²) for each tree.
func (s spanningTrees) Distribution(scores []float64, poll func() error) (Draw, error) {
	mustLen("scores", len(scores), len(s.edges))
	if err := checkSumSize("drawing of weighted spanning trees", "vertices", s.graph.N(), spanning.MaxDrawn); err != nil {
		return nil, err
	}
	sampler, err := s.graph.NewSampler(scores, poll)
	if err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), len(s.edges))
		sampler.DrawTo(dst, rng)
	}, nil
}
