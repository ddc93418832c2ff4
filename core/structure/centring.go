package structure

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

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

// The constant vector scaled to length 1 is the frame of the space that it spans.

// constantTo writes v·1/√d to dst, of one column.
func constantTo(dst, v blas64.General) {
	mustFrame(dst, v, 1, v.Cols)
	scale := math.Sqrt(float64(v.Cols))
	for i := range v.Rows {
		row(dst, i)[0] = scale * average(row(v, i))
	}
}

// addConstantTo adds c·1ᵀ/√d to dst, for c of one column.
func addConstantTo(dst, c blas64.General) {
	mustFrame(c, dst, 1, dst.Cols)
	scale := 1 / math.Sqrt(float64(dst.Cols))
	for i := range c.Rows {
		out, x := row(dst, i), scale*row(c, i)[0]
		for j := range out {
			out[j] += x
		}
	}
}

// symmetricSpectrum returns the eigenvalues on the complement of the constant vector: none where that is the null
// space.
func symmetricSpectrum(d int, sigma float64) []float64 {
	if d < 2 || sigma == 0 {
		return nil
	}
	return []float64{sigma}
}

// fillExchangeable writes the d×d matrix with one value on the diagonal and one off it.
func fillExchangeable(dst blas64.General, d int, diagonal, off float64) {
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	for i := range d {
		r := row(dst, i)
		fill(r, off)
		r[i] = diagonal
	}
}
