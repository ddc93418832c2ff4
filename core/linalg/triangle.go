package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// trsmOrder is the order of a triangle up to which one BLAS call divides by it: most of the work of larger ones is products, whose tiles
// are square however short a call has to be. Panels across a large triangle are not, and would spend their time on copying it.
const trsmOrder = 1024

// subtractProduct subtracts op(a)·op(b) from c, in square tiles of at most pollFlops operations.
func subtractProduct[T Float](ta, tb blas.Transpose, a, b, c Matrix[T], mon *parallel.Monitor) error {
	inner := a.Cols
	if ta == blas.Trans {
		inner = a.Rows
	}
	side := tileSide(inner)
	for i := 0; i < c.Rows; i += side {
		i1 := min(i+side, c.Rows)
		left := across(a, ta == blas.Trans, i, i1)
		// A narrow c leaves room for more columns than its side.
		width := max(side, side*side/(i1-i))
		for j := 0; j < c.Cols; j += width {
			if err := mon.Err(); err != nil {
				return err
			}
			j1 := min(j+width, c.Cols)
			Gemm(ta, tb, -1, left, across(b, tb == blas.NoTrans, j, j1), 1, c.Slice(i, i1, j, j1))
		}
	}
	return nil
}

// across returns the rows lo to hi of m, or its columns.
func across[T Float](m Matrix[T], columns bool, lo, hi int) Matrix[T] {
	if columns {
		return m.Slice(0, m.Rows, lo, hi)
	}
	return m.Slice(lo, hi, 0, m.Cols)
}

// tileSide returns the side of a square tile of a product over inner terms that takes at most pollFlops operations.
func tileSide(inner int) int {
	return max(2*leafSize, int(math.Sqrt(pollFlops/(2*float64(max(inner, 1))))))
}

// divideRight overwrites b with b·L⁻ᵀ for the lower triangle l.
func divideRight[T Float](l, b Matrix[T], mon *parallel.Monitor) error {
	n := l.Rows
	if n > trsmOrder {
		h := n / 2
		first, last := b.Slice(0, b.Rows, 0, h), b.Slice(0, b.Rows, h, n)
		if err := divideRight(l.Slice(0, h, 0, h), first, mon); err != nil {
			return err
		}
		if err := subtractProduct(blas.NoTrans, blas.Trans, first, l.Slice(h, n, 0, h), last, mon); err != nil {
			return err
		}
		return divideRight(l.Slice(h, n, h, n), last, mon)
	}
	for lo, step := 0, PanelWidth(b.Rows, float64(n)*float64(n)); lo < b.Rows; lo += step {
		if err := mon.Err(); err != nil {
			return err
		}
		trsm(blas.Right, blas.Lower, blas.Trans, l, b.Slice(lo, min(lo+step, b.Rows), 0, n))
	}
	return nil
}

// divideLeft overwrites b with op(A)⁻¹·b for the uplo triangle of a.
func divideLeft[T Float](uplo blas.Uplo, t blas.Transpose, a, b Matrix[T], mon *parallel.Monitor) error {
	n := a.Rows
	if n <= trsmOrder {
		for lo, step := 0, PanelWidth(b.Cols, float64(n)*float64(n)); lo < b.Cols; lo += step {
			if err := mon.Err(); err != nil {
				return err
			}
			trsm(blas.Left, uplo, t, a, b.Slice(0, n, lo, min(lo+step, b.Cols)))
		}
		return nil
	}
	h := n / 2
	off := a.Slice(h, n, 0, h)
	if uplo == blas.Upper {
		off = a.Slice(0, h, h, n)
	}
	lo, hi := [2]int{0, h}, [2]int{h, n} // the half that is solved first, and the other
	if (uplo == blas.Lower) == (t == blas.Trans) {
		lo, hi = hi, lo
	}
	first, last := b.Slice(lo[0], lo[1], 0, b.Cols), b.Slice(hi[0], hi[1], 0, b.Cols)
	if err := divideLeft(uplo, t, a.Slice(lo[0], lo[1], lo[0], lo[1]), first, mon); err != nil {
		return err
	}
	if err := subtractProduct(t, blas.NoTrans, off, first, last, mon); err != nil {
		return err
	}
	return divideLeft(uplo, t, a.Slice(hi[0], hi[1], hi[0], hi[1]), last, mon)
}
