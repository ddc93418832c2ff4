package loglinear

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/loglinear/flat"
	"combpred/core/parallel"
)

const (
	// LargestGram is the order of a second moment of features that is still diagonalised: some ten seconds. Beyond, its diagonal is
	// taken for it.
	LargestGram = 4096
	// LargestMoved is the order of one that is diagonalised anew as distributions move away from the uniform one.
	LargestMoved = 512
	// LargestCovariance is the order of a covariance of ψ that is still diagonalised. Beyond, a multiple of the identity is taken for
	// the one at zero weights, and that is not renewed.
	LargestCovariance = 2048
	// floorShare is the share of the mean that is added to covariances: rows whose draws agree, and directions in which they do, are not
	// taken for certain.
	floorShare = 1e-2
	// abandonedOrder is the order of a matrix from which its diagonalisation takes so long that it must be possible to leave it.
	abandonedOrder = 256
)

var errMoment = fault.Numerical("second moments are infinite or NaN: scale the inputs down")

// diagonalise overwrites a symmetric matrix by its eigenvectors, in columns, and writes its eigenvalues, none below 0, to values.
func diagonalise(values []float64, m matrix, mon *parallel.Monitor) error {
	for i := range m.Rows {
		if !flat.Finite(m.Row(i)) {
			return errMoment
		}
	}
	found, err := symEig(m, mon)
	if err != nil {
		return err
	}
	for i, v := range found {
		values[i] = max(v, 0)
	}
	return nil
}

// symEig is linalg.SymEig, which is left behind with a copy of a large matrix when mon is cancelled.
func symEig(m matrix, mon *parallel.Monitor) ([]float64, error) {
	if mon == nil || m.Rows < abandonedOrder {
		return linalg.SymEig(linalg.General(m))
	}
	own := linalg.NewMatrix[float64](m.Rows, m.Cols)
	own.CopyFrom(m)
	var values []float64
	err := parallel.Detached(mon, func() (err error) {
		values, err = linalg.SymEig(linalg.General(own))
		return err
	})
	if err == nil {
		m.CopyFrom(own)
	}
	return values, err
}

// Preconditioner is a change of variables W = U (S∘z) Vᵀ after which the Hessian by z is about the identity: U and V are the eigenvectors
// of the factors of a Kronecker product, and S the inverse roots of 2α + λ_j σ_k for their eigenvalues.
type Preconditioner struct {
	Features matrix    // U, without rows for the identity
	Outputs  matrix    // V, likewise
	Scale    matrix    // S, q×d
	Work     [2]matrix // q×d each
}

// ScaleTo writes S to p.
func (p *Preconditioner) ScaleTo(alpha float64, curvature, variances []float64) {
	for j, c := range curvature {
		row := p.Scale.Row(j)
		for k, v := range variances {
			row[k] = 1 / math.Sqrt(2*alpha+c*v)
		}
	}
}

// WeightsTo writes W to dst.
func (p *Preconditioner) WeightsTo(dst, z matrix) {
	one, two := p.Work[0], p.Work[1]
	productTo(one, p.Scale, z)
	if p.Outputs.Rows > 0 {
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, one, p.Outputs, 0, two)
		one, two = two, one
	}
	if p.Features.Rows > 0 {
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, p.Features, one, 0, two)
		one = two
	}
	dst.CopyFrom(one)
}

// CoordinatesTo writes z to dst, the inverse of WeightsTo.
func (p *Preconditioner) CoordinatesTo(dst, w matrix) {
	turned := p.turned(w)
	for j := range dst.Rows {
		row, s := turned.Row(j), p.Scale.Row(j)
		for k, v := range row {
			dst.Row(j)[k] = v / s[k]
		}
	}
}

// PullBackTo writes the gradient by z to dst, given that by W.
func (p *Preconditioner) PullBackTo(dst, gradient matrix) {
	productTo(dst, p.Scale, p.turned(gradient))
}

// ApplyTo writes the product of the inverse of the Hessian with a gradient by W to dst.
func (p *Preconditioner) ApplyTo(dst, gradient matrix) {
	p.PullBackTo(dst, gradient)
	p.WeightsTo(dst, dst)
}

