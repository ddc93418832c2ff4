package solve

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

// Sparse is a matrix in compressed sparse rows.
type Sparse = linalg.Sparse

// Design is the matrix X of input features, with a constant column of ones at its end when Intercept is set.
type Design struct {
	linalg.Rows
	Intercept bool
}

// Columns returns the number of columns, the constant one included.
func (x *Design) Columns() int {
	if x.Intercept {
		return x.Features() + 1
	}
	return x.Features()
}

// Entries calls f for the features of row i that are not zero.
func (x *Design) Entries(i int, f func(k int, v float64)) {
	if x.Sparse != nil {
		columns, values := x.Sparse.Row(i)
		for at, j := range columns {
			f(int(j), values[at])
		}
	} else {
		for k, v := range x.Dense.Row(i) {
			if v != 0 {
				f(k, v)
			}
		}
	}
	if x.Intercept {
		f(x.Features(), 1)
	}
}

// ScoresTo writes Wᵀx to f for some of the rows, which are dense and given without the constant column.
func (x *Design) ScoresTo(f, rows, w linalg.Matrix[float64]) {
	p := x.Features()
	if p == 0 {
		f.Zero()
	} else {
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, rows, w.Slice(0, p, 0, w.Cols), 0, f)
	}
	if x.Intercept {
		for i := range f.Rows {
			linalg.Axpy(f.Row(i), w.Row(p), 1)
		}
	}
}

// AddProducts adds Σ x aᵀ to w over some of the rows, which are dense and given without the constant column, and the rows of a.
func (x *Design) AddProducts(w, rows, a linalg.Matrix[float64]) {
	p := x.Features()
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, rows, a, 1, w.Slice(0, p, 0, w.Cols))
	if x.Intercept {
		for i := range a.Rows {
			linalg.Axpy(w.Row(p), a.Row(i), 1)
		}
	}
}
