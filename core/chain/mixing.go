package chain

import "math"

// MixingBoundIndependence returns after how many steps the chain META is within epsilon of its target in total variation,
// from any start: ⌈ln ε⁻¹ / ln(1−β)⁻¹⌉ with β = exp(logBeta). It is exact for the worst start with β = E exp(h − max h)
// under the uniform distribution (Liu, 1996), and a bound with any smaller β, such as exp(min h − max h), or exp(−2BR) for
// scores of norm B and embeddings of norm R (Vembu, 2010, ch. 6). +Inf where no float64 is large enough.
func MixingBoundIndependence(logBeta, epsilon float64) float64 {
	if logBeta >= 0 {
		return 1
	}
	return math.Ceil(math.Log(1/epsilon) / -math.Log1p(-math.Exp(logBeta)))
}

// MixingBoundCube returns after how many steps the chain Cube on all subsets of d elements is within epsilon of its target
// in total variation, from any start: ⌈2d ln(d/ε)⌉. When an element is drawn, half of the time it is drawn to be what
// its score prefers, which all states accept; so each element has met with probability 1/(2d) a step. (The bound
// d ln(d/ε) of Vembu (2010), ch. 6, holds for the uniform distribution only.)
func MixingBoundCube(d int, epsilon float64) float64 {
	n := float64(d)
	return math.Ceil(2 * n * math.Log(n/epsilon))
}
