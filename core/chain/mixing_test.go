package chain

import (
	"math"
	"testing"

	"combpred/core/structure"
)

// CoalescenceBoundIndependence returns within how many steps, with probability 1 − delta, all chains of META have met:
// ln(δ⁻¹)/β, with β as for MixingBoundIndependence. The mean is 1/β for the largest β.
func CoalescenceBoundIndependence(logBeta, delta float64) float64 {
	return math.Log(1/delta) * math.Exp(-logBeta)
}

// MixingBoundHeatBath returns the same for HeatBath on all subsets, ⌈d ln(d/ε)⌉: an element has met when it is drawn.
func MixingBoundHeatBath(d int, epsilon float64) float64 {
	n := float64(d)
	return math.Ceil(n * math.Log(n/epsilon))
}

// TestMixingBound: the bounds of Meta and Cube are those of their own functions, LocalMoves have one where the spectrum of the
// moves is known, which grows with the range of scores, and everything else has none.
func TestMixingBound(t *testing.T) {
	for _, c := range []struct {
		name   string
		space  structure.Space
		method Method
		spread float64
		want   func(epsilon float64) float64
	}{
		{"meta", mustNew(t, "cycles", 5), Meta, 2, func(e float64) float64 { return MixingBoundIndependence(-2, e) }},
		{"cube", mustNew(t, "labelsets", 5), CubeMoves, 40, func(e float64) float64 { return MixingBoundCube(5, e) }},
		{"exact", mustNew(t, "labelsets", 5), Reject, 1, func(float64) float64 { return math.Inf(1) }},
		{"no spectrum", mustNew(t, "cycles", 5), LocalMoves, 0, func(float64) float64 { return math.Inf(1) }},
		{"endless", mustNew(t, "permutations", 5), LocalMoves, math.Inf(1), func(float64) float64 { return math.Inf(1) }},
		{"random to random", mustNew(t, "permutations", 5), LocalMoves, 1, func(e float64) float64 {
			return math.Ceil((math.Log(0.5/e) + (math.Log(120)+1)/2) / -math.Log1p(-7.0/8*7/25*math.Exp(-1)))
		}},
		{"flips", mustNew(t, "labelsets", 5), LocalMoves, 40, func(e float64) float64 {
			return math.Ceil((math.Log(0.5/e) + (5*math.Ln2+40)/2) / -math.Log1p(-7.0/8/5))
		}},
	} {
		for _, epsilon := range []float64{0.01, 0.25} {
			if got, want := MixingBound(c.space, c.method, c.spread, epsilon), c.want(epsilon); got != want {
				t.Errorf("%s: %v steps to %v, should be %v", c.name, got, epsilon, want)
			}
		}
	}
}
