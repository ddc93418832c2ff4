package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/tours"
)

var (
	_ Partitioner = cycles{}
	_ Distributor = cycles{}
)

// LogPartition sums over sets of vertices, as Decode maximises. Each cycle is counted in both directions there, so that
// half of the sum is wanted, and an edge has the probability of its two arcs. It returns a *LimitError beyond 16 vertices.
// Cost: O(2ⁿ n²), with marginals about thrice that.
func (c cycles) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	law := tourLaws.get()
	defer tourLaws.put(law)
	if err := c.loadLaw(law, scores, 1, "the exact law of cycles by the number of vertices"); err != nil {
		return 0, err
	}
	logZ, err := c.sumTours(law, marginals, 1, poll)
	return logZ - math.Ln2, err
}

func (c cycles) PartitionCost(marginals bool) float64 { return c.lawCost(marginals) }

// Distribution draws a directed cycle and forgets its direction. Cost: O(n²) for each output.
func (c cycles) Distribution(scores []float64, poll func() error) (Draw, error) {
	law := new(tours.Law)
	if err := c.loadLaw(law, scores, 1, "the exact law of cycles by the number of vertices"); err != nil {
		return nil, err
	}
	if _, err := law.Sum(nil, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), c.n)
		k := law.DrawTo(dst, rng)
		padFrom(dst, k)
		normalDirection(dst[:k])
	}, nil
}
