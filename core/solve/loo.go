package solve

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

// LeaveOneOutWork returns the bytes of work that LeaveOneOut needs for m rows in precision T.
func LeaveOneOutWork[T linalg.Float](m int, margin bool) int64 {
	if !margin {
		return 0
	}
	var t T
	return FactorWork[T](m, 2) + int64(m)*int64(m)*int64(unsafe.Sizeof(t))
}

// LeaveOneOut writes the coordinates of every row's leave-one-out scores to dst (m×Len). Rows of weight 0 get zeros.
//
// For the squared loss they are exact. For the AUC loss they are the label-removed scores: the margin term of row i is taken
// out, which in G r = √w strikes out row and column i,
//
//	r⁽⁻ⁱ⁾ = r − G⁻¹e_i r_i/(G⁻¹)_ii,   f_i⁽⁻ⁱ⁾ = Σ_σ H_σ[i,:] diag(r⁽⁻ⁱ⁾) Z P_σ,
//
// and each σ-component is divided by 1 − σH_σ[i,i], which to first order takes the row's own ½fᵀΣf out as well. The m×m matrices
// are kept in precision T. Cost: s·m³ + m³ for s ≤ 2 distinct σ, (2s − 1)m³ + m³ beyond, and O(m²·Len).
func LeaveOneOut[T linalg.Float](p *Problem, sp *Spectral, work []T, dst matrix) error {
	m := len(p.Root)
	diag := p.newBlock() // of (2λI + σK̃)⁻¹: 1 − σH_σ[i,i] is 2λ times it, without cancellation
	if err := sp.diagonalTo(diag, sp.inverse); err != nil {
		return err
	}
	if !p.Margin {
		if err := p.scaleRowsTo(dst, p.Root); err != nil {
			return err
		}
		if err := sp.SolveTo(dst, dst); err != nil {
			return err
		}
		return p.rows(func(i int) {
			z, f, q := p.Z.Row(i), dst.Row(i), diag.Row(i)
			for j := range f {
				f[j] = p.unscaled(i, p.Root[i]*z[j]-f[j]/q[j])
			}
		})
	}
	v := looMatrices[T]{p: p, sp: sp, z: convert[T](p.Z), square: linalg.Matrix[T]{Rows: m, Cols: m, Stride: max(m, 1), Data: work[:m*m]}, pair: work[m*m:]}
	r, inverse, err := v.removal()
	if err != nil {
		return err
	}
	shift, err := v.shifts(inverse)
	if err != nil {
		return err
	}
	if err := p.scaleRowsTo(dst, r); err != nil {
		return err
	}
	if err := sp.ApplyTo(dst, dst); err != nil {
		return err
	}
	return p.rows(func(i int) {
		f, t, d := dst.Row(i), shift.Row(i), diag.Row(i)
		scale := r[i] / float64(inverse.At(i, i))
		for j := range f {
			f[j] = p.unscaled(i, (f[j]-scale*float64(t[j]))/(2*p.Lambda*d[j]))
		}
	})
}

// looMatrices lays the m×m matrices of LeaveOneOut out in two squares. With up to two distinct σ all H_σ are kept, and G takes the
// place of the scratch they were made with; with more, one H_σ at a time shares a square with G and is made again when needed.
type looMatrices[T linalg.Float] struct {
	p      *Problem
	sp     *Spectral
	z      linalg.Matrix[T]
	square linalg.Matrix[T]
	pair   []T // two triangles
}

func (v *looMatrices[T]) keepsAll() bool { return len(v.p.Coord.groups) == 2 }

// g returns the place of G, later of its inverse.
func (v *looMatrices[T]) g() linalg.Symmetric[T] {
	if v.keepsAll() {
		return linalg.NewSymmetric(blas.Lower, v.square)
	}
	return triangle(v.pair, v.z.Rows, 1)
}

// h returns the place of H_σ of group k.
func (v *looMatrices[T]) h(k int) linalg.Symmetric[T] {
	if v.keepsAll() {
		return triangle(v.pair, v.z.Rows, k)
	}
	return triangle(v.pair, v.z.Rows, 0)
}

