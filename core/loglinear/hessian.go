package loglinear

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// setZero builds the preconditioner of the Hessian at W = 0 from sums of moments, exact where both factors are diagonalised. Its outputs
// are the covariance of ψ, which is overwritten. The eigenvalues of the factors, or what is taken for them, go to curvature and variances.
func setZero(s Sizes, alpha float64, sums []float64, to *preconditioner, curvature, variances []float64, mon *parallel.Monitor) error {
	if !(sums[RowCount] > 0) {
		return errNoWeight
	}
	moment := s.moment(sums)
	if s.gram() {
		to.features.CopyFrom(moment)
		if err := diagonalise(curvature, to.features, mon); err != nil {
			return err
		}
	} else {
		copy(curvature, moment.Row(0))
		if !finite(curvature) {
			return errMoment
		}
	}
	if s.covariance() {
		// It is overwritten last, as it is read again after a cancellation.
		if err := diagonalise(variances, to.outputs, mon); err != nil {
			return err
		}
	} else {
		for k := range variances {
			variances[k] = sums[SquareSum] / (sums[RowCount] * float64(s.Outputs))
		}
	}
	to.scaleTo(alpha, curvature, variances)
	return nil
}

// following is what a preconditioner follows the Hessian by: sums of the spread, and what is known at W = 0.
type following struct {
	Sizes
	alpha                float64
	sums                 []float64
	weight               float64 // of all rows
	zero                 *preconditioner
	curvature, variances []float64
}

// known says whether the spread is, and not zero.
func (f following) known() bool { return f.sums[Unknown] == 0 && f.total() > 0 }

// total returns the trace of the weighted sum of covariances.
func (f following) total() (t float64) {
	_, covariance := f.spread(f.sums)
	for k := range f.Outputs {
		t += covariance.Row(k)[k]
	}
	return t
}

// set builds the preconditioner of the Hessian where distributions have this spread, with damping times the covariance under the uniform
// distribution added to that of each row. The factors are the mean covariance, in units of its trace, and the second moment of the
// features with rows weighted by their traces (Martens and Grosse 2015). Their eigenvalues go to moved and spread.
func (f following) set(to *preconditioner, moved, spread []float64, damping float64, mon *parallel.Monitor) error {
	moment, covariance := f.spread(f.sums)
	total, mean, more := f.total(), f.sums[TraceSum]/f.sums[RowCount], damping*sum(f.variances)
	added := more + floorShare*(mean+more)
	if f.moves() {
		to.features.CopyFrom(moment)
		if f.gram() {
			addReconstructed(to.features, added, f.zero.features, f.curvature)
		} else {
			for j, c := range f.curvature {
				to.features.Row(j)[j] += added * c
			}
		}
		if err := diagonalise(moved, to.features, mon); err != nil {
			return err
		}
	} else {
		copy(moved, f.curvature)
		scale(total/f.weight+added, moved)
	}
	to.outputs.CopyFrom(covariance)
	scale(mean/(total*(mean+more)), to.outputs.Data)
	if damping > 0 {
		addReconstructed(to.outputs, damping/(mean+more), f.zero.outputs, f.variances)
	}
	for k := range f.Outputs {
		to.outputs.Row(k)[k] += floorShare / float64(f.Outputs)
	}
	if err := diagonalise(spread, to.outputs, mon); err != nil {
		return err
	}
	to.scaleTo(f.alpha, moved, spread)
	return nil
}

// addReconstructed adds a·U diag(λ) Uᵀ to dst.
func addReconstructed(dst matrix, a float64, directions matrix, curvature []float64) {
	scaled := linalg.NewMatrix[float64](directions.Rows, directions.Cols)
	for i := range scaled.Rows {
		for j, v := range directions.Row(i) {
			scaled.Row(i)[j] = v * curvature[j]
		}
	}
	linalg.Gemm(blas.NoTrans, blas.Trans, a, scaled, directions, 1, dst)
}
