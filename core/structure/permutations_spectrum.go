package structure

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Let B be the d×n incidence matrix of the complete graph on the labels, +1 at u and −1 at v in the row of the pair u <
// v. The second moment of rankings is (I + BBᵀ)/3, and BᵀB = nI − 11ᵀ. So Σ has the eigenvalue (n+1)/3 on the gradient
// space range(B), of dimension n−1, with the tight frame B/√n, and 1/3 on its complement, with the projector I − BBᵀ/n
// as its frame. The complement is empty for n = 2.

const (
	gradients = 0 // range(B), the rankings' scores that come from one potential for each label
	cyclic    = 1 // its complement, spanned by the cycles of three labels
)

func (p permutations) Eigenvalues() []float64 {
	if p.n == 2 {
		return []float64{1}
	}
	return []float64{float64(p.n+1) / 3, 1.0 / 3}
}

func (p permutations) FrameLen(i int) int {
	if i == gradients {
		return p.n
	}
	return p.FeatureLen()
}

// AnalyzeTo costs O(d) for each row.
func (p permutations) AnalyzeTo(dst, v blas64.General, i int) {
	mustFrame(dst, v, p.FrameLen(i), p.FeatureLen())
	if i == gradients {
		scale := 1 / math.Sqrt(float64(p.n))
		for r := range v.Rows {
			p.divergenceTo(row(dst, r), row(v, r), scale)
		}
		return
	}
	potential := make([]float64, p.n)
	for r := range v.Rows {
		out, src := row(dst, r), row(v, r)
		p.divergenceTo(potential, src, 1/float64(p.n))
		copy(out, src)
		p.addGradient(out, potential, -1)
	}
}

// SynthesizeTo costs O(d) for each row.
func (p permutations) SynthesizeTo(dst, c blas64.General, i int) {
	mustFrame(c, dst, p.FrameLen(i), p.FeatureLen())
	if i == gradients {
		scale := 1 / math.Sqrt(float64(p.n))
		for r := range c.Rows {
			p.addGradient(row(dst, r), row(c, r), scale)
		}
		return
	}
	potential := make([]float64, p.n)
	for r := range c.Rows {
		out, src := row(dst, r), row(c, r)
		p.divergenceTo(potential, src, 1/float64(p.n))
		for j, x := range src {
			out[j] += x
		}
		p.addGradient(out, potential, -1)
	}
}

// divergenceTo writes scale·Bᵀx to dst.
func (p permutations) divergenceTo(dst, x []float64, scale float64) {
	clear(dst)
	for u := range p.n - 1 {
		behind := dst[u+1 : p.n]
		pairs := x[:len(behind)]
		x = x[len(behind):]
		var sum float64
		for j, v := range pairs {
			sum += v
			behind[j] -= v
		}
		dst[u] += sum
	}
	for u := range dst {
		dst[u] *= scale
	}
}

// addGradient adds scale·Bc to dst.
func (p permutations) addGradient(dst, c []float64, scale float64) {
	for u := range p.n - 1 {
		behind := c[u+1 : p.n]
		pairs := dst[:len(behind)]
		dst = dst[len(behind):]
		for j, v := range behind {
			pairs[j] += scale * (c[u] - v)
		}
	}
}
