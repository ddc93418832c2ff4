package solve

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
)

// LeaveOneOutWork returns the float64s of work that LeaveOneOut needs for m rows.
func LeaveOneOutWork(m int, margin bool) int {
	if !margin {
		return 0
	}
	return m*m + m*(m+1)
}

// LeaveOneOut writes the coordinates of every row's leave-one-out scores to dst (m×Len). Rows of weight 0 get zeros.
//
// For the squared loss they are exact. For the AUC loss they are the label-removed scores: the margin term of row i is taken
// out, which in G r = √w strikes out row and column i,
//
//	r⁽⁻ⁱ⁾ = r − G⁻¹e_i r_i/(G⁻¹)_ii,   f_i⁽⁻ⁱ⁾ = Σ_σ H_σ[i,:] diag(r⁽⁻ⁱ⁾) Z P_σ,
//
// and each σ-component is divided by 1 − σH_σ[i,i], which to first order takes the row's own ½fᵀΣf out as well.
// Cost: (2s−1)m³ + m³ for s distinct σ, and O(m²·Len).
func LeaveOneOut(p *Problem, sp *Spectral, work []float64, dst matrix) error {
	m := len(p.Root)
	diag := p.newBlock()
	if _, err := sp.Diagonal(diag); err != nil {
		return err
	}
	if !p.Margin {
		if err := p.scaleRowsTo(dst, p.Root); err != nil {
			return err
		}
		if err := sp.ApplyTo(dst, dst); err != nil {
			return err
		}
		return p.rows(func(i int) {
			z, f, h := p.Z.Row(i), dst.Row(i), diag.Row(i)
			for j := range f {
				f[j] = p.unscaled(i, (f[j]-h[j]*p.Root[i]*z[j])/(1-h[j]))
			}
		})
	}
	w := linalg.Matrix[float64]{Rows: m, Cols: m, Stride: m, Data: work[:m*m]}
	pair := work[m*m : m*m+m*(m+1)]
	h := linalg.Matrix[float64]{Rows: m, Cols: m, Stride: m + 1, Data: pair[: m*(m+1)-1 : m*(m+1)-1]} // lower triangle
	g := linalg.Matrix[float64]{Rows: m, Cols: m, Stride: m + 1, Data: pair[1:]}                      // upper triangle

	// G = I + Σ_σ H_σ ∘ S_σ.
	for i := range m {
		row := g.Row(i)
		clear(row[i:])
		row[i] = 1
	}
	groups := p.Coord.groups
	for _, grp := range groups {
		if err := sp.resolventMatrix(h, w, grp.sigma); err != nil {
			return err
		}
		z := p.Z.Slice(0, m, grp.lo, grp.hi)
		if err := p.rows(func(i int) {
			hi, zi := h.Row(i), z.Row(i)
			for j := 0; j <= i; j++ {
				g.Data[j*g.Stride+i] += hi[j] * dot(zi, z.Row(j))
			}
		}); err != nil {
			return err
		}
		p.Mon.Advance(1)
	}
	factor, err := linalg.FactorCholesky(blas.Upper, g, p.Mon)
	if err == linalg.ErrNotPositiveDefinite {
		return &NumericalError{"the leave-one-out system is not positive definite; raise alpha"}
	}
	if err != nil {
		return err
	}
	if _, err := factor.Invert(p.Mon); err != nil {
		return err
	}
	r := make([]float64, m)
	blas64.Symv(1, blas64.Symmetric{Uplo: blas.Upper, N: m, Stride: g.Stride, Data: g.Data},
		blas64.Vector{N: m, Inc: 1, Data: p.Root}, 0, blas64.Vector{N: m, Inc: 1, Data: r})

	// Σ_j H_σ[i,j] G⁻¹[j,i] z_j, the last σ first because its H is still there.
	shift := p.newBlock()
	for k := len(groups) - 1; k >= 0; k-- {
		grp := groups[k]
		if k < len(groups)-1 {
			if err := sp.resolventMatrix(h, w, grp.sigma); err != nil {
				return err
			}
		}
		if err := p.rows(func(i int) {
			hi := h.Row(i)
			for j := 0; j <= i; j++ {
				hi[j] *= g.Data[j*g.Stride+i]
			}
		}); err != nil {
			return err
		}
		blas64.Symm(blas.Left, 1, blas64.Symmetric{Uplo: blas.Lower, N: m, Stride: h.Stride, Data: h.Data},
			linalg.General(p.Z.Slice(0, m, grp.lo, grp.hi)), 0, linalg.General(shift.Slice(0, m, grp.lo, grp.hi)))
		p.Mon.Advance(1)
	}
	if err := p.scaleRowsTo(dst, r); err != nil {
		return err
	}
	if err := sp.ApplyTo(dst, dst); err != nil {
		return err
	}
	return p.rows(func(i int) {
		f, t, d := dst.Row(i), shift.Row(i), diag.Row(i)
		scale := r[i] / g.Data[i*g.Stride+i]
		for j := range f {
			f[j] = p.unscaled(i, (f[j]-scale*t[j])/(1-p.sigma[j]*d[j]))
		}
	})
}

// unscaled divides by √w_i, and gives 0 for rows of weight 0, whose scores K̃ does not hold.
func (p *Problem) unscaled(i int, f float64) float64 {
	if p.Root[i] == 0 {
		return 0
	}
	return f / p.Root[i]
}

// resolventMatrix writes the lower triangle of H_σ to dst, with w (m×m) as scratch. Cost: m³.
func (o *Spectral) resolventMatrix(dst, w matrix, sigma float64) error {
	m := len(o.s)
	root := make([]float64, m)
	for k, s := range o.s {
		root[k] = math.Sqrt(o.gain(s, sigma))
	}
	if err := o.p.rows(func(i int) {
		row := w.Row(i)
		for k, v := range o.v.Row(i) {
			row[k] = v * root[k]
		}
		clear(dst.Row(i)[:i+1]) // gonum's Syrk adds to what it should overwrite, be it NaN
	}); err != nil {
		return err
	}
	step := max(rowGrain, int(min(float64(m), stripFlops/(float64(m)*float64(m)))))
	for lo := 0; lo < m; lo += step {
		if err := o.p.Mon.Err(); err != nil {
			return err
		}
		hi := min(lo+step, m)
		strip := w.Slice(lo, hi, 0, m)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, strip, w.Slice(0, lo, 0, m), 0, dst.Slice(lo, hi, 0, lo))
		linalg.Syrk(blas.Lower, blas.NoTrans, 1, strip, 0, dst.Slice(lo, hi, lo, hi))
	}
	return nil
}
