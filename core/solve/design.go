package solve

import "combpred/core/linalg"

// Sparse is a matrix in compressed sparse rows.
type Sparse = linalg.Sparse

// Design is the matrix X of input features, dense or sparse, with a constant column of ones at its end when Intercept is set.
type Design struct {
	N, P      int
	Intercept bool
	Dense     matrix  // N×P, or no data when sparse
	Rows      *Sparse // X, nil when dense
}

// NewDesign returns the matrix of some rows, with a last column of ones or without.
func NewDesign(x linalg.Rows, intercept bool) *Design {
	return &Design{N: x.Len(), P: x.Features(), Intercept: intercept, Dense: x.Dense, Rows: x.Sparse}
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
		columns, values := x.Rows.Row(i)
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
		f(x.P, 1)
	}
}
