package structure

import "math"

var _ Partitioner = routes{}

// LogPartition sums over sets of places, as Decode maximises. It returns a *LimitError beyond 16 places. Cost: O(2ⁿ n²),
// with marginals about thrice that.
func (r routes) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	if err := r.checkSum(); err != nil {
		return 0, err
	}
	return sumTours(r, nil, marginals, scores, poll)
}

// Distribution draws places from the last to the first. Cost: O(n²) for each route.
func (r routes) Distribution(scores []float64, poll func() error) (Draw, error) {
	if err := r.checkSum(); err != nil {
		return nil, err
	}
	return drawTours(r, nil, scores, poll)
}

func (r routes) checkSum() error {
	return checkSumSize("the exact sum over all routes", "places", r.n, exactRoute)
}

func (r routes) partitionCost(marginals bool) float64 {
	if r.n > exactRoute {
		return math.Inf(1)
	}
	return tourCost(r.n, marginals)
}
