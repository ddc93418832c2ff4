package loglinear

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

// preconditioner is a change of variables W = U (S∘z) Vᵀ after which the Hessian by z is about the identity: U and V are the eigenvectors
// of the factors of a Kronecker product, and S the inverse roots of 2α + λ_j σ_k for their eigenvalues.
type preconditioner struct {
	features matrix    // U, without rows for the identity
	outputs  matrix    // V, likewise
	scale    matrix    // S, q×d
	work     [2]matrix // q×d each
}

// scaleTo writes S to p.
func (p *preconditioner) scaleTo(alpha float64, curvature, variances []float64) {
	for j, c := range curvature {
		row := p.scale.Row(j)
		for k, v := range variances {
			row[k] = 1 / math.Sqrt(2*alpha+c*v)
		}
	}
}

// weightsTo writes W to dst.
func (p *preconditioner) weightsTo(dst, z matrix) {
	one, two := p.work[0], p.work[1]
	productTo(one, p.scale, z)
	if p.outputs.Rows > 0 {
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, one, p.outputs, 0, two)
		one, two = two, one
	}
	if p.features.Rows > 0 {
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, p.features, one, 0, two)
		one = two
	}
	dst.CopyFrom(one)
}

// coordinatesTo writes z to dst, the inverse of weightsTo.
func (p *preconditioner) coordinatesTo(dst, w matrix) {
	turned := p.turned(w)
	for j := range dst.Rows {
		row, s := turned.Row(j), p.scale.Row(j)
		for k, v := range row {
			dst.Row(j)[k] = v / s[k]
		}
	}
}

// pullBackTo writes the gradient by z to dst, given that by W.
func (p *preconditioner) pullBackTo(dst, gradient matrix) {
	productTo(dst, p.scale, p.turned(gradient))
}

// applyTo writes the product of the inverse of the Hessian with a gradient by W to dst.
func (p *preconditioner) applyTo(dst, gradient matrix) {
	p.pullBackTo(dst, gradient)
	p.weightsTo(dst, dst)
}

// turned returns Uᵀ W V.
func (p *preconditioner) turned(w matrix) matrix {
	one, two := p.work[0], p.work[1]
	if p.features.Rows > 0 {
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, p.features, w, 0, one)
		w, one = one, two
	}
	if p.outputs.Rows > 0 {
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, w, p.outputs, 0, one)
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
