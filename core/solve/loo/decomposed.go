package loo

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// at is the decomposition under the penalty of a problem.
type at struct {
	*Thin
	p *solve.Problem
}

// ApplyTo writes H_σ v to dst, which may be v. Cost: 4mr·Len.
func (t at) ApplyTo(dst, v matrix) error {
	if len(t.values) == 0 {
		dst.Zero()
		return nil
	}
	inner := linalg.NewMatrix[float64](len(t.values), v.Cols)
	if err := linalg.GemmPolled(blas.Trans, t.b, v, inner, t.p.Mon); err != nil {
		return err
	}
	return t.synthesizeTo(dst, inner)
}

// synthesizeTo writes H_σ v to dst, given Bᵀv.
func (t at) synthesizeTo(dst, inner matrix) error {
	weights := linalg.NewMatrix[float64](inner.Rows, inner.Cols)
	for k, s := range t.values {
		row := weights.Row(k)
		for j, v := range inner.Row(k) {
			row[j] = v / (2*t.p.Lambda + t.p.Sigma[j]*s)
		}
	}
	return linalg.GemmPolled(blas.NoTrans, t.b, weights, dst, t.p.Mon)
}

// sharesOfOthers returns 1 − σH_σ[i, i] for each row and each distinct σ. Cost: 2mr·(distinct σ).
func (t at) sharesOfOthers() (matrix, error) {
	groups := t.p.Coord.Groups()
	shares, own := linalg.NewMatrix[float64](len(t.p.Root), len(groups)), linalg.NewMatrix[float64](len(groups), len(t.values))
	for g, grp := range groups {
		for k, s := range t.values {
			own.Row(g)[k] = grp.Sigma / (2*t.p.Lambda + grp.Sigma*s)
		}
	}
	return shares, t.p.EachRow(func(i int) {
		b, row := t.b.Row(i), shares.Row(i)
		for g := range groups {
			var h float64
			for k, share := range own.Row(g) {
				h += b[k] * b[k] * share
			}
			row[g] = 1 - h
		}
	})
}

// Bounds of 1 − σH_σ[i, i], by which the scores of row i are divided. Below least, rounding in double precision shows in them; below
// single, that of H_σ in single precision would, unless H_σ is computed in double.
const least, single = 1e-11, 1e-2

// smallest returns the smallest share of a row that counts.
func (t at) smallest(shares matrix) float64 {
	smallest := 1.0
	for i, root := range t.p.Root {
		if root == 0 {
			continue
		}
		for _, share := range shares.Row(i) {
			smallest = min(smallest, share)
		}
	}
	return smallest
}

// ErrInaccurate says that a decomposition is not accurate enough for the penalty.
var ErrInaccurate = fault.Numerical("the kernel matrix is not known accurately enough to leave rows out")

// FromThin does what Factored does from a decomposition. work has ThinWork bytes, for the AUC loss without FewWeights only. ErrInaccurate
// comes at once. Cost: s·m²r + m³ for the AUC loss with s distinct σ, and O(m²·Len), or that of removeInWeights; O(mr·Len) for the squared
// loss.
func FromThin[T linalg.Float](p *solve.Problem, thin *Thin, work []T, dst matrix) error {
	t := at{thin, p}
	shares, err := t.sharesOfOthers()
	if err != nil {
		return err
	}
	share := t.smallest(shares)
	if p.Coord.Len() == 0 {
		return nil
	}
	if thin.slip*p.Coord.Groups()[0].Sigma > slipTaken*2*p.Lambda || !(share >= least) {
		return ErrInaccurate
	}
	if p.Margin && FewWeights(p.Coord, len(p.Root), len(thin.values)) {
		if share < single {
			return removeInWeights[float64](t, shares, dst)
		}
		return removeInWeights[T](t, shares, dst)
	}
	if p.Margin {
		var entry T
		double := share < single || unsafe.Sizeof(entry) == 8
		return removeLabels(p, &thinInfluences[T]{at: t, work: work, shares: shares, double: double}, dst)
	}
	s, err := t.sum()
	if err != nil {
		return err
	}
	if err := t.synthesizeTo(dst, s.labels); err != nil {
		return err
	}
	return p.EachRow(func(i int) {
		// Row i's own share of its prediction, H_ii y_i, is taken out before the division: nothing cancels afterwards.
		others, z, c := shares.Row(i)[0], p.Z.Row(i), dst.Row(i)
		own, scale := (1-others)*p.Root[i], unscaled(p, i, 1/others)
		for j := range c {
			c[j] = (c[j] - own*z[j]) * scale
		}
	})
}

