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
	uplo, g := triangle(work, m, len(f.groups))
	z := linalg.NewMatrix[T](m, p.Coord.Len())
	if err := p.rows(func(i int) {
		out := z.Row(i)
		for j, v := range p.Z.Row(i) {
			out[j] = T(v)
		}
	}); err != nil {
		return nil, err
	}
	for i := range m {
		row := g.Row(i)[:i+1]
		if uplo == blas.Upper {
			row = g.Row(i)[i:]
		}
		clear(row)
		g.Row(i)[i] = 1
	}
	// H_σ = (I − Q)/σ for the inverse Q, so G_ij = δ_ij + Σ_σ (δ_ij − Q_ij)/σ · ⟨z_i, z_j⟩_σ, by blocks of rows.
	overlap := linalg.NewMatrix[T](rowGrain, m)
	for lo := 0; lo < m; lo += rowGrain {
		if err := p.Mon.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+rowGrain, m)
		for k, grp := range f.groups {
			s := overlap.Slice(0, hi-lo, 0, hi)
			linalg.Gemm(blas.NoTrans, blas.Trans, T(1/grp.sigma), z.Slice(lo, hi, grp.lo, grp.hi), z.Slice(0, hi, grp.lo, grp.hi), 0, s)
			if err := p.tiles(lo, hi, func(i, j0, j1 int) {
				row := s.Row(i - lo)
				for j := j0; j < j1; j++ {
					v := -f.inverses[k].At(i, j) * row[j]
					if i == j {
						v += row[j]
					}
					if uplo == blas.Lower {
						g.Data[i*g.Stride+j] += v
					} else {
						g.Data[j*g.Stride+i] += v
					}
				}
			}); err != nil {
				return nil, err
			}
		}
	}
	factor, err := linalg.FactorCholesky(uplo, g, p.Mon)
	if err == linalg.ErrNotPositiveDefinite {
		return nil, &NumericalError{"the system of the margins is not positive definite in this precision"}
	}
	return &MarginMatrix[T]{p: p, factor: factor, x: linalg.NewMatrix[T](m, 1)}, err
}

// tiles calls f(i, j0, j1) for row ranges of the lower triangle, rows lo to hi, in square tiles, so that walking a triangle down
// its columns stays in cache.
func (p *Problem) tiles(lo, hi int, f func(i, j0, j1 int)) error {
	const tile = 64
	return p.ranges((hi-1)/tile+1, 1, func(t int) {
		for i := max(lo, t*tile); i < hi; i++ {
			f(i, t*tile, min((t+1)*tile, i+1))
		}
	})
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
