package linalg

import (
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// ErrEigen reports that an eigendecomposition did not converge.
var ErrEigen = errors.New("linalg: symmetric eigendecomposition did not converge (are there NaN or infinite entries?)")

// SymEig overwrites the symmetric a with its orthonormal eigenvectors, one a column, and returns the eigenvalues in ascending
// order. Cost: about 9n³.
func SymEig(a blas64.General) ([]float64, error) {
	n := a.Rows
	w := make([]float64, n)
	if n == 0 {
		return w, nil
	}
	sym := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: a.Stride, Data: a.Data}
	size := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, sym, w, size, -1)
	if !lapack64.Syev(lapack.EVCompute, sym, w, make([]float64, max(int(size[0]), 3*n)), max(int(size[0]), 3*n)) {
		return nil, ErrEigen
	}
	return w, nil
}
