package linalg

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// ErrNotPositiveDefinite reports that a factorisation met a pivot that is not positive in its precision.
var ErrNotPositiveDefinite = fault.Numerical("matrix is not positive definite in this precision")

// Cholesky is a factor A = LLᵀ stored in the Lower triangle, or A = UᵀU in the Upper triangle, of a square matrix whose other
// triangle is neither read nor written. So two factors of order n fit one n×(n+1) array.
type Cholesky[T Float] struct {
	uplo blas.Uplo
	a    Matrix[T]
}

// FactorCholesky overwrites the uplo triangle of the positive definite a with its factor. It polls mon at least every
// pollFlops operations, and counts its panels as steps there. The recursion halves the matrix, so that nearly all work is large
// matrix products. Cost: n³/3.
func FactorCholesky[T Float](uplo blas.Uplo, a Matrix[T], mon *parallel.Monitor) (Cholesky[T], error) {
	return Cholesky[T]{uplo, a}, factor(uplo, a, mon)
}

func factor[T Float](uplo blas.Uplo, a Matrix[T], mon *parallel.Monitor) error {
	if err := mon.Err(); err != nil {
		return err
	}
	n := a.Rows
	if n <= leafSize {
		return factorLeaf(uplo, a)
	}
	h := n / 2
	a11, a22 := a.Slice(0, h, 0, h), a.Slice(h, n, h, n)
	if err := factor(uplo, a11, mon); err != nil {
		return err
	}
	lower := uplo == blas.Lower
	a21 := a.Slice(h, n, 0, h)
	if !lower {
		a21 = a.Slice(0, h, h, n)
	}
	// The off-diagonal block, divided by the first factor, in panels whose number tells the progress.
	var err error
	m, step := n-h, tileSide(h)
	for lo := 0; lo < m; lo += step {
		if lower {
			err = divideRight(a11, a21.Slice(lo, min(lo+step, m), 0, h), mon)
		} else {
			err = divideLeft(uplo, blas.Trans, a11, a21.Slice(0, h, lo, min(lo+step, m)), mon)
		}
		if err != nil {
			return err
		}
		mon.Advance(1)
	}
	// The trailing triangle: panel [lo, hi) against all before it, then its own diagonal block.
	for lo := 0; lo < m; lo += step {
		hi := min(lo+step, m)
		if lower {
			panel := a21.Slice(lo, hi, 0, h)
			err = subtractProduct(blas.NoTrans, blas.Trans, panel, a21.Slice(0, lo, 0, h), a22.Slice(lo, hi, 0, lo), mon)
			syrk(uplo, blas.NoTrans, -1, panel, 1, a22.Slice(lo, hi, lo, hi))
		} else {
			panel := a21.Slice(0, h, lo, hi)
			err = subtractProduct(blas.Trans, blas.NoTrans, a21.Slice(0, h, 0, lo), panel, a22.Slice(0, lo, lo, hi), mon)
			syrk(uplo, blas.Trans, -1, panel, 1, a22.Slice(lo, hi, lo, hi))
		}
		if err != nil {
			return err
		}
		mon.Advance(1)
	}
	return factor(uplo, a22, mon)
}

// Solve overwrites each column of b (n×m) with A⁻¹ times it, in calls that are short. Cost: 2n²m.
func (c Cholesky[T]) Solve(b Matrix[T], mon *parallel.Monitor) error {
	first, second := blas.NoTrans, blas.Trans // L, then Lᵀ
	if c.uplo == blas.Upper {
		first, second = blas.Trans, blas.NoTrans // Uᵀ, then U
	}
	for _, t := range []blas.Transpose{first, second} {
		if err := divideLeft(c.uplo, t, c.a, b, mon); err != nil {
			return err
		}
	}
	return nil
}