// turned returns Uᵀ W V.
func (p *Preconditioner) turned(w matrix) matrix {
	one, two := p.Work[0], p.Work[1]
	if p.Features.Rows > 0 {
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, p.Features, w, 0, one)
		w, one = one, two
	}
	if p.Outputs.Rows > 0 {
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, w, p.Outputs, 0, one)
		w = one
	}
	return w
}

// productTo writes the products of entries of a and b to dst, which may be one of them. All lie in one piece.
func productTo(dst, a, b matrix) {
	x, y := a.Data[:len(dst.Data)], b.Data[:len(dst.Data)]
	for i := range dst.Data {
		dst.Data[i] = x[i] * y[i]
	}
}

// SetZero builds the preconditioner of the Hessian at W = 0 from sums of moments, exact where both factors are diagonalised. Its outputs
// are the covariance of ψ, which is overwritten. The eigenvalues of the factors, or what is taken for them, go to curvature and variances.
func SetZero(s Sizes, alpha float64, sums []float64, to *Preconditioner, curvature, variances []float64, mon *parallel.Monitor) error {
	if !(sums[RowCount] > 0) {
		return ErrNoWeight
	}
	moment := s.moment(sums)
	if s.Gram() {
		to.Features.CopyFrom(moment)
		if err := diagonalise(curvature, to.Features, mon); err != nil {
			return err
		}
	} else {
		copy(curvature, moment.Row(0))
		if !flat.Finite(curvature) {
			return errMoment
		}
	}
	if s.HasCovariance() {
		// It is overwritten last, as it is read again after a cancellation.
		if err := diagonalise(variances, to.Outputs, mon); err != nil {
			return err
		}
	} else {
		for k := range variances {
			variances[k] = sums[SquareSum] / (sums[RowCount] * float64(s.Outputs))
		}
	}
	to.ScaleTo(alpha, curvature, variances)
	return nil
}

// Following is what a preconditioner follows the Hessian by: sums of the spread, and what is known at W = 0.
type Following struct {
	Sizes
	Alpha                float64
	Sums                 []float64 // of the spread
	Weight               float64   // of all rows
	Zero                 *Preconditioner
	Curvature, Variances []float64 // eigenvalues of the factors at W = 0
}

// Known says whether the spread is, and not zero.
func (f Following) Known() bool { return f.Sums[Unknown] == 0 && f.total() > 0 }

// total returns the trace of the weighted sum of covariances.
func (f Following) total() (t float64) {
	_, covariance := f.spread(f.Sums)
	for k := range f.Outputs {
		t += covariance.Row(k)[k]
	}
	return t
}

// Set builds the preconditioner of the Hessian where distributions have this spread, with damping times the covariance under the uniform
// distribution added to that of each row. The factors are the mean covariance, in units of its trace, and the second moment of the
// features with rows weighted by their traces (Martens and Grosse 2015). Their eigenvalues go to moved and spread.
func (f Following) Set(to *Preconditioner, moved, spread []float64, damping float64, mon *parallel.Monitor) error {
	moment, covariance := f.spread(f.Sums)
	total, mean, more := f.total(), f.Sums[TraceSum]/f.Sums[RowCount], damping*flat.Sum(f.Variances)
	added := more + floorShare*(mean+more)
	if f.Moves() {
		to.Features.CopyFrom(moment)
		if f.Gram() {
			addReconstructed(to.Features, added, f.Zero.Features, f.Curvature)
		} else {
			for j, c := range f.Curvature {
				to.Features.Row(j)[j] += added * c
			}
		}
		if err := diagonalise(moved, to.Features, mon); err != nil {
			return err
		}
	} else {
		copy(moved, f.Curvature)
		flat.Scale(total/f.Weight+added, moved)
	}
	to.Outputs.CopyFrom(covariance)
	flat.Scale(mean/(total*(mean+more)), to.Outputs.Data)
	if damping > 0 {
		addReconstructed(to.Outputs, damping/(mean+more), f.Zero.Outputs, f.Variances)
	}
	for k := range f.Outputs {
		to.Outputs.Row(k)[k] += floorShare / float64(f.Outputs)
	}
	if err := diagonalise(spread, to.Outputs, mon); err != nil {
		return err
	}
	to.ScaleTo(f.Alpha, moved, spread)
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
