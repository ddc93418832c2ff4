package loo

import (
	"math"
	"unsafe"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// Spectral is Factored from an eigendecomposition, for the AUC loss. Its work space, of SpectralWork bytes, does not grow with the number
// of distinct σ, since it makes each H_σ anew where that is needed. Cost: (2s − 1)m³ + m³ for s distinct σ, less where the eigenvalues
// fall off, and O(m²·Len).
func Spectral[T linalg.Float](p *solve.Problem, sp *dual.Spectral, work []T, dst matrix) error {
	m := len(p.Root)
	square := linalg.Matrix[T]{Rows: m, Cols: m, Stride: max(m, 1), Data: work[:m*m]}
	return removeLabels(p, &spectralInfluences[T]{Spectral: sp, p: p, square: square, pair: work[m*m:], formed: -1}, dst)
}

// SpectralWork returns the bytes of work that Spectral needs for m rows.
func SpectralWork[T linalg.Float](m int) int64 {
	var t T
	return dual.FactorWork[T](m, 2) + int64(m)*int64(m)*int64(unsafe.Sizeof(t))
}

// spectralInfluences has one H_σ at a time, in one triangle of a pair whose other one holds G.
type spectralInfluences[T linalg.Float] struct {
	*dual.Spectral
	p      *solve.Problem
	square linalg.Matrix[T] // scratch
	pair   []T
	formed int // the group whose H_σ is there, or -1
}

func (h *spectralInfluences[T]) inverseDiagonal(dst matrix) error {
	return h.InverseDiagonal(dst)
}

func (h *spectralInfluences[T]) margins() (linalg.Symmetric[T], error) {
	p := h.p
	m := len(p.Root)
	g := dual.Triangle(h.pair, m, 1)
	ones := make([]T, m)
	for i := range ones {
		ones[i] = 1
	}
	g.SetDiagonal(ones)
	z := linalg.Convert[T](p.Z)
	for k, grp := range p.Coord.Groups() {
		hk, err := h.form(k)
		if err != nil {
			return g, err
		}
		if err := dual.AddOverlap(p, g, hk, 1, z.Slice(0, m, grp.Lo, grp.Hi)); err != nil {
			return g, err
		}
		p.Mon.Advance(1)
	}
	return g, nil
}

func (h *spectralInfluences[T]) weighted(k int, a linalg.Symmetric[T]) (linalg.Symmetric[T], error) {
	hk, err := h.form(k)
	if err != nil {
		return hk, err
	}
	h.formed = -1
	return hk, h.p.Tiles(0, len(h.p.Root), func(i, j0, j1 int) {
		hk.Multiply(i, j0, j1, 1, a)
	})
}

// form computes H_σ = W Wᵀ of group k, W = V diag(√(s/(2λ + σs))), without the eigenvectors whose share is below the precision of T:
// with a linear kernel on few features, or a smooth one, these are most of them. Cost: m² for each that is left.
func (h *spectralInfluences[T]) form(k int) (linalg.Symmetric[T], error) {
	p := h.p
	m := len(p.Root)
	out := dual.Triangle(h.pair, m, 0)
	if h.formed == k {
		return out, nil
	}
	sigma := p.Coord.Groups()[k].Sigma
	gains := make([]float64, m)
	var top float64
	for j, s := range h.Values {
		gains[j] = h.Gain(s, sigma)
		top = max(top, gains[j])
	}
	var kept []int
	for j, g := range gains {
		if g > top*roundoff[T]() {
			kept = append(kept, j)
		}
	}
	w := h.square.Slice(0, m, 0, len(kept))
	if err := p.EachRow(func(i int) {
		row, vectors := w.Row(i), h.Vectors.Row(i)
		for c, j := range kept {
			row[c] = T(vectors[j] * math.Sqrt(gains[j]))
		}
	}); err != nil {
		return out, err
	}
	h.formed = k
	return out, out.Product(w, p.Mon)
}

// roundoff returns a bound of the relative rounding error of T, with room for the sum over many dropped eigenvalues.
func roundoff[T linalg.Float]() float64 {
	var t T
	if unsafe.Sizeof(t) == 4 {
		return 1e-10
	}
	return 1e-18
}
