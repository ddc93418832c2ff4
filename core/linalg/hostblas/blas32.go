//go:build cgo

package hostblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// host32 is gonum's single precision BLAS with the routines that factorisations need replaced by the host's.
type host32 struct {
	gonum.Implementation
	t *table
}

var _ blas.Float32 = host32{}

// Sgemm computes c = alpha·op(a)·op(b) + beta·c.
func (h host32) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	if !multiplied(tA, tB, m, n, k, alpha, a, lda, b, ldb, c, ldc) {
		h.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	sgemm(h.t.sgemm, plain(tB), plain(tA), n, m, k, alpha, b, ldb, a, lda, beta, c, ldc)
}

// Ssyrk computes one triangle of c = alpha·a·aᵀ + beta·c, or of alpha·aᵀ·a + beta·c.
func (h host32) Ssyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if !squared(ul, tA, n, k, alpha, a, lda, c, ldc) {
		h.Implementation.Ssyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	ssyrk(h.t.ssyrk, flipUplo(ul), flipTranspose(tA), n, k, alpha, a, lda, beta, c, ldc)
}

// Strsm solves op(a)·x = alpha·b or x·op(a) = alpha·b in place of b.
func (h host32) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int) {
	if !triangular(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		h.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	strxm(h.t.strsm, flipSide(s), flipUplo(ul), plain(tA), d, n, m, alpha, a, lda, b, ldb)
}

// Strmm computes b = alpha·op(a)·b or b = alpha·b·op(a).
func (h host32) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int) {
	if !triangular(s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		h.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	strxm(h.t.strmm, flipSide(s), flipUplo(ul), plain(tA), d, n, m, alpha, a, lda, b, ldb)
}

// Ssymm computes c = alpha·a·b + beta·c or c = alpha·b·a + beta·c for symmetric a.
func (h host32) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int,
	beta float32, c []float32, ldc int) {
	if !symmetric(s, ul, m, n, alpha, a, lda, b, ldb, c, ldc) {
		h.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	ssymm(h.t.ssymm, flipSide(s), flipUplo(ul), n, m, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssymv computes y = alpha·a·x + beta·y for symmetric a.
func (h host32) Ssymv(ul blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32,
	incY int) {
	if !symmetricVector(ul, n, alpha, a, lda, x, incX, y, incY) {
		h.Implementation.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	ssymv(h.t.ssymv, flipUplo(ul), n, alpha, a, lda, x, incX, beta, y, incY)
}
