package maxmargin

import (
	"math"

	"combpred/core/linalg"
)

// The search of slack rescaling for the output z of largest a·b, a = Δ(z) and b = 1 − ⟨f, ψ_i − ψ(z)⟩. Decoding with the loss added μ
// times finds one of largest F(μ) = max μa + b. The weights μ where F has its corners lead along the upper hull of all pairs (a, b)
// (Sarawagi and Gupta 2008, "Accurate max-margin training for structured output spaces", search so for a loss divided by the margin). As
// ab ≤ (μa + b)²/4μ for b ≥ 0, every product is at most min_μ F(μ)²/4μ; the best pair met is proven best where it reaches that bound.
// Where it lies inside the hull, it may be missed.
const (
	searchOwn  = iota // ⟨f, ψ_i⟩
	searchLowA        // the pair of largest b
	searchLowB
	searchHighA // that of largest a
	searchHighB
	searchLoss // the best pair so far, y itself with loss 0 to begin with
	searchSlack
	searchBound
	searchExact  // all decodings were proven
	searchActive // the search goes on
	searchWeight // μ of the decoding under way
	searchLen
)

const (
	hullRounds = 40   // breakpoints looked at for a row; a handful is common
	hullProven = 1e-9 // of the largest product: what is found and its bound agree
	hullCorner = 1e-12
)

func (s *planes) searchOf(k int) []float64 { return s.search[k*searchLen : (k+1)*searchLen] }

// bySearch makes the first two decodings, of largest b and of largest a, and then one for each corner.
func (s *planes) bySearch(stage int) (bool, error) {
	if stage == 0 {
		s.startSearch()
	} else {
		place := 0
		for k := range s.count() {
			if s.searchOf(k)[searchActive] != 0 {
				s.take(k, place, stage)
				place++
			}
		}
	}
	s.head[headCount] = 0
	for k := range s.count() {
		h := s.searchOf(k)
		if h[searchActive] == 0 {
			continue
		}
		switch {
		case stage == 0:
			h[searchWeight] = 0
		case stage == 1:
			h[searchWeight] = math.Inf(1)
		case stage == 2+hullRounds:
			h[searchActive] = 0
			continue
		default:
			rise, fall := h[searchHighA]-h[searchLowA], h[searchLowB]-h[searchHighB]
			if rise <= 0 || fall <= 0 { // a pair that is largest in both has the largest product
				h[searchBound] = min(h[searchBound], max(h[searchLoss]*h[searchSlack], 0))
				h[searchActive] = 0
				continue
			}
			h[searchWeight] = fall / rise
		}
		s.askWeighted(k, h[searchWeight])
	}
	if s.head[headCount] > 0 {
		return false, nil
	}
	s.finishSearch()
	return true, nil
}

func (s *planes) startSearch() {
	for k := range s.count() {
		own, h := s.Psi.Row(s.row(int(s.numbers[k]))), s.searchOf(k)
		clear(h)
		h[searchOwn] = linalg.Dot(s.f.Row(k), own)
		h[searchSlack], h[searchBound], h[searchExact], h[searchActive] = 1, math.Inf(1), 1, 1
		copy(s.best.Row(k), own)
	}
}

// askWeighted asks for the output of largest loss times a weight plus score, for infinity that of largest loss.
func (s *planes) askWeighted(k int, weight float64) {
	place := s.ask(k)
	loss := s.Loss.scores(s.row(int(s.numbers[k])))
	linear, factor := s.linear.Row(place), weight
	if math.IsInf(weight, 1) {
		factor = 1
		clear(linear)
	} else {
		copy(linear, s.f.Row(k))
	}
	linalg.Axpy(linear, loss.Linear, factor)
	if s.magnitude.Rows > 0 {
		for j, t := range loss.Magnitude {
			s.magnitude.Row(place)[j] = factor * t
		}
	}
}

// take takes in what decoding has found for a block.
func (s *planes) take(k, place, stage int) {
	h, psi := s.searchOf(k), s.psi.Row(place)
	a, b := s.Loss.of(s.row(int(s.numbers[k])), psi), 1-h[searchOwn]+linalg.Dot(s.f.Row(k), psi)
	if a*max(b, 0) > h[searchLoss]*max(h[searchSlack], 0) {
		h[searchLoss], h[searchSlack] = a, b
		copy(s.best.Row(k), psi)
	}
	if s.proven[place] != 1 {
		h[searchExact] = 0
	}
	if math.IsNaN(a) || math.IsNaN(b) {
		h[searchLoss] = math.NaN() // the check of planes will say so
	}
	switch stage {
	case 1:
		h[searchLowA], h[searchLowB] = a, b
	case 2:
		h[searchHighA], h[searchHighB] = a, b
	default:
		corner(h, a, b)
	}
}

// corner takes in the pair found between the two neighbours.
func corner(h []float64, a, b float64) {
	weight := h[searchWeight]
	value, chord := weight*a+b, weight*h[searchLowA]+h[searchLowB]
	h[searchBound] = min(h[searchBound], math.Pow(max(value, 0), 2)/(4*weight))
	if !(value > chord+hullCorner*max(1, math.Abs(chord))) {
		// Between its neighbours a pair is largest at its own b/a, where the bound is its product.
		if weight*h[searchLowA] >= h[searchLowB] {
			h[searchBound] = min(h[searchBound], h[searchLowA]*h[searchLowB])
		}
		if weight*h[searchHighA] <= h[searchHighB] {
			h[searchBound] = min(h[searchBound], h[searchHighA]*h[searchHighB])
		}
		h[searchActive] = 0
		return
	}
	if weight*a < b {
		h[searchLowA], h[searchLowB] = a, b
	} else {
		h[searchHighA], h[searchHighB] = a, b
	}
}

// finishSearch makes the planes of the best pairs.
func (s *planes) finishSearch() {
	for k := range s.count() {
		h, own, best, direction := s.searchOf(k), s.Psi.Row(s.row(int(s.numbers[k]))), s.best.Row(k), s.psi.Row(k)
		for j := range direction {
			direction[j] = (own[j] - best[j]) * h[searchLoss]
		}
		s.offset[k] = h[searchLoss]
		reached := h[searchLoss]*h[searchSlack] >= h[searchBound]-hullProven*max(1, h[searchBound])
		s.proven[k] = flag(h[searchExact] == 1 && reached)
	}
}
