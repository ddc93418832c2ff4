// Package loo computes the leave-one-out scores of all training rows without training once a row.
package loo

import (
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

type matrix = linalg.Matrix[float64]

// influences are explicit matrices H_σ, one after the other, with what is made of them to leave rows out.
type influences[T linalg.Float] interface {
	// ApplyTo writes H_σ v to dst, which may be v.
	ApplyTo(dst, v matrix) error
	// inverseDiagonal writes the diagonal of (2λI + σK̃)⁻¹ of each coordinate to dst.
	inverseDiagonal(dst matrix) error
	// margins returns G.
	margins() (linalg.Symmetric[T], error)
	// weighted returns H_σ ∘ a for the σ of group k, with a diagonal of zeros. It may take the place of H_σ, and is asked for once for
	// each group, from the last to the first, after everything else.
	weighted(k int, a linalg.Symmetric[T]) (linalg.Symmetric[T], error)
}

// removeLabels writes the coordinates of every row's label-removed leave-one-out scores under the AUC loss to dst (m×Len). Rows of
// weight 0 get zeros. The margin term of row i is taken out, which in G r = √w strikes out row and column i,
//
//	r⁽⁻ⁱ⁾ = r − G⁻¹e_i r_i/(G⁻¹)_ii,   f_i⁽⁻ⁱ⁾ = Σ_σ H_σ[i,:] diag(r⁽⁻ⁱ⁾) Z P_σ,
//
// and each σ-component is divided by 1 − σH_σ[i,i], which to first order takes the row's own ½fᵀΣf out as well. Since r⁽⁻ⁱ⁾ is zero at i,
// no H_σ[i,i] is in the sums: it would cancel, and leave little but rounding where 1 − σH_σ[i,i] is small. f is in double precision, the
// rest, a correction, in that of T: the condition number of G has a bound that no penalty changes. Cost, beside that of the influences:
// m³ and O(m²·Len).
func removeLabels[T linalg.Float](p *solve.Problem, h influences[T], dst matrix) error {
	diagonal := p.NewBlock() // of (2λI + σK̃)⁻¹: 1 − σH_σ[i,i] is 2λ times it, without cancellation
	if err := h.inverseDiagonal(diagonal); err != nil {
		return err
	}
	g, err := h.margins()
	if err != nil {
		return err
	}
	factor, err := g.Factor(p.Mon)
	if err == linalg.ErrNotPositiveDefinite {
		return dual.ErrMarginsIndefinite
	}
	if err != nil {
		return err
	}
	inverse, err := factor.Invert(p.Mon)
	if err != nil {
		return err
	}
	p.Mon.Advance(1)
	root, product := make([]T, len(p.Root)), make([]T, len(p.Root))
	for i, w := range p.Root {
		root[i] = T(w)
	}
	inverse.MulVecTo(product, root)
	r := make([]float64, len(p.Root))
	for i, x := range product {
		r[i] = float64(x)
	}
	if err := p.CombineTo(dst, r); err != nil {
		return err
	}
	if err := h.ApplyTo(dst, dst); err != nil {
		return err
	}
	// Σ_{j≠i} H_σ[i,j] G⁻¹[j,i] z_j, of which row i's scores lose r_i/(G⁻¹)_ii.
	z, shift := linalg.Convert[T](p.Z), linalg.NewMatrix[T](p.Z.Rows, p.Z.Cols)
	for k := len(p.Coord.Groups()) - 1; k >= 0; k-- {
		w, err := h.weighted(k, inverse)
		if err != nil {
			return err
		}
		grp := p.Coord.Groups()[k]
		if err := w.MulTo(shift.Slice(0, shift.Rows, grp.Lo, grp.Hi), z.Slice(0, z.Rows, grp.Lo, grp.Hi), p.Mon); err != nil {
			return err
		}
		p.Mon.Advance(1)
	}
	return p.EachRow(func(i int) {
		f, t, d, own := dst.Row(i), shift.Row(i), diagonal.Row(i), p.Z.Row(i)
		scale := r[i] / float64(inverse.At(i, i))
		for j := range f {
			complement := 2 * p.Lambda * d[j]
			f[j] = unscaled(p, i, (f[j]-(1-complement)/p.Sigma[j]*r[i]*own[j]-scale*float64(t[j]))/complement)
		}
	})
}

// multiplied replaces s by c·s ∘ a, with a diagonal of zeros.
func multiplied[T linalg.Float](p *solve.Problem, s linalg.Symmetric[T], c T, a linalg.Symmetric[T]) (linalg.Symmetric[T], error) {
	return s, p.Tiles(0, len(p.Root), func(i, j0, j1 int) {
		s.Multiply(i, j0, j1, c, a)
		if j1 == i+1 {
			s.Set(i, i, 0)
		}
	})
}

// unscaled divides by √w_i, and gives 0 for rows of weight 0, whose scores K̃ does not hold.
func unscaled(p *solve.Problem, i int, f float64) float64 {
	if p.Root[i] == 0 {
		return 0
	}
	return f / p.Root[i]
}
