package labelrank

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/solve"
)

type matrix = linalg.Matrix[float64]

// features are input features with weights coef, one row of k for each feature.
type features struct {
	x    *solve.Design
	coef matrix
}

// scoresTo writes the scores of row i to dst.
func (m *features) scoresTo(dst []float64, i int) {
	clear(dst)
	m.x.Entries(i, func(j int, v float64) { linalg.Axpy(dst, m.coef.Row(j), v) })
}

// add adds x_i ⊗ delta to the weights.
func (m *features) add(i int, delta []float64) { addTo(m.coef, m.x, i, 1, delta) }

// addTo adds scale·x_i ⊗ delta to dst.
func addTo(dst matrix, x *solve.Design, i int, scale float64, delta []float64) {
	x.Entries(i, func(j int, v float64) { linalg.Axpy(dst.Row(j), delta, scale*v) })
}

// norm returns ‖x_i‖².
func (m *features) norm(i int) float64 {
	var sum float64
	m.x.Entries(i, func(_ int, v float64) { sum += v * v })
	return sum
}

// largest returns the largest |x_ij| of row i.
func (m *features) largest(i int) float64 {
	var out float64
	m.x.Entries(i, func(_ int, v float64) { out = max(out, math.Abs(v)) })
	return out
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
