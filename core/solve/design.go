package solve

import (
	"fmt"

	"combpred/core/badrow"
)

// Sparse is a matrix in compressed sparse rows.
type Sparse struct {
	Rows, Cols int
	Data       []float64
	Indices    []int32
	Indptr     []int64
}

// Check returns an error if the arrays do not describe a Rows×Cols matrix.
func (s Sparse) Check() error {
	if len(s.Indptr) != s.Rows+1 || len(s.Indices) != len(s.Data) || s.Indptr[0] != 0 || s.Indptr[s.Rows] != int64(len(s.Data)) {
		return fmt.Errorf("solve: sparse matrix: indptr must have %d entries from 0 to %d", s.Rows+1, len(s.Data))
	}
	for i := range s.Rows {
		if s.Indptr[i] > s.Indptr[i+1] {
			return badrow.Named(i, "solve: sparse matrix: indptr decreases at row %d", i)
		}
	}
	for k, j := range s.Indices {
		if j < 0 || int(j) >= s.Cols {
			return fmt.Errorf("solve: sparse matrix: entry %d has column %d, must be below %d", k, j, s.Cols)
		}
	}
	return nil
}

// Design is the matrix X of input features, dense or sparse, with a constant column of ones at its end when Intercept is set.
type Design struct {
	N, P      int
	Intercept bool
	Dense     matrix  // N×P, or no data when sparse
	Rows      *Sparse // X, nil when dense
}

// Len returns the number of columns, the constant one included.
func (x *Design) Len() int {
	if x.Intercept {
		return x.P + 1
	}
	return x.P
}

// Entries calls f for the features of row i that are not zero.
func (x *Design) Entries(i int, f func(k int, v float64)) {
	if x.Rows != nil {
		for at := x.Rows.Indptr[i]; at < x.Rows.Indptr[i+1]; at++ {
			f(int(x.Rows.Indices[at]), x.Rows.Data[at])
		}
	} else {
		for k, v := range x.Dense.Row(i) {
			if v != 0 {
				f(k, v)
			}
		}
	}
	if x.Intercept {
		f(x.P, 1)
	}
}
