// Package logsum adds numbers that are given by their logarithms, so that neither exp(700) nor exp(−700) is out of range.
//
// −Inf is the logarithm of 0. No result is NaN unless an argument is NaN or +Inf.
package logsum

import (
	"math"
	"math/rand/v2"
)

// Add returns ln(eᵃ + eᵇ).
func Add(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// negligible is how far below the largest term of a sum the logarithm of a term is that does not count, nor do 10⁹ of them.
const negligible = 60

// Of returns ln Σ exp(x), −Inf for no numbers. Negligible terms, which most are where logarithms are needed, cost no exponential.
func Of(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	var sum float64
	for _, v := range x {
		switch v -= top; {
		case v == 0:
			sum++
		case v > -negligible:
			sum += math.Exp(v)
		}
	}
	if sum == 1 {
		return top
	}
	return top + math.Log(sum)
}

// Softplus returns ln(1 + eˣ).
func Softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// Sigmoid returns 1/(1 + e⁻ˣ), the derivative of Softplus, with full relative precision.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// Share returns exp(part − whole) for a term of a sum and the sum, at most 1 whatever the rounding, and 0 of an empty
// sum.
func Share(part, whole float64) float64 {
	if math.IsInf(part, -1) {
		return 0
	}
	return math.Exp(min(part-whole, 0))
}

// PickWeight returns i with probability w[i] / Σ w. Not all weights may be 0. Cost: O(len(w)).
func PickWeight(w []float64, rng *rand.Rand) int {
	var sum float64
	for _, v := range w {
		sum += v
	}
	rest := rng.Float64() * sum
	last := -1
	for i, v := range w {
		if v > 0 {
			last = i
			if rest -= v; rest < 0 {
				break
			}
		}
	}
	return last // the sum may have been rounded up
}

// Pick returns i with probability exp(x[i]) / Σ exp(x). Not all numbers may be −Inf. Cost: O(len(x)).
func Pick(x []float64, rng *rand.Rand) int {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	rest := rng.Float64() * sum
	last := -1
	for i, v := range x {
		if w := math.Exp(v - top); w > 0 {
			if rest -= w; rest < 0 {
				return i
			}
			last = i
		}
	}
	return last // the sum was rounded up
}
