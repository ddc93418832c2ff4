// Package linalg holds the few dense routines that training needs on top of gonum's BLAS, in single and double precision:
// a Cholesky factorisation that can be cancelled, blocked triangular solves, and the symmetric eigendecomposition.
//
// Matrices are row-major. Big products run on whatever BLAS gonum's blas32 and blas64 packages were told to use (see
// hostblas), called from the entering goroutine only, so that the thread limits of that BLAS keep their meaning.
package linalg
