package solve

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

// MarginMatrix is the MarginSolver by a Cholesky factor of G itself. G is never ill-conditioned (see the package comment), so its
// factor is accurate in either precision.
type MarginMatrix[T linalg.Float] struct {
	p      *Problem
	factor linalg.Cholesky[T]
	x      linalg.Matrix[T] // m×1 scratch
	solves int
}

// NewMarginMatrix forms and factors G from the inverses of f, as the triangle after theirs in work. Cost: m³/3 and O(m²·Len).
func NewMarginMatrix[T linalg.Float](f *Factored[T], work []T) (*MarginMatrix[T], error) {
	p := f.p
	m := len(p.Root)
	g := triangle(work, m, len(f.groups))
	// H_σ = (I − Q)/σ for the inverse Q, so G_ij = δ_ij + Σ_σ (δ_ij − Q_ij)/σ · ⟨z_i, z_j⟩_σ.
	diag := make([]T, m)
	for i := range m {
		d := 1.0
		for j, z := range p.Z.Row(i) {
			d += z * z / p.sigma[j]
		}
		diag[i] = T(d)
	}
	g.SetDiagonal(diag)
	z := convert[T](p.Z)
	for k, grp := range f.groups {
		if err := addOverlap(p, g, f.inverses[k], T(-1/grp.sigma), z.Slice(0, m, grp.lo, grp.hi)); err != nil {
			return nil, err
		}
	}
	factor, err := g.Factor(p.Mon)
	if err == linalg.ErrNotPositiveDefinite {
		return nil, &NumericalError{"the system of the margins is not positive definite in this precision"}
	}
	return &MarginMatrix[T]{p: p, factor: factor, x: linalg.NewMatrix[T](m, 1)}, err
}

// addOverlap adds c·a ∘ zzᵀ to g.
func addOverlap[T linalg.Float](p *Problem, g, a linalg.Symmetric[T], c T, z linalg.Matrix[T]) error {
	m := z.Rows
	overlap := linalg.NewMatrix[T](min(rowGrain, m), m)
	for lo := 0; lo < m; lo += rowGrain {
		if err := p.Mon.Err(); err != nil {
			return err
		}
		hi := min(lo+rowGrain, m)
		s := overlap.Slice(0, hi-lo, 0, hi)
		linalg.Gemm(blas.NoTrans, blas.Trans, c, z.Slice(lo, hi, 0, z.Cols), z.Slice(0, hi, 0, z.Cols), 0, s)
		if err := p.tiles(lo, hi, func(i, j0, j1 int) {
			gData, gAt, gStep := g.Walk(i, j0)
			aData, aAt, aStep := a.Walk(i, j0)
			for _, v := range s.Row(i - lo)[j0:j1] {
				gData[gAt] += aData[aAt] * v
				gAt, aAt = gAt+gStep, aAt+aStep
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// tiles calls f(i, j0, j1) for pieces of the rows lo to hi of the lower triangle, in square tiles, so that walking a triangle down
// its columns stays in cache.
func (p *Problem) tiles(lo, hi int, f func(i, j0, j1 int)) error {
	const tile = 64
	return p.ranges((hi-1)/tile+1, 1, func(t int) {
		for i0 := max(lo, t*tile) / tile * tile; i0 < hi; i0 += tile {
			for i := max(i0, lo, t*tile); i < min(i0+tile, hi); i++ {
				f(i, t*tile, min((t+1)*tile, i+1))
			}
		}
	})
}

// convert returns v in the other precision.
func convert[T linalg.Float](v matrix) linalg.Matrix[T] {
	out := linalg.NewMatrix[T](v.Rows, v.Cols)
	for i := range v.Rows {
		row := out.Row(i)
		for j, x := range v.Row(i) {
			row[j] = T(x)
		}
	}
	return out
}

// SolveTo implements MarginSolver. The target is not needed: the precision is what it is.
func (s *MarginMatrix[T]) SolveTo(q, b []float64, _ float64) error {
	for i, v := range b {
		s.x.Data[i] = T(v)
	}
	if err := s.factor.Solve(s.x, s.p.Mon); err != nil {
		return err
	}
	for i, v := range s.x.Data {
		q[i] = float64(v)
	}
	s.solves++
	return nil
}

// Iterations implements MarginSolver.
func (s *MarginMatrix[T]) Iterations() (n int, exhausted bool) { return s.solves, false }