// form computes H_σ = W Wᵀ of group k, W = V diag(√(s/(2λ + σs))), without the eigenvectors whose share is below the precision of T:
// with a linear kernel on few features, or a smooth one, these are most of them. Cost: m² for each that is left.
func (v *looMatrices[T]) form(k int) error {
	sigma := v.p.Coord.groups[k].sigma
	m := len(v.sp.s)
	gains := make([]float64, m)
	var top float64
	for j, s := range v.sp.s {
		gains[j] = v.sp.gain(s, sigma)
		top = max(top, gains[j])
	}
	var kept []int
	for j, g := range gains {
		if g > top*roundoff[T]() {
			kept = append(kept, j)
		}
	}
	w := v.square.Slice(0, m, 0, len(kept))
	if err := v.p.rows(func(i int) {
		row, vectors := w.Row(i), v.sp.v.Row(i)
		for c, j := range kept {
			row[c] = T(vectors[j] * math.Sqrt(gains[j]))
		}
	}); err != nil {
		return err
	}
	return v.h(k).Product(w, v.p.Mon)
}

// roundoff returns a bound of the relative rounding error of T, with room for the sum over many dropped eigenvalues.
func roundoff[T linalg.Float]() float64 {
	var t T
	if unsafe.Sizeof(t) == 4 {
		return 1e-10
	}
	return 1e-18
}

// columns returns the coordinates of group k.
func (v *looMatrices[T]) columns(m linalg.Matrix[T], k int) linalg.Matrix[T] {
	grp := v.p.Coord.groups[k]
	return m.Slice(0, m.Rows, grp.lo, grp.hi)
}

// removal returns r and G⁻¹.
func (v *looMatrices[T]) removal() ([]float64, linalg.Symmetric[T], error) {
	m := v.z.Rows
	g := v.g()
	ones := make([]T, m)
	for i := range ones {
		ones[i] = 1
	}
	groups := v.p.Coord.groups
	if v.keepsAll() {
		for k := range groups {
			if err := v.form(k); err != nil {
				return nil, g, err
			}
		}
	}
	g.SetDiagonal(ones)
	for k := range groups {
		if !v.keepsAll() {
			if err := v.form(k); err != nil {
				return nil, g, err
			}
		}
		if err := addOverlap(v.p, g, v.h(k), 1, v.columns(v.z, k)); err != nil {
			return nil, g, err
		}
		v.p.Mon.Advance(1)
	}
	factor, err := g.Factor(v.p.Mon)
	if err == linalg.ErrNotPositiveDefinite {
		return nil, g, &NumericalError{"the leave-one-out system is not positive definite; raise alpha"}
	}
	if err != nil {
		return nil, g, err
	}
	inverse, err := factor.Invert(v.p.Mon)
	if err != nil {
		return nil, g, err
	}
	root, product := linalg.NewMatrix[T](m, 1), linalg.NewMatrix[T](m, 1)
	for i, w := range v.p.Root {
		root.Data[i] = T(w)
	}
	if err := inverse.MulTo(product, root, v.p.Mon); err != nil {
		return nil, g, err
	}
	r := make([]float64, m)
	for i, x := range product.Data {
		r[i] = float64(x)
	}
	return r, inverse, nil
}

// shifts returns Σ_j H_σ[i,j] G⁻¹[j,i] z_j. The last σ comes first, because its H is still there.
func (v *looMatrices[T]) shifts(inverse linalg.Symmetric[T]) (linalg.Matrix[T], error) {
	m := v.z.Rows
	shift := linalg.NewMatrix[T](m, v.z.Cols)
	groups := v.p.Coord.groups
	for k := len(groups) - 1; k >= 0; k-- {
		if !v.keepsAll() && k < len(groups)-1 {
			if err := v.form(k); err != nil {
				return shift, err
			}
		}
		h := v.h(k)
		if err := v.p.tiles(0, m, func(i, j0, j1 int) {
			hData, hAt, hStep := h.Walk(i, j0)
			gData, gAt, gStep := inverse.Walk(i, j0)
			for range j1 - j0 {
				hData[hAt] *= gData[gAt]
				hAt, gAt = hAt+hStep, gAt+gStep
			}
		}); err != nil {
			return shift, err
		}
		if err := h.MulTo(v.columns(shift, k), v.columns(v.z, k), v.p.Mon); err != nil {
			return shift, err
		}
		v.p.Mon.Advance(1)
	}
	return shift, nil
}

// unscaled divides by √w_i, and gives 0 for rows of weight 0, whose scores K̃ does not hold.
func (p *Problem) unscaled(i int, f float64) float64 {
	if p.Root[i] == 0 {
		return 0
	}
	return f / p.Root[i]
}
