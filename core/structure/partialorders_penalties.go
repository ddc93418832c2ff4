package structure

import (
	"math"
	"slices"
)

// penalty is what a value that a mask forbids costs in local search, after the scores of the row are scaled so that their magnitudes add up
// to less than 1. Two orders then differ by less than 2, so no score outweighs a violation.
const penalty = 4.0

// penalised returns scores for a search of all orders, scaled by a power of two, with penalties for the values that the mask forbids (an
// exact penalty method).
func (m pairMask) penalised(score Scores) Scores {
	var total float64
	for _, v := range slices.Concat(score.Linear, score.Magnitude) {
		total += math.Abs(v)
	}
	_, exponent := math.Frexp(total)
	linear, squares := make([]float64, len(m)), make([]float64, len(m))
	for i, v := range m {
		linear[i], squares[i] = math.Ldexp(score.Linear[i], -exponent), math.Ldexp(score.magnitude(i), -exponent)
		cost := func(x int8) float64 {
			if v.Has(x) {
				return 0
			}
			return penalty
		}
		switch v {
		case Plus: // without squares, so that 0 is better than −1
			linear[i] += penalty
		case Minus:
			linear[i] -= penalty
		default:
			linear[i] -= (cost(1) - cost(-1)) / 2
			squares[i] -= (cost(1)+cost(-1))/2 - cost(0)
		}
	}
	return Scores{Linear: linear, Magnitude: squares}
}
