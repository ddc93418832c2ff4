package loglinear

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/badrow"
	"combpred/core/linalg"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
	"combpred/core/solve"
)

const (
	// Eigenvalues of a kernel matrix, relative to the largest: from minus this on they are errors of rounding ...
	indefinite = 1e-8
	null       = 1e-15 // ... and up to this one, times the order, they are dropped.
)

// KernelFeatures are the features D^{-1/2} U Λ^{1/2} of a kernel matrix K for which D^{1/2} K D^{1/2} = U Λ Uᵀ, for the weights D of rows:
// their inner products are K, and their second moment is Λ, so that a search takes it to be Diagonal.
type KernelFeatures struct {
	Rows      matrix    // the features themselves, n×q
	Curvature []float64 // Λ
	vectors   matrix    // U
	roots     []float64 // of the weights
}

// NewKernelFeatures overwrites a kernel matrix, to each entry of which shift is added. Weights are positive, or nil for 1. Cost: O(n³)
// time and four further matrices of the order n.
func NewKernelFeatures(kernel matrix, weights []float64, shift float64, mon *parallel.Monitor) (*KernelFeatures, error) {
	n := kernel.Rows
	if n == 0 || kernel.Cols != n || weights != nil && len(weights) != n {
		return nil, fmt.Errorf("loglinear: the kernel matrix is %d×%d with %d weights, must be square and have one of each row",
			n, kernel.Cols, len(weights))
	}
	f := &KernelFeatures{roots: make([]float64, n)}
	for i := range f.roots {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		if !(w > 0) || math.IsInf(w, 0) {
			return nil, badrow.Named(i, "loglinear: weights[%d] is %v, must be finite and positive: leave out rows of weight 0", i, w)
		}
		f.roots[i] = math.Sqrt(w)
	}
	for i := range n {
		row := kernel.Row(i)
		for j := range row {
			if row[j] = f.roots[i] * (row[j] + shift) * f.roots[j]; math.IsNaN(row[j]) || math.IsInf(row[j], 0) {
				return nil, badrow.Named(i, "loglinear: the kernel of rows %d and %d is not finite: scale the inputs down", i, j)
			}
		}
	}
	values, err := symEig(kernel, mon)
	if err != nil {
		return nil, err
	}
	largest := max(values[n-1], 0)
	if values[0] < -indefinite*largest || largest == 0 && values[0] < 0 {
		return nil, &solve.NumericalError{What: fmt.Sprintf("the kernel matrix is not positive semi-definite: its eigenvalues reach from "+
			"%.3g to %.3g; check the kernel, or add a constant to the diagonal of a precomputed one", values[0], largest)}
	}
	lo := 0
	for lo < n && !(values[lo] > null*float64(n)*largest) {
		lo++
	}
	f.Curvature, f.vectors = values[lo:], kernel.Slice(0, n, lo, n)
	f.Rows = linalg.NewMatrix[float64](n, n-lo)
	for i := range n {
		for j, v := range f.vectors.Row(i) {
			f.Rows.Row(i)[j] = v * math.Sqrt(f.Curvature[j]) / f.roots[i]
		}
	}
	return f, nil
}

// Design returns the features as those of a Problem.
func (f *KernelFeatures) Design() *solve.Design {
	return &solve.Design{N: f.Rows.Rows, P: f.Rows.Cols, Dense: f.Rows}
}

// DualTo writes the coefficients A (n×d) of the rows whose scores K A are those of the feature weights w (q×d) to dst.
func (f *KernelFeatures) DualTo(dst, w matrix) {
	scaled := linalg.NewMatrix[float64](w.Rows, w.Cols)
	for j, c := range f.Curvature {
		linalg.ScaleTo(scaled.Row(j), 1/math.Sqrt(c), w.Row(j))
	}
	linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, f.vectors, scaled, 0, dst)
	for i, r := range f.roots {
		flat.Scale(r, dst.Row(i))
	}
}

// OfDualTo writes the feature weights with the scores K A of coefficients A (n×d) to dst: the inverse of DualTo.
func (f *KernelFeatures) OfDualTo(dst, dual matrix) {
	f.analyse(dst, dual, func(root float64) float64 { return 1 / root }, math.Sqrt)
}

// OfScoresTo writes the feature weights whose scores of all rows are nearest to scores (n×d) to dst.
func (f *KernelFeatures) OfScoresTo(dst, scores matrix) {
	f.analyse(dst, scores, func(root float64) float64 { return root }, func(c float64) float64 { return 1 / math.Sqrt(c) })
}

// analyse writes Uᵀx to dst, with the rows of x scaled before and those of dst afterwards.
func (f *KernelFeatures) analyse(dst, x matrix, before, after func(float64) float64) {
	scaled := linalg.NewMatrix[float64](x.Rows, x.Cols)
	for i, r := range f.roots {
		linalg.ScaleTo(scaled.Row(i), before(r), x.Row(i))
	}
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, f.vectors, scaled, 0, dst)
	for j, c := range f.Curvature {
		flat.Scale(after(c), dst.Row(j))
	}
}
