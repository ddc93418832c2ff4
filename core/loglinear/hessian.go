package loglinear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/fault"
	"combpred/core/linalg"
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

// Diagonalise overwrites a symmetric matrix by its eigenvectors, in columns, and writes its eigenvalues, none below 0, to values.
func Diagonalise(values []float64, m matrix, mon *parallel.Monitor) error {
	for i := range m.Rows {
		if !linalg.Finite(m.Row(i)) {
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
	own := copied(m)
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
	Features matrix // U, without rows for the identity
	Outputs  matrix // V, likewise
	Scale    matrix // S, q×d
	Work     Workplace

	scratch [2]matrix // q×d each
}

// NewPreconditioner returns one of weights q×d by given eigenvectors, whose scale is still to be set.
func NewPreconditioner(features, outputs matrix, q, d int, work Workplace) *Preconditioner {
	room := func() matrix { return linalg.NewMatrix[float64](q, d) }
	return &Preconditioner{Features: features, Outputs: outputs, Scale: room(), Work: work, scratch: [2]matrix{room(), room()}}
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

// do runs f, which multiplies by the eigenvectors of both factors.
func (p *Preconditioner) do(f func()) error {
	return p.Work.do(p.Scale.Rows*p.Scale.Cols*(p.Features.Rows+p.Outputs.Rows), f)
}

// WeightsTo writes W to dst.
func (p *Preconditioner) WeightsTo(dst, z matrix) error {
	return p.do(func() {
		one, two := p.scratch[0], p.scratch[1]
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
	})
}

// CoordinatesTo writes z to dst, the inverse of WeightsTo.
func (p *Preconditioner) CoordinatesTo(dst, w matrix) error {
	return p.do(func() {
		turned := p.turned(w)
		for j := range dst.Rows {
			row, s := turned.Row(j), p.Scale.Row(j)
			for k, v := range row {
				dst.Row(j)[k] = v / s[k]
			}
		}
	})
}

// PullBackTo writes the gradient by z to dst, given that by W.
func (p *Preconditioner) PullBackTo(dst, gradient matrix) error {
	return p.do(func() { productTo(dst, p.Scale, p.turned(gradient)) })
}

// ApplyTo writes the product of the inverse of the Hessian with a gradient by W to dst.
func (p *Preconditioner) ApplyTo(dst, gradient matrix) error {
	return fault.First(p.PullBackTo(dst, gradient), p.WeightsTo(dst, dst))
}

// turned returns Uᵀ W V.
func (p *Preconditioner) turned(w matrix) matrix {
	one, two := p.scratch[0], p.scratch[1]
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

// Hessian is what is known of the Hessian at W = 0, and its preconditioner: exact where both factors are diagonalised.
type Hessian struct {
	*Preconditioner
	Sizes                Sizes
	Alpha                float64
	Weight               float64   // of all rows
	Curvature, Variances []float64 // eigenvalues of the factors, or what is taken for them
}

// NewHessian finds it from sums of moments and, where it is read, the covariance of ψ under the uniform distribution.
func NewHessian(s Sizes, alpha float64, sums []float64, covariance matrix, work Workplace, mon *parallel.Monitor) (*Hessian, error) {
	if !(sums[RowCount] > 0) {
		return nil, ErrNoWeight
	}
	h := &Hessian{Sizes: s, Alpha: alpha, Weight: sums[WeightSum], Curvature: make([]float64, s.Features),
		Variances: make([]float64, s.Outputs)}
	var features, outputs matrix
	moment := s.moment(sums)
	if s.Gram() {
		features = copied(moment)
		if err := Diagonalise(h.Curvature, features, mon); err != nil {
			return nil, err
		}
	} else {
		copy(h.Curvature, moment.Row(0))
		if !linalg.Finite(h.Curvature) {
			return nil, errMoment
		}
	}
	if s.HasCovariance() {
		outputs = copied(covariance)
		if err := Diagonalise(h.Variances, outputs, mon); err != nil {
			return nil, err
		}
	} else {
		for k := range h.Variances {
			h.Variances[k] = sums[SquareSum] / (sums[RowCount] * float64(s.Outputs))
		}
	}
	h.Preconditioner = NewPreconditioner(features, outputs, s.Features, s.Outputs, work)
	h.ScaleTo(alpha, h.Curvature, h.Variances)
	return h, nil
}

// Follow returns the preconditioner of the Hessian where distributions have the spread that the sums tell, with damping times the
// covariance under the uniform distribution added to that of each row; nil where the spread is not known, or zero. The factors are the mean
// covariance, in units of its trace, and the second moment of the features with rows weighted by their traces (Martens and Grosse 2015).
func (h *Hessian) Follow(sums []float64, damping float64, mon *parallel.Monitor) (*Preconditioner, error) {
	s := h.Sizes
	moment, covariance := s.spread(sums)
	var total float64 // the trace of the weighted sum of covariances
	for k := range s.Outputs {
		total += covariance.Row(k)[k]
	}
	if sums[Unknown] != 0 || !(total > 0) {
		return nil, nil
	}
	mean, more := sums[TraceSum]/sums[RowCount], damping*linalg.Sum(h.Variances)
	added := more + floorShare*(mean+more)
	features, moved := h.Features, slices.Clone(h.Curvature)
	if s.Moves() {
		features = copied(moment)
		if s.Gram() {
			addReconstructed(features, added, h.Features, h.Curvature)
		} else {
			for j, c := range h.Curvature {
				features.Row(j)[j] += added * c
			}
		}
		if err := Diagonalise(moved, features, mon); err != nil {
			return nil, err
		}
	} else {
		floats.Scale(total/h.Weight+added, moved)
	}
	outputs, spread := copied(covariance), make([]float64, s.Outputs)
	floats.Scale(mean/(total*(mean+more)), outputs.Data)
	if damping > 0 {
		addReconstructed(outputs, damping/(mean+more), h.Outputs, h.Variances)
	}
	for k := range s.Outputs {
		outputs.Row(k)[k] += floorShare / float64(s.Outputs)
	}
	if err := Diagonalise(spread, outputs, mon); err != nil {
		return nil, err
	}
	p := NewPreconditioner(features, outputs, s.Features, s.Outputs, h.Work)
	p.ScaleTo(h.Alpha, moved, spread)
	return p, nil
}

func copied(m matrix) matrix {
	own := linalg.NewMatrix[float64](m.Rows, m.Cols)
	own.CopyFrom(m)
	return own
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
