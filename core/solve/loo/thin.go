package loo

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// Thin is K̃ = BBᵀ with orthogonal columns of B (m×r), whose squared norms are the eigenvalues of K̃ that are not zero. Once it is known,
// H_σ = B diag(1/(2λ + σs)) Bᵀ costs m²r for any λ and σ: one decomposition serves a whole list of penalties.
type Thin struct {
	b      matrix
	values []float64 // s
	slip   float64   // bound of the largest eigenvalue of what BBᵀ leaves of K̃
	sums   *sums     // once a penalty has needed them
}

const (
	// shareOfRank bounds the rank of low-rank decompositions, as a share of m: above it factors cost less.
	shareOfRank = 1.0 / 8
	// slipOf is how large an error of K̃ may be, as a share of 2λ/σ, to stop the decomposition; slipTaken, to use it.
	slipOf, slipTaken = 1e-7, 1e-5
	// unitRoundoff is that of float64.
	unitRoundoff = 1.0 / (1 << 53)
	// probation is how many pivots are looked at before the rank is guessed from what they have left.
	probation = 32
)

// NewLowRank returns the decomposition of the operator's matrix by Cholesky factorisation with pivoting (Higham 2002, Accuracy and
// Stability of Numerical Algorithms, § 10.3), as accurate as the penalty least, the smallest of 2λ/σ, needs; or nil, where the matrix is
// not of low rank, or not positive semi-definite. Cost: O(m·r²) for rank r.
func NewLowRank(p *solve.Problem, op *dual.Kernel, least float64) (*Thin, error) {
	if p.Coord.Len() == 0 {
		return nil, nil
	}
	m := len(p.Root)
	most := int(shareOfRank * float64(m))
	left := make([]float64, m)
	op.DiagonalTo(left)
	var trace, top float64
	for _, d := range left {
		trace, top = trace+math.Abs(d), max(top, d)
	}
	target := max(slipOf*least, 4*unitRoundoff*trace)
	factor, row := linalg.NewMatrix[float64](m, most), make([]float64, m)
	rank, remaining := 0, trace
	for ; remaining > target; rank++ {
		if err := p.Mon.Err(); err != nil {
			return nil, err
		}
		pivot := argmax(left)
		// Where pivots have left more than a geometric decrease to the target would, twice as many as are allowed will not do.
		hopeless := rank >= probation && math.Log(trace/remaining) < math.Log(trace/target)*float64(rank)/float64(2*most)
		if rank == most || hopeless || !(left[pivot] > 0) {
			return nil, nil
		}
		op.RowTo(row, pivot)
		if rank > 0 {
			done := linalg.General(factor.Slice(0, m, 0, rank))
			blas64.Gemv(blas.NoTrans, -1, done, vector(append([]float64(nil), factor.Row(pivot)[:rank]...)), 1, vector(row))
		}
		root := math.Sqrt(left[pivot])
		remaining = 0
		for i, v := range row {
			v /= root
			factor.Row(i)[rank] = v
			left[i] -= v * v
			if left[i] < -symmetryLost*top {
				return nil, nil
			}
			remaining += math.Abs(left[i])
		}
		remaining -= math.Abs(left[pivot])
		left[pivot] = 0
	}
	t := &Thin{b: linalg.NewMatrix[float64](m, rank), slip: max(remaining, unitRoundoff*trace)}
	factor = factor.Slice(0, m, 0, rank)
	ok, err := t.reproduces(p, op, factor)
	if !ok || err != nil {
		return nil, err
	}
	if rank == 0 {
		return t, nil
	}
	gram := linalg.NewMatrix[float64](rank, rank)
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, factor, factor, 0, gram)
	if t.values, err = linalg.SymEig(linalg.General(gram)); err != nil {
		return nil, err
	}
	for j := range t.values {
		t.values[j] = max(t.values[j], 0)
	}
	return t, linalg.GemmPolled(blas.NoTrans, factor, gram, t.b, p.Mon)
}

// symmetryLost is how far below zero, relative to the largest entry, rounding may take what pivots leave of a diagonal.
const symmetryLost = 1e-8

// reproduces says whether K̃v is what the factor gives, for a random v: an indefinite matrix may have a diagonal that ends as zero.
func (t *Thin) reproduces(p *solve.Problem, op *dual.Kernel, factor matrix) (bool, error) {
	m := len(p.Root)
	v, want, got := p.NewBlock(), p.NewBlock(), linalg.NewMatrix[float64](m, p.Coord.Len())
	rng := rand.New(rand.NewPCG(1, 15))
	for i := range m {
		v.Row(i)[0] = rng.NormFloat64()
	}
	if err := op.MulTo(want, v); err != nil {
		return false, err
	}
	if factor.Cols > 0 {
		inner := linalg.NewMatrix[float64](factor.Cols, v.Cols)
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, factor, v, 0, inner)
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, factor, inner, 0, got)
	}
	var gap, norm, size float64
	for i := range m {
		e, x, w := want.Row(i)[0]-got.Row(i)[0], v.Row(i)[0], want.Row(i)[0]
		gap, norm, size = gap+e*e, norm+x*x, size+w*w
	}
	return math.Sqrt(gap) <= 2*t.slip*math.Sqrt(norm)+float64(m)*unitRoundoff*math.Sqrt(size), nil
}

// NewFull returns the decomposition by all eigenvectors. Cost: about 9m³, once, and memory of three matrices of order m.
func NewFull(p *solve.Problem, op *dual.Kernel) (*Thin, error) {
	sp, err := dual.NewSpectral(p, op)
	if err != nil {
		return nil, err
	}
	b, values := sp.Vectors, sp.Values
	return &Thin{b: b, values: values, slip: unitRoundoff * slices.Max(values)}, p.EachRow(func(i int) {
		row := b.Row(i)
		for j, s := range values {
			row[j] *= math.Sqrt(s)
		}
	})
}

func argmax(v []float64) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
