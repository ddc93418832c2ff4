package maxmargin

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
)

// The search of slack rescaling for the output z of largest a·b, a = Δ(z) and b = 1 − ⟨f, ψ_i − ψ(z)⟩. Decoding with the loss added μ
// times finds one of largest F(μ) = max μa + b. The weights μ where F has its corners lead along the upper hull of all pairs (a, b)
// (Sarawagi and Gupta 2008, "Accurate max-margin training for structured output spaces", search so for a loss divided by the margin). As
// ab ≤ (μa + b)²/4μ for b ≥ 0, every product is at most min_μ F(μ)²/4μ; the best pair met is proven best where it reaches that bound.
// Where it lies inside the hull, it may be missed.
type search struct {
	own       float64 // ⟨f, ψ_i⟩
	low, high pair    // that of largest b, and that of largest a
	best      pair    // so far: y itself, with loss 0, to begin with
	bound     float64
	isExact   bool    // all decodings were proven
	isActive  bool    // the search goes on
	weight    float64 // μ of the decoding under way
}

// pair is that of an output: its loss, and 1 less its margin.
type pair struct{ a, b float64 }

const (
	hullRounds = 40   // breakpoints looked at for a row; a handful is common
	hullProven = 1e-9 // of the largest product: what is found and its bound agree
	hullCorner = 1e-12
)

// bySearch makes the first two decodings, of largest b and of largest a, and then one for each corner.
func (s *planes) bySearch() error {
	s.startSearch()
	for round := 0; ; round++ {
		s.asked = s.asked[:0]
		for k := range s.numbers {
			if h := &s.search[k]; h.goesOn(round) {
				s.askWeighted(k, h.weight)
			}
		}
		if len(s.asked) == 0 {
			s.finishSearch()
			return nil
		}
		if err := fault.First(s.answered(s.magnitude), s.mon.Err()); err != nil {
			return err
		}
		for place, k := range s.asked {
			s.take(k, place, round)
		}
	}
}

func (s *planes) startSearch() {
	for k, block := range s.numbers {
		own := s.Psi.Row(s.row(block))
		s.search[k] = search{own: linalg.Dot(s.f.Row(k), own), best: pair{0, 1}, bound: math.Inf(1), isExact: true, isActive: true}
		copy(s.best.Row(k), own)
	}
}

// goesOn says whether another decoding is worth while, and with which weight.
func (h *search) goesOn(round int) bool {
	switch {
	case !h.isActive:
	case round == 0:
		h.weight = 0
	case round == 1:
		h.weight = math.Inf(1)
	case round == 2+hullRounds:
		h.isActive = false
	default:
		rise, fall := h.high.a-h.low.a, h.low.b-h.high.b
		if rise <= 0 || fall <= 0 { // a pair that is largest in both has the largest product
			h.bound = min(h.bound, max(h.best.a*h.best.b, 0))
			h.isActive = false
		}
		h.weight = fall / rise
	}
	return h.isActive
}

// askWeighted asks for the output of largest loss times a weight plus score, for infinity that of largest loss.
func (s *planes) askWeighted(k int, weight float64) {
	place := s.ask(k)
	loss := s.Loss.scores(s.row(s.numbers[k]))
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
func (s *planes) take(k, place, round int) {
	h, psi := &s.search[k], s.psi.Row(place)
	found := pair{s.Loss.of(s.row(s.numbers[k]), psi), 1 - h.own + linalg.Dot(s.f.Row(k), psi)}
	if found.a*max(found.b, 0) > h.best.a*max(h.best.b, 0) {
		h.best = found
		copy(s.best.Row(k), psi)
	}
	h.isExact = h.isExact && s.proven[place]
	if math.IsNaN(found.a) || math.IsNaN(found.b) {
		h.best.a = math.NaN() // the check of planes will say so
	}
	switch round {
	case 0:
		h.low = found
	case 1:
		h.high = found
	default:
		h.corner(found)
	}
}

// corner takes in the pair found between the two neighbours.
func (h *search) corner(found pair) {
	weight := h.weight
	value, chord := weight*found.a+found.b, weight*h.low.a+h.low.b
	h.bound = min(h.bound, math.Pow(max(value, 0), 2)/(4*weight))
	if !(value > chord+hullCorner*max(1, math.Abs(chord))) {
		// Between its neighbours a pair is largest at its own b/a, where the bound is its product.
		if weight*h.low.a >= h.low.b {
			h.bound = min(h.bound, h.low.a*h.low.b)
		}
		if weight*h.high.a <= h.high.b {
			h.bound = min(h.bound, h.high.a*h.high.b)
		}
		h.isActive = false
		return
	}
	if weight*found.a < found.b {
		h.low = found
	} else {
		h.high = found
	}
}

// finishSearch makes the planes of the best pairs.
func (s *planes) finishSearch() {
	for k, block := range s.numbers {
		h, own, best, direction := &s.search[k], s.Psi.Row(s.row(block)), s.best.Row(k), s.psi.Row(k)
		for j := range direction {
			direction[j] = (own[j] - best[j]) * h.best.a
		}
		s.offset[k] = h.best.a
		s.proven[k] = h.isExact && h.best.a*h.best.b >= h.bound-hullProven*max(1, h.bound)
	}
}
