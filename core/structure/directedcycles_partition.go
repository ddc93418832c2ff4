package structure

import (
	"math/rand/v2"

	"combpred/core/tours"
)

var (
	_ Partitioner = directedCycles{}
	_ Distributor = directedCycles{}
)

// LogPartition sums over sets of vertices, as Decode maximises. It returns a *LimitError beyond 16 vertices. Cost: O(2ⁿ
// n²), with marginals about thrice that.
func (c directedCycles) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	law := tourLaws.get()
	defer tourLaws.put(law)
	if err := c.loadLaw(law, scores, -1, "the exact law of directed cycles by the number of vertices"); err != nil {
		return 0, err
	}
	return c.sumTours(law, marginals, -1, poll)
}

func (c directedCycles) PartitionCost(marginals bool) float64 { return c.lawCost(marginals) }

// Distribution costs O(n²) for each output.
func (c directedCycles) Distribution(scores []float64, poll func() error) (Draw, error) {
	law := new(tours.Law)
	if err := c.loadLaw(law, scores, -1, "the exact law of directed cycles by the number of vertices"); err != nil {
		return nil, err
	}
	if _, err := law.Sum(nil, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), c.n)
		padFrom(dst, law.DrawTo(dst, rng))
	}, nil
}
