// Package custom makes the numbers that describe a user's own space, and tells whether embeddings belong to it.
//
// A space is known by ψ of all its outputs, by the values of a kernel between them, by its moments, or by ψ of uniform draws, whose
// averages estimate the moments (Vembu 2010, sections 4.3.1 and 5.2). Kernels and draws become here what the structure "custom" takes.
package custom

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
)

type matrix = linalg.Matrix[float64]

const (
	// rankTolerance is the fraction of the largest eigenvalue of a kernel up to which eigenvalues are left out of the basis.
	rankTolerance = 1e-10
	// indefinite is the magnitude of negative eigenvalues that counts as rounding, relative to the largest.
	indefinite = 1e-8
	// asymmetric is the difference between mirrored entries that counts as rounding, relative to the largest entry.
	asymmetric = 1e-9
	// abandonedOrder is the order from which a decomposition is left behind when a call is cancelled.
	abandonedOrder = 512
)

// FromKernel returns embeddings of outputs whose inner products are the values of a kernel between them, up to the eigenvalues left out:
// gram ≈ ΨΨᵀ. The columns of Ψ are those of eigenvectors, of largest eigenvalue first; of an eigenvector and its negative it is the one
// whose entry of largest magnitude is positive. Cost: O(k³) for k outputs.
func FromKernel(gram matrix, mon *parallel.Monitor) (matrix, error) {
	k := gram.Rows
	if err := symmetric(gram); err != nil {
		return matrix{}, err
	}
	vectors := linalg.NewMatrix[float64](k, k)
	vectors.CopyFrom(gram)
	values, err := symEig(vectors, mon)
	if err != nil {
		return matrix{}, err
	}
	largest := max(values[k-1], 0)
	if values[0] < -indefinite*max(largest, -values[0]) {
		return matrix{}, fault.Value("gram is not positive semi-definite, its smallest eigenvalue is %.6g (the largest is %.6g); give the "+
			"values of a kernel, or drop negative eigenvalues yourself", values[0], largest)
	}
	rank := 0
	for rank < k && values[k-1-rank] > rankTolerance*largest {
		rank++
	}
	if rank == 0 {
		return matrix{}, fault.Value("gram is 0 everywhere, so that no output can be told from another")
	}
	psi := linalg.NewMatrix[float64](k, rank)
	for j := range rank {
		column, scale := k-1-j, 0.0
		for i := range k {
			if v := vectors.Row(i)[column]; math.Abs(v) > math.Abs(scale) {
				scale = v
			}
		}
		scale = math.Copysign(math.Sqrt(values[column]), scale)
		for i := range k {
			psi.Row(i)[j] = scale * vectors.Row(i)[column]
		}
	}
	return psi, nil
}

// symmetric returns an error unless a kernel is finite and symmetric.
func symmetric(gram matrix) error {
	var top float64
	for i := range gram.Rows {
		for j, v := range gram.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.Value("gram[%d, %d] is %v, must be finite", i, j, v)
			}
			top = max(top, math.Abs(v))
		}
	}
	for i := range gram.Rows {
		for j := range i {
			if a, b := gram.Row(j)[i], gram.Row(i)[j]; math.Abs(a-b) > asymmetric*top {
				return fault.Value("gram is not symmetric: %v at [%d, %d] but %v at [%d, %d]", a, j, i, b, i, j)
			}
		}
	}
	return nil
}

// symEig is linalg.SymEig, which is left behind with a copy of a large matrix when mon is cancelled.
func symEig(m matrix, mon *parallel.Monitor) ([]float64, error) {
	if mon == nil || m.Rows < abandonedOrder {
		return linalg.SymEig(linalg.General(m))
	}
	var values []float64
	err := parallel.Detached(mon, func() (err error) { // m is the caller's own copy
		values, err = linalg.SymEig(linalg.General(m))
		return err
	})
	return values, err
}

// SumsLen returns how many numbers the sums over draws of d features take.
func SumsLen(d int) int { return 1 + d + 2*d*d }

// Sums are what is added up over the embeddings of uniform draws, in memory of the caller's: their number, the sum of ψ, of ψψᵀ, and of
// the same products of squares.
type Sums struct {
	data []float64
	d    int
}

// NewSums views SumsLen(d) numbers, which are zero before the first draw.
func NewSums(data []float64, d int) (Sums, error) {
	s := Sums{data, d}
	if n := data[0]; !(n >= 0 && n <= 1<<53 && n == math.Floor(n)) {
		return s, fault.Value("sums[0] is %v, must be the number of draws so far", n)
	}
	return s, nil
}

func (s Sums) mean() []float64 { return s.data[1 : 1+s.d] }

func (s Sums) product(which int) matrix {
	d := s.d
	return matrix{Rows: d, Cols: d, Stride: d, Data: s.data[1+d+which*d*d:][:d*d]}
}

// Add adds the draws whose embeddings are in the rows of psi, unless one of them is none. Cost: O(d²) a draw.
func (s Sums) Add(psi matrix, mon *parallel.Monitor) error {
	if err := embeddings(psi); err != nil {
		return err
	}
	d := psi.Cols
	for lo, step := 0, linalg.PanelWidth(psi.Rows, 4*float64(d)*float64(d)); lo < psi.Rows; lo += step {
		if err := mon.Err(); err != nil {
			return err
		}
		part := psi.Slice(lo, min(lo+step, psi.Rows), 0, d)
		squares := linalg.NewMatrix[float64](part.Rows, d)
		for i := range part.Rows {
			floats.MulTo(squares.Row(i), part.Row(i), part.Row(i))
			floats.Add(s.mean(), part.Row(i))
		}
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, part, part, 1, s.product(0))
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, squares, squares, 1, s.product(1))
	}
	s.data[0] += float64(psi.Rows)
	return nil
}

// MomentsTo writes the averages, the mean of ψ and behind it the second moment by rows, to dst[d + d²], and returns the largest standard
// error of an entry of the second moment. The variance of ψ_iψ_j is E ψ_i²ψ_j² − (E ψ_iψ_j)². There must have been a draw.
func (s Sums) MomentsTo(dst []float64) float64 {
	n, d := s.data[0], s.d
	for i, v := range s.data[1 : 1+d+d*d] {
		dst[i] = v / n
	}
	var variance float64
	for i, v := range s.product(1).Data {
		second := dst[d+i]
		variance = max(variance, v/n-second*second)
	}
	return math.Sqrt(variance / n)
}
