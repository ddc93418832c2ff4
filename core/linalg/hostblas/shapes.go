//go:build cgo

package hostblas

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// minWork is the number of multiplications below which pure Go beats the cost of leaving Go.
const minWork = 16 * 16 * 16

// Every override calls the host only when its arguments are legal, not empty, worth the call and within 32 bits, and hands all
// other cases to gonum, which panics on illegal ones. So both have the same contract, and the host never sees what it would
// answer by ending the process.

// fits reports whether a holds a rows×cols row-major matrix with stride ld.
func fits[T float32 | float64](a []T, rows, cols, ld int) bool {
	return ld >= max(1, cols) && ld <= math.MaxInt32 && len(a) >= (rows-1)*ld+cols
}

// fitsVector reports whether x holds n entries at increment inc.
func fitsVector[T float32 | float64](x []T, n, inc int) bool {
	if inc < 0 {
		inc = -inc
	}
	return inc > 0 && inc <= math.MaxInt32 && (n-1)*inc < len(x)
}

// worth reports whether the sizes are positive, fit a C int, and make enough work.
func worth(sizes ...int) bool {
	work := 1.0
	for _, n := range sizes {
		if n <= 0 || n > math.MaxInt32 {
			return false
		}
		work *= float64(n)
	}
	return work >= minWork
}

func isTranspose(t blas.Transpose) bool {
	return t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
}

func isUplo(ul blas.Uplo) bool { return ul == blas.Upper || ul == blas.Lower }

func isSide(s blas.Side) bool { return s == blas.Left || s == blas.Right }

func isDiag(d blas.Diag) bool { return d == blas.Unit || d == blas.NonUnit }

// plain replaces ConjTrans, which means Trans for real matrices.
func plain(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.NoTrans
	}
	return blas.Trans
}

// A row-major matrix is its transpose in columns. The functions below say what that turns an argument into.

func flipTranspose(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}

func flipUplo(ul blas.Uplo) blas.Uplo {
	if ul == blas.Upper {
		return blas.Lower
	}
	return blas.Upper
}

func flipSide(s blas.Side) blas.Side {
	if s == blas.Left {
		return blas.Right
	}
	return blas.Left
}

// shape returns the stored dimensions of a matrix whose op(a) is rows×cols.
func shape(t blas.Transpose, rows, cols int) (int, int) {
	if t == blas.NoTrans {
		return rows, cols
	}
	return cols, rows
}

// order returns the order of the square factor of a product with an m×n matrix.
func order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}
