//go:build cgo

package hostblas

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// hostLapack is gonum's LAPACK with the factorisation, the inversion and the eigensolver replaced by the host's.
type hostLapack struct {
	gonum.Implementation
	t *table
}

var _ lapack.Float64 = hostLapack{}

// Dpotrf computes the Cholesky factor of a symmetric matrix and reports whether it is positive definite.
func (h hostLapack) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) bool {
	if !isUplo(ul) || !worth(n, n, n) || !fits(a, n, n, lda) {
		return h.Implementation.Dpotrf(ul, n, a, lda)
	}
	return dpotr(h.t.dpotrf, flipUplo(ul), n, a, lda) == 0 && diagonalIsNumber(n, a, lda)
}

// Dpotri computes one triangle of the inverse from the Cholesky factor and reports whether the factor has no zero pivot.
func (h hostLapack) Dpotri(ul blas.Uplo, n int, a []float64, lda int) bool {
	if !isUplo(ul) || !worth(n, n, n) || !fits(a, n, n, lda) {
		return h.Implementation.Dpotri(ul, n, a, lda)
	}
	return dpotr(h.t.dpotri, flipUplo(ul), n, a, lda) == 0
}

// Dsyev computes eigenvalues and eigenvectors, by the divide and conquer method of dsyevd: gonum's QR iteration runs at the speed of
// memory on any BLAS. That method wants 2n² + 6n + 1 numbers of work beyond what the caller brings.
func (h hostLapack) Dsyev(job lapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) bool {
	legal := (job == lapack.EVNone || job == lapack.EVCompute) && isUplo(ul) && lwork >= 3*n-1 && len(work) >= lwork && len(w) >= n
	if !legal || !worth(n, n, n) || !fits(a, n, n, lda) {
		return h.Implementation.Dsyev(job, ul, n, a, lda, w, work, lwork)
	}
	if !triangleIsFinite(ul, n, a, lda) {
		return false // dsyevd may never return from such a matrix
	}
	if 2*n*n+6*n+1 > math.MaxInt32 {
		return h.Implementation.Dsyev(job, ul, n, a, lda, w, work, lwork) // the host cannot even say how much work it needs: n > 32000
	}
	var size [1]float64
	var isize [1]int32
	if info := dsyevd(h.t.dsyevd, job, flipUplo(ul), n, a, lda, w, size[:], -1, isize[:], -1); info != 0 {
		panic(fmt.Sprintf("hostblas: dsyevd refuses a query of its work size with %d", info))
	}
	need := int(size[0])
	own := work
	if len(own) < need {
		own = make([]float64, need)
	}
	if dsyevd(h.t.dsyevd, job, flipUplo(ul), n, a, lda, w, own, need, make([]int32, isize[0]), int(isize[0])) != 0 {
		return false
	}
	if job == lapack.EVCompute {
		transpose(n, a, lda) // eigenvectors are columns, and the host's columns are our rows
	}
	return true
}

// diagonalIsNumber reports whether a factor is free of NaN: some LAPACKs let a NaN pivot pass.
func diagonalIsNumber(n int, a []float64, lda int) bool {
	for i := range n {
		if d := a[i*lda+i]; d != d {
			return false
		}
	}
	return true
}

func triangleIsFinite(ul blas.Uplo, n int, a []float64, lda int) bool {
	for i := range n {
		row := a[i*lda : i*lda+n]
		if ul == blas.Upper {
			row = row[i:]
		} else {
			row = row[:i+1]
		}
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// transpose transposes a square matrix in place, in tiles that fit the cache.
func transpose(n int, a []float64, lda int) {
	const tile = 32
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := i0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := max(j0, i+1); j < min(j0+tile, n); j++ {
					a[i*lda+j], a[j*lda+i] = a[j*lda+i], a[i*lda+j]
				}
			}
		}
	}
}
