package structure

import (
	"math"

	"combpred/core/tours"
)

var tourLaws pool[tours.Law]

// tourCost is the cost of the law of the closed tours through some of n vertices.
func tourCost(n int, marginals bool) float64 {
	cost := math.Ldexp(float64(n*n)/4, n)
	if marginals {
		cost *= 3
	}
	return cost
}

// checkLawSize returns the error of an exact law beyond its size, or nil.
func checkLawSize(what string, n, limit int) error {
	if n <= limit {
		return nil
	}
	return &LimitError{What: what, Size: n, Limit: limit, Alternatives: "take a smaller size"}
}
