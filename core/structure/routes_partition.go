package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/graph/tours"
)

var _ Partitioner = routes{}

// LogPartition sums over sets of places, as Decode maximises. It returns a *LimitError beyond 16 places. Cost: O(2ⁿ n²),
// with marginals about thrice that.
func (r routes) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	d := tourDistributions.get()
	defer tourDistributions.put(d)
	if err := r.loadScores(d, scores); err != nil {
		return 0, err
	}
	if marginals == nil {
		return d.Sum(nil, poll)
	}
	mustLen("marginals", len(marginals), r.FeatureLen())
	n := r.n + 1
	arcs := make([]float64, n*n)
	logZ, err := d.Sum(arcs, poll)
	for u := range r.n {
		marginals[r.start(u)], marginals[r.end(u)] = arcs[u+1], arcs[(u+1)*n]
		for v := range r.n {
			if v != u {
				marginals[r.arc(u, v)] = arcs[(u+1)*n+v+1]
			}
		}
	}
	return logZ, err
}

// loadScores gives the tours from the depot, vertex 0, the scores of their routes.
func (r routes) loadScores(d *tours.Distribution, scores []float64) error {
	mustLen("scores", len(scores), r.FeatureLen())
	if err := checkSumSize("the exact sum over all routes", "places", r.n, exactRoute); err != nil {
		return err
	}
	n := r.n + 1
	gain := d.Reset(n, true)
	gain[0] = 0
	for u := range r.n {
		gain[u+1], gain[(u+1)*n], gain[(u+1)*n+u+1] = scores[r.start(u)], scores[r.end(u)], 0
		for v := range r.n {
			if v != u {
				gain[(u+1)*n+v+1] = scores[r.arc(u, v)]
			}
		}
	}
	return nil
}

func (r routes) partitionCost(marginals bool) float64 {
	if r.n > exactRoute {
		return math.Inf(1)
	}
	return tourCost(r.n, marginals)
}

// Distribution draws places from the last to the first. Cost: O(n²) for each route.
func (r routes) Distribution(scores []float64, poll func() error) (Draw, error) {
	d := new(tours.Distribution)
	if err := r.loadScores(d, scores); err != nil {
		return nil, err
	}
	if _, err := d.Sum(nil, poll); err != nil {
		return nil, err
	}
	tour := make([]int32, r.n+1)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), r.n)
		k := d.DrawTo(tour, rng)
		for i, v := range tour[1:k] {
			dst[i] = v - 1
		}
		padFrom(dst, k-1)
	}, nil
}
