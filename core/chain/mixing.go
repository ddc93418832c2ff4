package chain

import (
	"math"

	"combpred/core/structure"
)

// MixingBoundIndependence returns after how many steps the chain META is within epsilon of its target in total variation,
// from any start: ⌈ln ε⁻¹ / ln(1−β)⁻¹⌉ with β = exp(logBeta). It is exact for the worst start with β = E exp(h − max h)
// under the uniform distribution (Liu, 1996), and a bound with any smaller β, such as exp(min h − max h), or exp(−2BR) for
// scores of norm B and embeddings of norm R (Vembu, 2010, section 6.6.2). +Inf where no float64 is large enough.
func MixingBoundIndependence(logBeta, epsilon float64) float64 {
	if logBeta >= 0 {
		return 1
	}
	return math.Ceil(math.Log(1/epsilon) / -math.Log1p(-math.Exp(logBeta)))
}

// MixingBoundCube returns after how many steps the chain Cube on all subsets of d elements is within epsilon of its target
// in total variation, from any start: ⌈2d ln(d/ε)⌉. When an element is drawn, half of the time it is drawn to be what
// its score prefers, which all states accept; so each element has met with probability 1/(2d) a step. (The bound
// d ln(d/ε) of Vembu (2010), app. C.3, holds for the uniform distribution only.)
func MixingBoundCube(d int, epsilon float64) float64 {
	n := float64(d)
	return math.Ceil(2 * n * math.Log(n/epsilon))
}

// MixingBound returns after how many steps a chain for scores whose range is at most spread is within epsilon of its target
// in total variation, from any start; +Inf where nothing is proven. Meta and, on all subsets, CubeMoves have the bounds above.
//
// LocalMoves have one from the spectrum of the structure's moves, where that is known. Let 1 − g and −1 + h bound the
// eigenvalues of the moves, which have the uniform distribution. Then p ∝ exp(score) and the rule of Metropolis leave
// gaps of at least g e^{−D} and h e^{−D} for a range D of scores, as both Dirichlet forms, those of differences and of sums,
// lose no more than min p over max p. One step in eight stays, which leaves a smallest gap γ = min(7/8 g e^{−D},
// 1/4 + 7/8 h e^{−D}), and the distance after t steps is at most ½ (1−γ)ᵗ/√min p (Diaconis and Saloff-Coste, 1993), with
// min p ≥ e^{−D}/|Y|. Where entries are independent, each of v values, p is a product, whose gap is at least
// 1/(d(v−1)), however large scores are: the moves of one entry have that of Metropolis among v, which Liu (1996) gives. A
// structure that knows the least gap of its moves says itself what is left.
func MixingBound(space structure.Space, method Method, spread, epsilon float64) float64 {
	if spread = max(spread, 0); math.IsInf(spread, 1) {
		return spread
	}
	if method == Meta {
		return MixingBoundIndependence(-spread, epsilon)
	}
	size, err := structure.LogCount(space)
	if err != nil || math.IsNaN(size) {
		return math.Inf(1)
	}
	switch method {
	case CubeMoves:
		if d := space.PartLen(); space.Facts().Lattice != nil && math.Abs(size-float64(d)*math.Ln2) < 1e-9 {
			return MixingBoundCube(d, epsilon)
		}
	case LocalMoves:
		if facts := space.Facts(); facts.Moves.Below > 0 {
			return mixingBoundLocal(facts, space.FeatureLen(), spread, size, epsilon)
		}
	}
	return math.Inf(1)
}

func mixingBoundLocal(facts structure.Facts, d int, spread, size, epsilon float64) float64 {
	const moved = 1 - 1.0/HoldOneIn
	if size == 0 {
		return 0
	}
	below := max(facts.Moves.Below*math.Exp(-spread), facts.Moves.Least)
	if values := facts.FreeValues; len(values) > 1 {
		below = max(below, 1/float64(d*(len(values)-1)))
	}
	gap := min(moved*below, 2-2*moved+moved*facts.Moves.Above*math.Exp(-spread), 1)
	steps := (math.Log(0.5/epsilon) + (size+spread)/2) / -math.Log1p(-gap)
	return max(0, math.Ceil(steps))
}
