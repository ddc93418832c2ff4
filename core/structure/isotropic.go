package structure

import "gonum.org/v1/gonum/blas/blas64"

// A covariance that is a multiple of the identity has the whole space as its eigenspace, with the identity as its frame.

// copyRowsTo writes v, with rows of length d, to dst.
func copyRowsTo(dst, v blas64.General, d int) {
	mustFrame(dst, v, d, d)
	for i := range v.Rows {
		copy(row(dst, i), row(v, i))
	}
}

// addRowsTo adds c, with rows of length d, to dst.
func addRowsTo(dst, c blas64.General, d int) {
	mustFrame(c, dst, d, d)
	for i := range c.Rows {
		out := row(dst, i)
		for j, x := range row(c, i) {
			out[j] += x
		}
	}
}
