package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/graph/tours"
)

var _ Partitioner = cycles{}

// LogPartition sums over sets of vertices, as Decode maximises. Each cycle is counted in both directions there, so that
// half of the sum is wanted, and an edge has the probability of its two arcs. It returns a *LimitError beyond 16 vertices.
// Cost: O(2ⁿ n²), with marginals about thrice that.
func (c cycles) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	d := tourDistributions.get()
	defer tourDistributions.put(d)
	if err := c.loadScores(d, scores, 1, "the exact sum over all cycles"); err != nil {
		return 0, err
	}
	logZ, err := c.sumTours(d, marginals, 1, poll)
	return logZ - math.Ln2, err
}

// Distribution draws a directed cycle and forgets its direction. Cost: O(n²) for each output.
func (c cycles) Distribution(scores []float64, poll func() error) (Draw, error) {
	d := new(tours.Distribution)
	if err := c.loadScores(d, scores, 1, "the exact sum over all cycles"); err != nil {
		return nil, err
	}
	if _, err := d.Sum(nil, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), c.n)
		k := d.DrawTo(dst, rng)
		padFrom(dst, k)
		normalDirection(dst[:k])
	}, nil
}
