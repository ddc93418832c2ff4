//go:build cgo

package hostblas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// cholesky compares factors and inverses, and asks for refusal of matrices that have none.
func (s *suite) cholesky() {
	const n, lda = testOrder, testOrder + 1
	h := hostLapack{t: s.t}
	var ref lapackgonum.Implementation
	for _, ul := range bothUplos {
		a := s.definite(n, lda)
		want, got := clone(a), clone(a)
		if !ref.Dpotrf(ul, n, want, lda) {
			panic("hostblas: the test matrix is not positive definite")
		}
		if !h.Dpotrf(ul, n, got, lda) {
			s.fail("dpotrf", "refuses a positive definite matrix")
		}
		s.same("dpotrf", want, got, tol64)

		ref.Dpotri(ul, testInverse, want, lda) // the factor of a leading block is that block of the factor
		if !h.Dpotri(ul, testInverse, got, lda) {
			s.fail("dpotri", "refuses a factor")
		}
		s.same("dpotri", want, got, tol64)

		for _, pivot := range []float64{-1, math.NaN()} {
			a[(n-3)*lda+n-3] = pivot
			if h.Dpotrf(ul, n, clone(a), lda) {
				s.fail("dpotrf", "accepts a matrix that is not positive definite")
			}
		}
	}
}

// eigen compares eigenvalues with pure Go's, and checks the eigenvectors by what defines them: AV = V diag(w), VᵀV = I.
func (s *suite) eigen() {
	const n, lda = testOrder, testOrder + 1
	h := hostLapack{t: s.t}
	var b gonum.Implementation
	for _, ul := range bothUplos {
		a := s.definite(n, lda)
		work := make([]float64, 40*n)
		w := make([]float64, n)
		if !(lapackgonum.Implementation{}).Dsyev(lapack.EVNone, ul, n, clone(a), lda, w, work, len(work)) {
			panic("hostblas: no eigenvalues of the test matrix")
		}
		for _, job := range []lapack.EVJob{lapack.EVNone, lapack.EVCompute} {
			v, got := clone(a), make([]float64, n)
			if !h.Dsyev(job, ul, n, v, lda, got, work, len(work)) {
				s.fail("dsyevd", "does not converge")
				return
			}
			s.same("dsyevd", w, got, tol64)
			if job == lapack.EVNone {
				continue
			}
			av, vw := make([]float64, n*n), make([]float64, n*n)
			b.Dsymm(blas.Left, ul, n, n, 1, a, lda, v, lda, 0, av, n)
			gram, unit := make([]float64, n*n), make([]float64, n*n)
			b.Dgemm(blas.Trans, blas.NoTrans, n, n, n, 1, v, lda, v, lda, 0, gram, n)
			for i := range n {
				unit[i*n+i] = 1
				for j := range n {
					vw[i*n+j] = v[i*lda+j] * w[j]
				}
			}
			s.same("dsyevd", vw, av, tol64)
			s.same("dsyevd", unit, gram, tol64)
		}
	}
}

// definite returns a positive definite matrix with distinct eigenvalues and condition number below 100.
func (s *suite) definite(n, lda int) []float64 {
	x, a := s.random(n*n), make([]float64, n*lda)
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, x, n, x, n, 0, a, lda)
	for i := range n {
		a[i*lda+i] += float64(n) / 4
	}
	return a
}
