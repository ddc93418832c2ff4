package logsum

import "math"

// Sum adds up weights that are given by their logarithms, one after the other. The zero value is an empty sum.
//
// Weights are kept relative to the largest one so far. Sums are of two levels, so that the rounding errors of a million
// terms are those of a few thousand.
type Sum struct {
	top          float64 // the largest logarithm so far
	inner, outer float64 // Σ exp(log − top): of the terms since the last flush, and of those before
	terms        int     // since then
}

// flushed is the number of terms after which the inner sum is added to the outer one.
const flushed = 1 << 10

// Add adds the weight exp(log).
func (s *Sum) Add(log float64) {
	if math.IsInf(log, -1) {
		return
	}
	switch {
	case s.inner+s.outer == 0: // nothing yet
		s.top = log
	case log > s.top:
		scale := math.Exp(s.top - log)
		s.top = log
		s.inner *= scale
		s.outer *= scale
	}
	s.inner += math.Exp(log - s.top)
	if s.terms++; s.terms == flushed {
		s.flush()
	}
}

func (s *Sum) flush() {
	s.terms = 0
	s.outer += s.inner
	s.inner = 0
}

// Log returns the logarithm of the sum, −Inf if nothing was added.
func (s *Sum) Log() float64 {
	s.flush()
	return s.top + math.Log(s.outer)
}
