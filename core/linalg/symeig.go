package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// ErrEigen reports that an eigendecomposition did not converge.
var ErrEigen = fault.Numerical("symmetric eigendecomposition did not converge (are there NaN or infinite entries?)")

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

// EigenTo overwrites the symmetric a with its orthonormal eigenvectors, one a column, and writes the eigenvalues to values in ascending
// order. An entry that is not finite is an error that names its row. When mon asks for it the decomposition is left alone, and a as it was.
// Cost: about 9n³, and three matrices of that size.
func EigenTo(values []float64, a Matrix[float64], workers int, mon *parallel.Monitor) error {
	own := NewMatrix[float64](a.Rows, a.Cols)
	if err := parallel.For(a.Rows, max(1, 1<<16/max(a.Cols, 1)), workers, nil, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			for j, v := range a.Row(i) {
				if v-v != 0 {
					return fault.At(i, fault.Value("the matrix holds %g in column %d, must be finite; where these are kernel values that "+
						"overflow, scale the inputs, or lower gamma or degree", v, j))
				}
			}
			copy(own.Row(i), a.Row(i))
		}
		return mon.Err()
	}); err != nil {
		return err
	}
	var found []float64
	if err := parallel.Detached(mon, func() (err error) {
		found, err = SymEig(General(own))
		return err
	}); err != nil {
		return err
	}
	copy(values, found)
	a.CopyFrom(own)
	return nil
}
