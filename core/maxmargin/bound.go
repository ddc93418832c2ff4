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

func (m *PerceptronTraining) beginBound() {
	h := m.head
	m.weights.Zero()
	m.p.expand(m.weights, m.oracle, func(dst []float64, i int) { copy(dst, m.steps.V.Row(i)) })
	for i := range m.order {
		m.order[i] = float64(i)
	}
	h[perRatio], h[perActive] = math.Inf(1), float64(len(m.order))
	m.beginRound()
}

func (m *PerceptronTraining) beginRound() {
	h := m.head
	h[perCursor], h[perRetained], h[perFound], h[perNewRatio], h[headPhase] = 0, 0, 0, math.Inf(1), phaseRatio
}

// askRatios decodes a batch with the ratio so far times the loss added, in the first round with the loss alone.
func (m *PerceptronTraining) askRatios() (Request, error) {
	s, h := m.oracle, m.head
	cursor := int(h[perCursor])
	count := min(s.f.Rows, int(h[perActive])-cursor)
	if count < 1 {
		return Request{}, errDamaged
	}
	copy(s.numbers, m.order[cursor:cursor+count])
	s.own[ownBlocks] = float64(count)
	if !s.intact() {
		return Request{}, errDamaged
	}
	if err := m.p.scoresTo(s.some(s.f), m.weights, s.numbers[:count], m.o.Workers); err != nil {
		return Request{}, err
	}
	h[headCount], h[headPhase] = 0, phaseRatioTaken
	for k := range count {
		s.askWeighted(k, h[perRatio])
	}
	return s.request()
}

func (m *PerceptronTraining) takeRatios() error {
	s, h := m.oracle, m.head
	count := s.count()
	if !s.intact() || int(h[perCursor])+count > int(h[perActive]) {
		return errDamaged
	}
	if err := s.checkFound(count); err != nil {
		return err
	}
	first := math.IsInf(h[perRatio], 1)
	for k := range count {
		if s.proven[k] != 1 {
			h[headPhase] = phaseDone
			return nil
		}
		block := int(s.numbers[k])
		row := m.p.row(block)
		psi, loss := s.psi.Row(k), m.p.Loss.of(row, s.psi.Row(k))
		var own, margin float64
		for j, y := range m.p.Psi.Row(row) {
			own += s.f.Row(k)[j] * y
			margin += s.f.Row(k)[j] * (y - psi[j])
		}
		smaller := loss > 0
		if !first {
			ratio := h[perRatio]
			smaller = smaller && ratio*loss-margin > ratioRounding*(ratio*loss+math.Abs(own))
		}
		if smaller {
			h[perFound] = 1
			h[perNewRatio] = min(h[perNewRatio], margin/loss)
		}
		if smaller || first {
			m.order[int(h[perRetained])] = float64(block)
			h[perRetained]++
		}
	}
	h[perCursor] += float64(count)
	h[headPhase] = phaseRatio
	if h[perCursor] < h[perActive] {
		return nil
	}
	if h[perFound] == 1 {
		h[perRatio], h[perActive] = min(h[perRatio], h[perNewRatio]), h[perRetained]
		if h[perRatio] > 0 {
			m.beginRound()
			return nil
		}
	}
	m.endBound()
	return nil
}

// endBound computes the bound from the least ratio.
func (m *PerceptronTraining) endBound() {
	h := m.head
	h[headPhase] = phaseDone
	if !(h[perRatio] > 0) {
		return
	}
	var far float64
	least, most := math.Inf(1), 0.0
	for i, weight := range m.p.Weights {
		far = max(far, m.p.squareNorm(i))
		least, most = min(least, weight), max(most, weight)
	}
	norm := linalg.Dot(m.weights.Data, m.weights.Data)
	h[perBound] = m.o.Squared * norm * far * (most / least) / (m.o.Least * h[perRatio] * h[perRatio])
}

var errPsi = fault.Value("what was found has no finite embedding")

// checkFound returns an error for the first of the outputs found that has not been embedded.
func (s *planes) checkFound(count int) error {
	for k := range count {
		for _, v := range s.psi.Row(k) {
			if !finite(v) {
				return fault.At(s.row(int(s.numbers[k])), errPsi)
			}
		}
	}
	return nil
}
