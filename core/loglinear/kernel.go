package loglinear

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/solve"
)

const (
	// Eigenvalues of a kernel matrix, relative to the largest: from minus this on they are errors of rounding ...
	indefinite = 1e-8
	null       = 1e-15 // ... and up to this one, times the order, they are dropped.
)

// KernelFeatures are the features Φ = D^{-1/2} U Λ^{1/2} of a kernel matrix K for which D^{1/2} K D^{1/2} = U Λ Uᵀ, for the weights D of
// rows: their inner products are K, and their second moment is Λ, so that a search takes it to be Diagonal.
type KernelFeatures struct {
	Rows      matrix    // Φ, n×q
	Curvature []float64 // Λ
	Weights   []float64 // D; nil: all 1
}

// NewKernelFeatures makes the features of a kernel matrix, to each entry of which shift is added, in its place: the first n·q of its
// numbers are Φ afterwards, with q at least 1. Weights are positive. Cost: O(n³) time and, beside the kernel matrix, one of the same size.
func NewKernelFeatures(kernel matrix, weights []float64, shift float64, mon *parallel.Monitor) (*KernelFeatures, error) {
	n := kernel.Rows
	if n == 0 || kernel.Cols != n || kernel.Stride != n || weights != nil && len(weights) != n {
		return nil, fault.Value("the kernel matrix is %d×%d with %d weights, must be square and have one of each row",
			n, kernel.Cols, len(weights))
	}
	if err := mon.Err(); err != nil {
		return nil, err
	}
	roots := make([]float64, n)
	for i := range roots {
		w := weightOf(weights, i)
		if !(w > 0) || math.IsInf(w, 0) {
			return nil, fault.At(i, fault.Value("the weight is %v, must be finite and positive: leave out rows of weight 0", w))
		}
		roots[i] = math.Sqrt(w)
	}
	for i := range n {
		row := kernel.Row(i)
		for j := range row {
			if row[j] = roots[i] * (row[j] + shift) * roots[j]; math.IsNaN(row[j]) || math.IsInf(row[j], 0) {
				return nil, fault.At(i, fault.Value("its kernel value with row %d is not finite: scale the inputs down", j))
			}
		}
	}
	values, err := symEig(kernel, mon)
	if err != nil {
		return nil, err
	}
	largest := max(values[n-1], 0)
	if values[0] < -indefinite*largest || largest == 0 && values[0] < 0 {
		return nil, fault.Numerical("the kernel matrix is not positive semi-definite: its eigenvalues reach from "+
			"%.3g to %.3g; check the kernel, or add a constant to the diagonal of a precomputed one", values[0], largest)
	}
	lo := 0
	for lo < n-1 && !(values[lo] > null*float64(n)*largest) {
		lo++
	}
	f := &KernelFeatures{Curvature: values[lo:], Weights: weights}
	f.Rows = linalg.Shaped(kernel.Data[:n*(n-lo)], n, n-lo)
	for i := range n {
		to := f.Rows.Row(i) // not behind what is read
		for j, v := range kernel.Row(i)[lo:] {
			to[j] = v * math.Sqrt(f.Curvature[j]) / roots[i]
		}
	}
	return f, nil
}

func weightOf(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// inverse returns that of an eigenvalue, 0 for that of the one feature of a matrix of zeros.
func inverse(c float64) float64 {
	if c == 0 {
		return 0
	}
	return 1 / c
}

// Design returns the features as those of a Problem.
func (f *KernelFeatures) Design() *solve.Design {
	return &solve.Design{Rows: linalg.Rows{Dense: f.Rows}}
}

// DualTo writes the coefficients A = D Φ Λ⁻¹ W (n×d) of the rows whose scores K A are those of the feature weights w (q×d) to dst.
func (f *KernelFeatures) DualTo(dst, w matrix) {
	scaled := linalg.NewMatrix[float64](w.Rows, w.Cols)
	for j, c := range f.Curvature {
		linalg.ScaleTo(scaled.Row(j), inverse(c), w.Row(j))
	}
	linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, f.Rows, scaled, 0, dst)
	for i := range dst.Rows {
		floats.Scale(weightOf(f.Weights, i), dst.Row(i))
	}
}

// OfDualTo writes the feature weights Φᵀ A with the scores K A of coefficients A (n×d) to dst: the inverse of DualTo.
func (f *KernelFeatures) OfDualTo(dst, dual matrix) {
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, f.Rows, dual, 0, dst)
}

// OfScoresTo writes the feature weights Λ⁻¹ Φᵀ D F whose weighted scores of all rows are nearest to scores F (n×d) to dst.
func (f *KernelFeatures) OfScoresTo(dst, scores matrix) {
	scaled := linalg.NewMatrix[float64](scores.Rows, scores.Cols)
	for i := range scores.Rows {
		linalg.ScaleTo(scaled.Row(i), weightOf(f.Weights, i), scores.Row(i))
	}
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, f.Rows, scaled, 0, dst)
	for j, c := range f.Curvature {
		floats.Scale(inverse(c), dst.Row(j))
	}
}
