package drawtest

import (
	"math"
	"math/rand/v2"
)

// Mixed is the scale of scores of very different sizes, some of them 0.
const Mixed = -1

// Score draws a normal score of a scale. Beside the largest of Mixed ones the others still decide between outputs, so that switches
// from numbers to logarithms must not go by the largest alone.
func Score(scale float64, rng *rand.Rand) float64 {
	switch {
	case scale != Mixed:
		return scale * rng.NormFloat64()
	case rng.IntN(4) == 0:
		return 0
	}
	return math.Pow(10, 12*rng.Float64()-3) * rng.NormFloat64()
}