// ThinWork returns the bytes of work that FromThin needs for m rows.
func ThinWork[T linalg.Float](m int, margin bool) int64 {
	if !margin {
		return 0
	}
	return dual.FactorWork[T](m, 2)
}

// thinInfluences forms one H_σ at a time, in one triangle of work whose other one holds G.
type thinInfluences[T linalg.Float] struct {
	at
	work   []T
	shares matrix // of others
	double bool   // whether entries of H_σ are computed in double precision, before they become T
	w32    []float32
	w64    []float64
}

func (h *thinInfluences[T]) inverseDiagonal(dst matrix) error {
	return h.p.EachRow(func(i int) {
		row, shares := dst.Row(i), h.shares.Row(i)
		for g, grp := range h.p.Coord.Groups() {
			for j := grp.Lo; j < grp.Hi; j++ {
				row[j] = shares[g] / (2 * h.p.Lambda)
			}
		}
	})
}

func (h *thinInfluences[T]) margins() (linalg.Symmetric[T], error) {
	p := h.p
	m := len(p.Root)
	g := dual.Triangle(h.work, m, 1)
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

func (h *thinInfluences[T]) weighted(k int, a linalg.Symmetric[T]) (linalg.Symmetric[T], error) {
	hk, err := h.form(k)
	if err != nil {
		return hk, err
	}
	return multiplied(h.p, hk, 1, a)
}

// form computes H_σ of group k, without the columns whose share is below the precision.
func (h *thinInfluences[T]) form(k int) (linalg.Symmetric[T], error) {
	if h.double {
		return formed[float64](h, k, 1e-18, &h.w64)
	}
	return formed[float32](h, k, 1e-9, &h.w32)
}

func formed[P, T linalg.Float](h *thinInfluences[T], k int, negligible float64, scratch *[]P) (linalg.Symmetric[T], error) {
	p, sigma := h.p, h.p.Coord.Groups()[k].Sigma
	m := len(p.Root)
	out := dual.Triangle(h.work, m, 0)
	var top float64
	for _, s := range h.values {
		top = max(top, s/(2*p.Lambda+sigma*s))
	}
	retained, scale := []int{}, []float64{}
	for j, s := range h.values {
		if gain := 2*p.Lambda + sigma*s; s/gain > negligible*top {
			retained, scale = append(retained, j), append(scale, 1/math.Sqrt(gain))
		}
	}
	if *scratch == nil {
		*scratch = make([]P, m*len(h.values))
	}
	w := linalg.Matrix[P]{Rows: m, Cols: len(retained), Stride: max(len(retained), 1), Data: (*scratch)[:m*len(retained)]}
	if err := p.EachRow(func(i int) {
		row, b := w.Row(i), h.b.Row(i)
		for c, j := range retained {
			row[c] = P(b[j] * scale[c])
		}
	}); err != nil {
		return out, err
	}
	panel := linalg.NewMatrix[P](min(solve.RowGrain, m), m)
	for lo := 0; lo < m; lo += solve.RowGrain {
		if err := p.Mon.Err(); err != nil {
			return out, err
		}
		hi := min(lo+solve.RowGrain, m)
		if s := panel.Slice(0, hi-lo, 0, hi); len(retained) > 0 {
			linalg.Gemm(blas.NoTrans, blas.Trans, 1, w.Slice(lo, hi, 0, len(retained)), w.Slice(0, hi, 0, len(retained)), 0, s)
		}
		if err := p.Each(hi-lo, tileRows, func(i int) {
			row, _ := out.Row(lo + i)
			for j, v := range panel.Row(i)[:len(row)] {
				row[j] = T(v)
			}
		}); err != nil {
			return out, err
		}
	}
	return out, nil
}

// tileRows is the number of rows that are copied together.
const tileRows = 64
