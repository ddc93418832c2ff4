package structure

import (
	"math/rand/v2"

	"combpred/core/graph/tours"
)

var _ Partitioner = directedCycles{}

// LogPartition sums over sets of vertices, as Decode maximises. It returns a *LimitError beyond 16 vertices. Cost: O(2ⁿ
// n²), with marginals about thrice that.
func (c directedCycles) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	d := tourDistributions.get()
	defer tourDistributions.put(d)
	if err := c.loadScores(d, scores, -1, "the exact sum over all directed cycles"); err != nil {
		return 0, err
	}
	return c.sumTours(d, marginals, -1, poll)
}

// Distribution costs O(n²) for each output.
func (c directedCycles) Distribution(scores []float64, poll func() error) (Draw, error) {
	d := new(tours.Distribution)
	if err := c.loadScores(d, scores, -1, "the exact sum over all directed cycles"); err != nil {
		return nil, err
	}
	if _, err := d.Sum(nil, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), c.n)
		padFrom(dst, d.DrawTo(dst, rng))
	}, nil
}
