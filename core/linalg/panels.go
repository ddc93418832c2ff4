package linalg

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// pollFlops bounds an uninterrupted BLAS call: about a quarter of a second in double precision on one core.
const pollFlops = 1e10

// PanelWidth returns of how many of m rows or columns a panel is made, at flops operations each: one call treats a panel, so
// that a caller can poll for cancellation between calls.
func PanelWidth(m int, flops float64) int {
	return max(leafSize, int(min(float64(m), pollFlops/flops)))
}

// GemmPolled writes op(a)·b to c in panels of its rows, polling mon between them.
func GemmPolled[T Float](ta blas.Transpose, a, b, c Matrix[T], mon *parallel.Monitor) error {
	inner := a.Cols
	if ta == blas.Trans {
		inner = a.Rows
	}
	for lo, step := 0, PanelWidth(c.Rows, 2*float64(inner)*float64(c.Cols)); lo < c.Rows; lo += step {
		if err := mon.Err(); err != nil {
			return err
		}
		hi := min(lo+step, c.Rows)
		var part Matrix[T]
		if ta == blas.Trans {
			part = a.Slice(0, a.Rows, lo, hi)
		} else {
			part = a.Slice(lo, hi, 0, a.Cols)
		}
		Gemm(ta, blas.NoTrans, 1, part, b, 0, c.Slice(lo, hi, 0, c.Cols))
	}
	return nil
}
