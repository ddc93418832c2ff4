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

// The next functions report whether the arguments of a routine are the host's business.

// multiplied is about c = alpha·op(a)·op(b) + beta·c.
func multiplied[T float32 | float64](tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, c []T, ldc int) bool {
	ar, ac := shape(tA, m, k)
	br, bc := shape(tB, k, n)
	return isTranspose(tA) && isTranspose(tB) && alpha != 0 && worth(m, n, k) &&
		fits(a, ar, ac, lda) && fits(b, br, bc, ldb) && fits(c, m, n, ldc)
}

// squared is about c = alpha·op(a)·op(a)ᵀ + beta·c.
func squared[T float32 | float64](ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, c []T, ldc int) bool {
	ar, ac := shape(tA, n, k)
	return isUplo(ul) && isTranspose(tA) && alpha != 0 && worth(n, n, k) && fits(a, ar, ac, lda) && fits(c, n, n, ldc)
}

// triangular is about a product or solve with a triangle.
func triangular[T float32 | float64](s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int,
	b []T, ldb int) bool {
	k := order(s, m, n)
	return isSide(s) && isUplo(ul) && isTranspose(tA) && isDiag(d) && alpha != 0 && worth(m, n, k) &&
		fits(a, k, k, lda) && fits(b, m, n, ldb)
}

// symmetric is about a product with a symmetric matrix.
func symmetric[T float32 | float64](s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, c []T, ldc int) bool {
	k := order(s, m, n)
	return isSide(s) && isUplo(ul) && alpha != 0 && worth(m, n, k) && fits(a, k, k, lda) && fits(b, m, n, ldb) && fits(c, m, n, ldc)
}

// symmetricVector is about a product of one with a vector.
func symmetricVector[T float32 | float64](ul blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, y []T, incY int) bool {
	return isUplo(ul) && alpha != 0 && worth(n, n) && fits(a, n, n, lda) && fitsVector(x, n, incX) && fitsVector(y, n, incY)
}
