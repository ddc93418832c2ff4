//go:build cgo

package hostblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// host64 is gonum's double precision BLAS with the expensive routines replaced by the host's.
type host64 struct {
	gonum.Implementation
	t *table
}

var _ blas.Float64 = host64{}

// Dgemm computes c = alpha·op(a)·op(b) + beta·c. In columns: cᵀ = op(b)ᵀ·op(a)ᵀ.
func (h host64) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	if !multiplied(tA, tB, m, n, k, alpha, a, lda, b, ldb, c, ldc) {
		h.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	dgemm(h.t.dgemm, plain(tB), plain(tA), n, m, k, alpha, b, ldb, a, lda, beta, c, ldc)
}

// Dsyrk computes one triangle of c = alpha·a·aᵀ + beta·c, or of alpha·aᵀ·a + beta·c.
func (h host64) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if !squared(ul, tA, n, k, alpha, a, lda, c, ldc) {
		h.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	dsyrk(h.t.dsyrk, flipUplo(ul), flipTranspose(tA), n, k, alpha, a, lda, beta, c, ldc)
}

// Dtrsm solves op(a)·x = alpha·b or x·op(a) = alpha·b in place of b. In columns the sides change: xᵀ·op(a)ᵀ = alpha·bᵀ, where
// the stored columns of a are its transpose already.
func (h host64) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	if !triangular(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		h.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	dtrxm(h.t.dtrsm, flipSide(s), flipUplo(ul), plain(tA), d, n, m, alpha, a, lda, b, ldb)
}

// Dtrmm computes b = alpha·op(a)·b or b = alpha·b·op(a).
func (h host64) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	if !triangular(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		h.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	dtrxm(h.t.dtrmm, flipSide(s), flipUplo(ul), plain(tA), d, n, m, alpha, a, lda, b, ldb)
}

// Dsymm computes c = alpha·a·b + beta·c or c = alpha·b·a + beta·c for symmetric a.
func (h host64) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	if !symmetric(s, ul, m, n, alpha, a, lda, b, ldb, c, ldc) {
		h.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	dsymm(h.t.dsymm, flipSide(s), flipUplo(ul), n, m, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dgemv computes y = alpha·op(a)·x + beta·y.
func (h host64) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64,
	y []float64, incY int) {
	lenY, lenX := shape(tA, m, n)
	if !isTranspose(tA) || alpha == 0 || !worth(m, n) || !fits(a, m, n, lda) || !fitsVector(x, lenX, incX) || !fitsVector(y, lenY, incY) {
		h.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	dgemv(h.t.dgemv, flipTranspose(tA), n, m, alpha, a, lda, x, incX, beta, y, incY)
}

// Dsymv computes y = alpha·a·x + beta·y for symmetric a.
func (h host64) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64,
	incY int) {
	if !symmetricVector(ul, n, alpha, a, lda, x, incX, y, incY) {
		h.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	dsymv(h.t.dsymv, flipUplo(ul), n, alpha, a, lda, x, incX, beta, y, incY)
}
