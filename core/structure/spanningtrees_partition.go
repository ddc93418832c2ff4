package structure

import (
	"math/rand/v2"

	"combpred/core/graph/spanning"
)

var _ Partitioner = spanningTrees{}

// LogPartition is the logarithm of a determinant (the matrix-tree theorem for weighted edges), and an edge has the
// probability of its conductance times the resistance between its ends. Scores may be of any size. Cost: at most O(n³), less for
// sparse graphs.
func (s spanningTrees) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), len(s.edges))
	if marginals == nil {
		return s.graph.LogSum(scores, poll)
	}
	mustLen("marginals", len(marginals), len(s.edges))
	return s.graph.EdgesTo(marginals, scores, poll)
}

// sums has the rate of the products of matrices in an elimination, measured.
func (s spanningTrees) sums() Sums {
	sums := sumsOf(s.partitionCost)
	sums.Rate, sums.Draws = 4e9, s.graph.Work() <= spanning.MaxDrawn
	return sums
}

func (s spanningTrees) partitionCost(marginals bool) float64 {
	elimination := 2 * s.graph.Work()
	if marginals {
		elimination *= 3
	}
	return elimination + 30*float64(len(s.edges)+s.graph.N())
}

// Distribution runs the elimination of vertices backwards, see spanning.Sampler. It returns a *LimitError beyond 512
// vertices of a complete graph, and beyond more of a sparse one. Cost: nearly O(n²) for each tree.
func (s spanningTrees) Distribution(scores []float64, poll func() error) (Draw, error) {
	mustLen("scores", len(scores), len(s.edges))
	if err := checkSumSize("drawing of weighted spanning trees", "products of an elimination of vertices", int(s.graph.Work()),
		spanning.MaxDrawn); err != nil {
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
