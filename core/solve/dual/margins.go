package dual

import (
	"math"

	"combpred/core/linalg"
	"combpred/core/solve"
)

// Operator multiplies by K̃ = DKD.
type Operator interface {
	// MulTo writes K̃c to dst.
	MulTo(dst, c matrix) error
	// Scale returns a number between the largest diagonal entry of K̃, in magnitude, and its largest eigenvalue.
	Scale() float64
}

// Resolvent applies functions of K̃ to m×Len blocks, each column with the σ of its coordinate.
type Resolvent interface {
	// ApplyTo writes H_σ v = K̃(2λI + σK̃)⁻¹ v to dst, which may be v.
	ApplyTo(dst, v matrix) error
	// Diagonal writes the diagonal of H_σ for each coordinate to dst (m×Len) and returns true, or returns false where that
	// would cost as much as the whole solution.
	Diagonal(dst matrix) (bool, error)
}

// MarginSolver solves G q = b, G = I + Σ_σ H_σ ∘ S_σ.
type MarginSolver interface {
	// SolveTo writes an approximate solution to q, whose residual has at most the Euclidean norm target unless the solver's
	// limits, or its precision, come first.
	SolveTo(q, b []float64, target float64) error
	// Iterations returns the number of iterations done so far, and whether their limit has been reached.
	Iterations() (n int, exhausted bool)
}

// MarginOperator multiplies by G.
type MarginOperator interface {
	// ApplyTo writes Gv to dst.
	ApplyTo(dst, v []float64) error
	// Diagonal returns the diagonal of G, or nil where that would cost as much as the whole solution.
	Diagonal() ([]float64, error)
}

// ImplicitMargins multiplies by G without forming it: Gv = v + rowsum(Z ∘ H(diag(v)Z)) where each example has
// one output.
type ImplicitMargins struct {
	p    *solve.Problem
	res  Resolvent
	work matrix // m×Len scratch
}

// NewImplicitMargins returns the operator on the resolvent res.
func NewImplicitMargins(p *solve.Problem, res Resolvent) *ImplicitMargins {
	return &ImplicitMargins{p: p, res: res, work: p.NewBlock()}
}

// ApplyTo implements MarginOperator.
func (g *ImplicitMargins) ApplyTo(dst, v []float64) error {
	if err := g.p.CombineTo(g.work, v); err != nil {
		return err
	}
	if err := g.res.ApplyTo(g.work, g.work); err != nil {
		return err
	}
	if err := g.p.DotsTo(dst, g.work); err != nil {
		return err
	}
	g.p.Sets.AddInverse(dst, v)
	return nil
}

// Diagonal implements MarginOperator.
func (g *ImplicitMargins) Diagonal() ([]float64, error) {
	ok, err := g.res.Diagonal(g.work)
	if err != nil || !ok {
		return nil, err
	}
	diagonal := make([]float64, g.p.Z.Rows)
	return diagonal, g.p.EachRow(func(i int) {
		lo, hi := g.p.Sets.Rows(i)
		for a := lo; a < hi; a++ {
			d := g.p.Sets.InverseDiagonal(i)
			for j, z := range g.p.Z.Row(a) {
				d += g.work.Row(i)[j] * z * z
			}
			diagonal[a] = d
		}
	})
}

// maxDirections bounds the directions that MarginIteration keeps: two vectors of length m each.
const maxDirections = 200

// MarginIteration is the MarginSolver by conjugate gradient, with the preconditioner diag(G) where that is cheap.
//
// Every direction is kept and made G-orthogonal to all earlier ones, also those of earlier right-hand sides. That costs
// little beside a product with G, makes single-precision products harmless to orthogonality, and lets later right-hand sides
// start from what the earlier ones learnt.
type MarginIteration struct {
	p        *solve.Problem
	g        MarginOperator
	limit    int       // of iterations, over the life of the solver
	diagonal []float64 // of G, or nil
	dirs     [][]float64
	images   [][]float64 // G·dirs
	energies []float64   // dirsᵀ·images
	iter     int
}

// defaultMarginIter is the usual limit of iterations; the bound of the condition number makes some tens usual.
const defaultMarginIter = 2000

// NewMarginIteration returns the solver on g, with at most limit iterations (0: the default).
func NewMarginIteration(p *solve.Problem, g MarginOperator, limit int) (*MarginIteration, error) {
	if limit == 0 {
		limit = defaultMarginIter
	}
	diagonal, err := g.Diagonal()
	return &MarginIteration{p: p, g: g, limit: limit, diagonal: diagonal}, err
}

// Iterations implements MarginSolver.
func (s *MarginIteration) Iterations() (n int, exhausted bool) { return s.iter, s.iter >= s.limit }

// SolveTo implements MarginSolver.
func (s *MarginIteration) SolveTo(q, b []float64, target float64) error {
	m := len(b)
	clear(q)
	r := append([]float64(nil), b...)
	z := make([]float64, m)
	for k, d := range s.dirs {
		s.step(q, r, d, s.images[k], linalg.Dot(d, r)/s.energies[k])
	}
	norm := math.Sqrt(linalg.Dot(r, r))
	for norm > target && s.iter < s.limit {
		if err := s.p.Mon.Err(); err != nil {
			return err
		}
		copy(z, r)
		for i, d := range s.diagonal {
			z[i] /= d
		}
		for k, d := range s.dirs {
			linalg.Axpy(z, d, -linalg.Dot(s.images[k], z)/s.energies[k])
		}
		d, image := append([]float64(nil), z...), make([]float64, m)
		if err := s.g.ApplyTo(image, d); err != nil {
			return err
		}
		energy := linalg.Dot(d, image)
		if err := solve.CheckFinite(energy); err != nil {
			return err
		}
		if !(energy > 0) {
			break // r is at rounding level: nothing is left to gain in this precision
		}
		if len(s.dirs) == maxDirections {
			s.dirs, s.images, s.energies = s.dirs[1:], s.images[1:], s.energies[1:]
		}
		s.dirs, s.images, s.energies = append(s.dirs, d), append(s.images, image), append(s.energies, energy)
		s.step(q, r, d, image, linalg.Dot(d, r)/energy)
		norm = math.Sqrt(linalg.Dot(r, r))
		s.iter++
		s.p.Mon.Advance(1)
	}
	return nil
}

func (s *MarginIteration) step(q, r, dir, image []float64, a float64) {
	linalg.Axpy(q, dir, a)
	linalg.Axpy(r, image, -a)
}
