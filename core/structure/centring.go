package structure

import "gonum.org/v1/gonum/blas/blas64"

// The orthogonal complement of the constant vector is an eigenspace of every space that is symmetric in its labels and
// fixes their number. Its projector I − 11ᵀ/d is its own tight frame, applied to a vector by subtracting its mean:
// O(d).

// centreTo writes v(I − 11ᵀ/d) to dst.
func centreTo(dst, v blas64.General) {
	mustFrame(dst, v, v.Cols, v.Cols)
	for i := range v.Rows {
		src, out := row(v, i), row(dst, i)
		mean := average(src)
		for j, x := range src {
			out[j] = x - mean
		}
	}
}

// addCentredTo adds c(I − 11ᵀ/d) to dst.
func addCentredTo(dst, c blas64.General) {
	mustFrame(c, dst, dst.Cols, dst.Cols)
	for i := range c.Rows {
		src, out := row(c, i), row(dst, i)
		mean := average(src)
		for j, x := range src {
			out[j] += x - mean
		}
	}
}

func average(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}
