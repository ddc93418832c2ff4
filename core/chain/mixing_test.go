package chain

import "math"

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
