package linalg

import (
	"errors"

	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// ErrNotPositiveDefinite reports that a factorisation met a pivot that is not positive in its precision.
var ErrNotPositiveDefinite = errors.New("linalg: matrix is not positive definite in this precision")

// Cholesky is a factor A = LLᵀ stored in the Lower triangle, or A = UᵀU in the Upper triangle, of a square matrix whose other
// triangle is neither read nor written. So two factors of order n fit one n×(n+1) array.
type Cholesky[T Float] struct {
	uplo blas.Uplo
	a    Matrix[T]
}

// FactorCholesky overwrites the uplo triangle of the positive definite a with its factor. It polls mon at least every
// pollFlops operations. The recursion halves the matrix, so that nearly all work is large matrix products. Cost: n³/3.
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
	m := n - h
	// Off-diagonal block, in strips that keep each call short.
	for lo, step := 0, Strip(m, float64(h)*float64(h)); lo < m; lo += step {
		hi := min(lo+step, m)
		if lower {
			trsm(blas.Right, uplo, blas.Trans, a11, a21.Slice(lo, hi, 0, h))
		} else {
			trsm(blas.Left, uplo, blas.Trans, a11, a21.Slice(0, h, lo, hi))
		}
		if err := mon.Err(); err != nil {
			return err
		}
	}
	// Trailing triangle: strip [lo, hi) against all before it, then its own diagonal block.
	for lo, step := 0, Strip(m, 2*float64(h)*float64(m)); lo < m; lo += step {
		hi := min(lo+step, m)
		if lower {
			Gemm(blas.NoTrans, blas.Trans, -1, a21.Slice(lo, hi, 0, h), a21.Slice(0, lo, 0, h), 1, a22.Slice(lo, hi, 0, lo))
			syrk(uplo, blas.NoTrans, -1, a21.Slice(lo, hi, 0, h), 1, a22.Slice(lo, hi, lo, hi))
		} else {
			Gemm(blas.Trans, blas.NoTrans, -1, a21.Slice(0, h, 0, lo), a21.Slice(0, h, lo, hi), 1, a22.Slice(0, lo, lo, hi))
			syrk(uplo, blas.Trans, -1, a21.Slice(0, h, lo, hi), 1, a22.Slice(lo, hi, lo, hi))
		}
		if err := mon.Err(); err != nil {
			return err
		}
	}
	return factor(uplo, a22, mon)
}

// Solve overwrites each column of b (n×m) with A⁻¹ times it, in strips of columns that keep each call short. Cost: 2n²m.
func (c Cholesky[T]) Solve(b Matrix[T], mon *parallel.Monitor) error {
	first, second := blas.NoTrans, blas.Trans // L, then Lᵀ
	if c.uplo == blas.Upper {
		first, second = blas.Trans, blas.NoTrans // Uᵀ, then U
	}
	n := float64(c.a.Rows)
	for lo, step := 0, Strip(b.Cols, n*n); lo < b.Cols; lo += step {
		part := b.Slice(0, b.Rows, lo, min(lo+step, b.Cols))
		for _, t := range []blas.Transpose{first, second} {
			trsm(blas.Left, c.uplo, t, c.a, part)
			if err := mon.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}
