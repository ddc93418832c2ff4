package solve

import "combpred/core/linalg"

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
