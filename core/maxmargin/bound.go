package maxmargin

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
)

// The bound on the mistakes of a perceptron from zero weights on. With W of norm B the weights that separate, ρ the least ratio of margin
// and Hamming loss Δ, and ‖ψ(y) − ψ(z)‖² ≤ cΔ, mistakes k of weight w_k satisfy
//
//	ρ Σ_k w_k Δ_k ≤ ⟨W, W_n⟩ ≤ B ‖W_n‖,  ‖W_n‖² ≤ Σ_k w_k² ‖x_k‖² c Δ_k,
//
// W_n being the weights after n of them, the second as none of the outputs that beat y had a positive margin. Hence
// Σ_k w_k Δ_k ≤ c B² X² w_max / ρ² (Novikoff 1962; Collins 2002).
//
// ρ is found by Dinkelbach's iteration (1967, "On nonlinear fractional programming"): at the ratio so far, decoding with that many times
// the loss added finds an output of smaller ratio, or shows that there is none. There is no bound where decoding is not proven exact, and
// where W separates by no more than rounding errors.

// ratioRounding is the share of the scores below which they are alike.
const ratioRounding = 1e-12

// bound returns the bound, NaN where there is none.
func (t *perceptron) bound() (float64, error) {
	weights := t.newWeights()
	if err := t.expand(weights, func(dst []float64, i int) { copy(dst, t.steps.V.Row(i)) }); err != nil {
		return 0, err
	}
	ratio, active := math.Inf(1), inOrder(t.blocks()) // active: those that may still lower it
	for {
		next, rest, err := t.lowest(weights, ratio, active)
		if err != nil {
			return 0, err
		}
		if math.IsInf(next, 1) {
			break
		}
		if ratio, active = min(ratio, next), rest; !(ratio > 0) {
			break
		}
	}
	if !(ratio > 0) {
		return math.NaN(), nil
	}
	var far float64
	least, most := math.Inf(1), 0.0
	for i, weight := range t.Weights {
		far = max(far, t.squareNorm(i))
		least, most = min(least, weight), max(most, weight)
	}
	norm := linalg.Dot(weights.Data, weights.Data)
	return t.o.Squared * norm * far * (most / least) / (t.o.Least * ratio * ratio), nil
}

// lowest returns the least ratio below the given one that decoding with so many times the loss finds, with the loss alone for an infinite
// one; +Inf where there is none, NaN where that is not proven. rest, in the memory of active, are the blocks that may have a smaller one.
func (s *planes) lowest(weights matrix, ratio float64, active []int) (next float64, rest []int, err error) {
	next, rest = math.Inf(1), active[:0]
	isFirst := math.IsInf(ratio, 1)
	for lo := 0; lo < len(active); lo += s.f.Rows {
		s.numbers, s.asked = append(s.numbers[:0], active[lo:min(lo+s.f.Rows, len(active))]...), s.asked[:0]
		if err := fault.First(s.mon.Err(), s.score(weights)); err != nil {
			return next, rest, err
		}
		for k := range s.numbers {
			s.askWeighted(k, ratio)
		}
		if err := s.found(s.magnitude); err != nil {
			return next, rest, err
		}
		for k, block := range s.numbers {
			if !s.proven[k] {
				return math.NaN(), nil, nil
			}
			row := s.row(block)
			psi, loss := s.psi.Row(k), s.Loss.of(row, s.psi.Row(k))
			var own, margin float64
			for j, y := range s.Psi.Row(row) {
				own += s.f.Row(k)[j] * y
				margin += s.f.Row(k)[j] * (y - psi[j])
			}
			isSmaller := loss > 0 && (isFirst || ratio*loss-margin > ratioRounding*(ratio*loss+math.Abs(own)))
			if isSmaller {
				next = min(next, margin/loss)
			}
			if isSmaller || isFirst {
				rest = append(rest, block)
			}
		}
	}
	return next, rest, nil
}

var errPsi = fault.Value("what was found has no finite embedding")

// found gets an answer to the request about the blocks asked for, and returns an error for the first output that has not been embedded.
func (s *planes) found(magnitude matrix) error {
	if err := s.answered(magnitude); err != nil {
		return err
	}
	for k, block := range s.numbers {
		for _, v := range s.psi.Row(k) {
			if !finite(v) {
				return fault.At(s.row(block), errPsi)
			}
		}
	}
	return nil
}
