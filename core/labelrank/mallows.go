package labelrank

import "math"

// halvings of [0, 1]: to 1e-18.
const halvings = 60

// mallows fits Mallows' model p(y) ∝ q^D(y, centre), with D Kendall's distance and q = exp(−θ), to preferences.
type mallows struct {
	sums  []float64 // S_j = 1 + q + … + q^(j−1), from j = 1 on
	atGap []float64 // of what is stated about labels g places apart in the centre, from g = 1 on
}

func newMallows(labels int) *mallows {
	return &mallows{sums: make([]float64, labels), atGap: make([]float64, labels-1)}
}

// fit returns θ and the probability of the centre. Of each pair u < v of labels, net is the weight of what prefers u less the weight of
// what prefers v, and stated is their sum. As much weight is against the centre as the model expects, which for full rankings is the
// likelihood equation. θ is 0 where half of the weight or more is against the centre, and infinite where none is. Cost: O(k²).
func (m *mallows) fit(centre []int32, net, stated []float64) (theta, probability float64) {
	clear(m.atGap)
	var reverse, total float64
	p := 0
	for u, first := range centre {
		for _, second := range centre[u+1:] {
			gap := int(second - first)
			if gap > 0 {
				reverse += (stated[p] - net[p]) / 2
			} else {
				reverse += (stated[p] + net[p]) / 2
				gap = -gap
			}
			m.atGap[gap-1] += stated[p]
			total += stated[p]
			p++
		}
	}
	q := m.decay(max(reverse, 0), total)
	m.sumTo(q)
	probability = 1
	for _, s := range m.sums {
		probability /= s
	}
	return math.Abs(math.Log(q)), probability
}

// decay returns the q in [0, 1] at which the expected weight of reversed preferences is as given, by bisection. The expectation grows
// with q, from 0 to half of all weight at q = 1. There the search ends, too, where more than half is reversed, which a centre found by
// search may leave.
func (m *mallows) decay(reverse, total float64) float64 {
	switch {
	case reverse >= total/2:
		return 1
	case reverse == 0:
		return 0
	}
	low, high := 0.0, 1.0
	for range halvings {
		if q := (low + high) / 2; m.reversed(q) < reverse {
			low = q
		} else {
			high = q
		}
	}
	return high
}

// reversed returns the expected weight of reversed preferences. Labels g places apart are reversed with probability
// q^g Σ_{j≤g} S_j / (S_g S_{g+1}), the form without cancellation of Mallows's (1957) 1 + h_g − h_{g+1}, h_i = i/(1 − q^i).
func (m *mallows) reversed(q float64) float64 {
	m.sumTo(q)
	power, sums, out := 1.0, 0.0, 0.0
	for g, weight := range m.atGap {
		power *= q
		sums += m.sums[g]
		out += weight * power * sums / (m.sums[g] * m.sums[g+1])
	}
	return out
}

// sumTo writes the partial sums of the powers of q, whose product is Σ_y q^D(y, centre).
func (m *mallows) sumTo(q float64) {
	power, sum := 1.0, 0.0
	for j := range m.sums {
		sum += power
		m.sums[j] = sum
		power *= q
	}
}
