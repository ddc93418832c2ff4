package dual

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// MarginMatrix is G itself.
type MarginMatrix[T linalg.Float] struct {
	p        *solve.Problem
	g        linalg.Symmetric[T]
	accuracy float64 // of products and solutions
	largest  float64 // of the bounds of G, hence a bound of its condition number
	x, y     []T     // m scratch
}

// NewMarginMatrix forms G from the inverses of f, as the triangle after theirs in work. Cost: O(m²·Len).
func NewMarginMatrix[T linalg.Float](f *Factored[T], work []T) (*MarginMatrix[T], error) {
	p := f.p
	m := len(p.Root)
	g := Triangle(work, m, len(f.Groups))
	// H_σ = (I − Q)/σ for the inverse Q, so G_ij = δ_ij + Σ_σ (δ_ij − Q_ij)/σ · ⟨z_i, z_j⟩_σ.
	diagonal := make([]T, m)
	largest := 1.0
	for i, d := range marginBounds(p) {
		diagonal[i] = T(d)
		largest = max(largest, d)
	}
	g.SetDiagonal(diagonal)
	z := linalg.Convert[T](p.Z)
	for k, grp := range f.Groups {
		if err := AddOverlap(p, g, f.Inverses[k], T(-1/grp.Sigma), z.Slice(0, m, grp.Lo, grp.Hi)); err != nil {
			return nil, err
		}
	}
	return &MarginMatrix[T]{p: p, g: g, accuracy: f.Accuracy(), largest: largest, x: make([]T, m), y: make([]T, m)}, nil
}

// marginBounds returns 1 + Σ_σ ⟨z_i, z_i⟩_σ/σ of every row. G is at least I, and at most the diagonal matrix of these.
func marginBounds(p *solve.Problem) []float64 {
	bounds := make([]float64, len(p.Root))
	for i := range bounds {
		bounds[i] = 1
		for j, z := range p.Z.Row(i) {
			bounds[i] += z * z / p.Sigma[j]
		}
	}
	return bounds
}

// productsPerFactor, times m, is how many products with a matrix of order m take as long as its Cholesky factor: operations of a
// product wait for memory, and take about six times as long.
const productsPerFactor = 1.0 / 36

// Solver returns the cheaper of conjugate gradient, with at most limit iterations (0: the default), and a Cholesky factor, which
// takes the place of G. G is never ill-conditioned, so either is accurate in either precision.
func (g *MarginMatrix[T]) Solver(limit int) (MarginSolver, error) {
	// The bound of the iterations that reduce the error by `accuracy`.
	if math.Sqrt(g.largest)/2*math.Log(2/g.accuracy) < productsPerFactor*float64(len(g.x)) {
		return NewMarginIteration(g.p, g, limit)
	}
	return g.factored()
}

// ErrMarginsIndefinite says that G has no Cholesky factor, by errors of rounding.
var ErrMarginsIndefinite = fault.Numerical("the system of the margins is not positive definite in this precision")

func (g *MarginMatrix[T]) factored() (MarginSolver, error) {
	factor, err := g.g.Factor(g.p.Mon)
	if err == linalg.ErrNotPositiveDefinite {
		return nil, ErrMarginsIndefinite
	}
	return &marginFactor[T]{p: g.p, factor: factor, x: linalg.Matrix[T]{Rows: len(g.x), Cols: 1, Stride: 1, Data: g.x}}, err
}

// Matrix returns G, which shares its memory.
func (g *MarginMatrix[T]) Matrix() linalg.Symmetric[T] { return g.g }

// ApplyTo implements MarginOperator.
func (g *MarginMatrix[T]) ApplyTo(dst, v []float64) error {
	for i, a := range v {
		g.x[i] = T(a)
	}
	g.g.MulVecTo(g.y, g.x)
	for i, a := range g.y {
		dst[i] = float64(a)
	}
	return nil
}

// Diagonal implements MarginOperator.
func (g *MarginMatrix[T]) Diagonal() ([]float64, error) {
	diagonal := make([]float64, len(g.x))
	for i := range diagonal {
		diagonal[i] = float64(g.g.At(i, i))
	}
	return diagonal, nil
}

// marginFactor is the MarginSolver by a Cholesky factor of G.
type marginFactor[T linalg.Float] struct {
	p      *solve.Problem
	factor linalg.Cholesky[T]
	x      linalg.Matrix[T] // m×1 scratch
	solves int
}

// SolveTo implements MarginSolver. The target is not needed: the precision is what it is.
func (s *marginFactor[T]) SolveTo(q, b []float64, _ float64) error {
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
func (s *marginFactor[T]) Iterations() (n int, exhausted bool) { return s.solves, false }

// AddOverlap adds c·a ∘ zzᵀ to g.
func AddOverlap[T linalg.Float](p *solve.Problem, g, a linalg.Symmetric[T], c T, z linalg.Matrix[T]) error {
	m := z.Rows
	overlap := linalg.NewMatrix[T](min(solve.RowGrain, m), m)
	for lo := 0; lo < m; lo += solve.RowGrain {
		if err := p.Mon.Err(); err != nil {
			return err
		}
		hi := min(lo+solve.RowGrain, m)
		s := overlap.Slice(0, hi-lo, 0, hi)
		linalg.Gemm(blas.NoTrans, blas.Trans, c, z.Slice(lo, hi, 0, z.Cols), z.Slice(0, hi, 0, z.Cols), 0, s)
		if err := p.Tiles(lo, hi, func(i, j0, j1 int) {
			g.AddProduct(i, j0, a, s.Row(i - lo)[j0:j1])
		}); err != nil {
			return err
		}
	}
	return nil
}
