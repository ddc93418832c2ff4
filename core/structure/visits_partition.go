package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/graph/tours"
)

var tourDistributions pool[tours.Distribution]

// loadTours loads the tours of a space within a mask, nil where there is none.
func loadTours[S tourSpace](d *tours.Distribution, s S, within *tours.Mask, scores []float64) {
	mustLen("scores", len(scores), s.FeatureLen())
	n, anchored, _ := s.problem()
	s.weigh(d.Reset(n, anchored), Scores{Linear: scores})
	if within != nil {
		d.Restrict(within)
	}
}

// sumTours returns ln Z over the outputs within a mask, and writes the mean of ψ to marginals, unless that is nil.
func sumTours[S tourSpace](s S, within *tours.Mask, marginals, scores []float64, poll func() error) (float64, error) {
	d := tourDistributions.get()
	defer tourDistributions.put(d)
	loadTours(d, s, within, scores)
	n, _, eitherWay := s.problem()
	var steps []float64
	if marginals != nil {
		mustLen("marginals", len(marginals), s.FeatureLen())
		steps = make([]float64, n*n)
	}
	logZ, err := d.Sum(steps, poll)
	if err != nil {
		return 0, tourError(err)
	}
	if marginals != nil {
		s.average(marginals, steps)
	}
	if eitherWay {
		logZ -= math.Ln2
	}
	return logZ, nil
}

// drawTours returns what draws outputs within a mask. Cost: O(n²) for each.
func drawTours[S tourSpace](s S, within *tours.Mask, scores []float64, poll func() error) (Draw, error) {
	d := new(tours.Distribution)
	loadTours(d, s, within, scores)
	if _, err := d.Sum(nil, poll); err != nil {
		return nil, tourError(err)
	}
	n, _, _ := s.problem()
	tour := make([]int32, n)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), s.PartLen())
		s.show(dst, tour[:d.DrawTo(tour, rng)])
	}, nil
}

// tourCost is the cost of summing over the closed tours through some of n vertices.
func tourCost(n int, marginals bool) float64 {
	cost := math.Ldexp(float64(n*n)/4, n)
	if marginals {
		cost *= 3
	}
	return cost
}

// checkSumSize returns the error of an exact sum or sampler beyond its size, which counts units, or nil.
func checkSumSize(what, unit string, n, limit int) error {
	if n <= limit {
		return nil
	}
	return &LimitError{What: what, Size: n, Limit: limit, Unit: unit, Alternatives: "take a smaller size"}
}
