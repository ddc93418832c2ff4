package structure

import "gonum.org/v1/gonum/blas/blas64"

// Let C = I − 11ᵀ/n, the projector that subtracts the mean of n numbers. Cells of one row or of one column have the
// covariance −1/n², two others 1/(n(n−1)) − 1/n² = 1/(n²(n−1)), and a cell with itself (n−1)/n². C⊗C has n−1 times
// these entries, −(n−1)/n², 1/n² and ((n−1)/n)². So Σ = C⊗C/(n−1) has one non-zero eigenvalue, 1/(n−1), on the matrices
// whose rows and columns add up to 0, and the projector C⊗C is its own tight frame. For n = 1 there is none.

func (a assignments) Eigenvalues() []float64 {
	if a.n < 2 {
		return nil
	}
	return []float64{1 / float64(a.n-1)}
}

func (a assignments) FrameLen(int) int { return a.FeatureLen() }

// AnalyzeTo costs O(n²) for each row.
func (a assignments) AnalyzeTo(dst, v blas64.General, _ int) {
	mustFrame(dst, v, a.FeatureLen(), a.FeatureLen())
	for i := range v.Rows {
		out := row(dst, i)
		clear(out)
		a.addCentred(out, row(v, i))
	}
}

// SynthesizeTo costs O(n²) for each row.
func (a assignments) SynthesizeTo(dst, c blas64.General, _ int) {
	mustFrame(c, dst, a.FeatureLen(), a.FeatureLen())
	for i := range c.Rows {
		a.addCentred(row(dst, i), row(c, i))
	}
}

// addCentred adds x less the means of its rows and columns, plus the mean of all, to dst.
func (a assignments) addCentred(dst, x []float64) {
	columns := make([]float64, a.n)
	for i := range a.n {
		for j, v := range x[i*a.n : (i+1)*a.n] {
			columns[j] += v
		}
	}
	for j := range columns {
		columns[j] /= float64(a.n)
	}
	all := average(columns)
	for i := range a.n {
		src, out := x[i*a.n:(i+1)*a.n], dst[i*a.n:(i+1)*a.n]
		shift := all - average(src)
		for j, v := range src {
			out[j] += v - columns[j] + shift
		}
	}
}
