package labelrank

import (
	"combpred/core/linalg"
	"combpred/core/parallel"
)

// expansion holds the function f(x) = Σ_i k(x, x_i) dual_i, and its values at all rows.
type expansion struct {
	kernel, dual, scores matrix
}

func newExpansion(kernel, dual matrix) *expansion {
	scores := dual
	scores.Data = make([]float64, len(dual.Data))
	return &expansion{kernel, dual, scores}
}

func (m *expansion) scoresTo(dst []float64, i int) { copy(dst, m.scores.Row(i)) }

func (m *expansion) norm(i int) float64 { return m.kernel.Row(i)[i] }

func (m *expansion) add(i int, delta []float64) {
	linalg.Axpy(m.dual.Row(i), delta, 1)
	for j, v := range m.kernel.Row(i) { // symmetric: the row is the column, and lies together
		linalg.Axpy(m.scores.Row(j), delta, v)
	}
}

// squaredNorm returns Σ_l ‖w_l‖² = Σ_i ⟨dual_i, f(x_i)⟩.
func (m *expansion) squaredNorm() float64 {
	var sum float64
	for i := range m.dual.Rows {
		sum += linalg.Dot(m.dual.Row(i), m.scores.Row(i))
	}
	return sum
}

// refresh computes the values anew: updates have added up their rounding.
func (m *expansion) refresh(workers int, mon *parallel.Monitor) error {
	return parallel.For(m.dual.Rows, 16, workers, nil, func(lo, hi int) error {
		if err := mon.Err(); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			f := m.scores.Row(i)
			clear(f)
			for j, v := range m.kernel.Row(i) {
				linalg.Axpy(f, m.dual.Row(j), v)
			}
		}
		return nil
	})
}
