package structure

import (
	"math"

	"combpred/core/graph/tours"
)

var tourDistributions pool[tours.Distribution]

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
