package logsum

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/slicex"
)

// Mean averages vectors with weights that are given by their logarithms, one after the other. The zero value, after Reset,
// is ready for use.
//
// Weights are kept relative to the largest one so far. Sums are of two levels, so that the rounding errors of a million
// terms are those of a few thousand.
type Mean struct {
	top          float64 // the largest logarithm so far
	inner, outer float64 // Σ exp(log − top): of the terms since the last flush, and of those before
	in, out      []float64
	terms        int
}

// flushed is the number of terms after which the inner sums are added to the outer ones.
const flushed = 1 << 10

// Reset begins an average of vectors of length d; 0 where only the weights are added.
func (m *Mean) Reset(d int) {
	*m = Mean{top: math.Inf(-1), in: slicex.Grow(m.in, d), out: slicex.Grow(m.out, d)}
	clear(m.in)
	clear(m.out)
}

// Add adds a vector of the length given to Reset, which is not kept, with weight exp(log).
func (m *Mean) Add(log float64, x []float64) {
	if math.IsInf(log, -1) {
		return
	}
	if log > m.top {
		scale := math.Exp(m.top - log)
		m.top = log
		m.inner *= scale
		m.outer *= scale
		for i := range m.in {
			m.in[i] *= scale
			m.out[i] *= scale
		}
	}
	w := math.Exp(log - m.top)
	m.inner += w
	floats.AddScaled(m.in, w, x[:len(m.in)])
	if m.terms++; m.terms == flushed {
		m.flush()
	}
}

func (m *Mean) flush() {
	m.terms = 0
	m.outer += m.inner
	m.inner = 0
	for i, v := range m.in {
		m.out[i] += v
		m.in[i] = 0
	}
}

// LogSum returns the logarithm of the sum of the weights.
func (m *Mean) LogSum() float64 {
	m.flush()
	return m.top + math.Log(m.outer)
}

// MeanTo writes the weighted average of the vectors to dst. There must be some.
func (m *Mean) MeanTo(dst []float64) {
	m.flush()
	for i, v := range m.out {
		dst[i] = v / m.outer
	}
}
