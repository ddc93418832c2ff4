package solve

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

// Primal trains the linear model f = Wᵀx with penalty λ‖W‖², from the eigendecomposition of the q×q weighted Gram matrix
// XᵀD²X = V diag(s) Vᵀ. It is the closed form with H_σ = DX(2λI + σXᵀD²X)⁻¹XᵀD, so a step costs O(m·q·Len) and no m×m matrix
// exists.
type Primal struct {
	p    *Problem
	x    *Design
	gram *Spectral // over q, whose transforms act on q×Len blocks
	w    matrix    // q×Len scratch
}

// NewPrimal returns the solver for the design x, whose Gram matrix has the given eigendecomposition.
func NewPrimal(p *Problem, x *Design, eigenvalues []float64, vectors matrix) (*Primal, error) {
	q := x.Len()
	over := &Problem{Lambda: p.Lambda, Coord: p.Coord, Root: make([]float64, q), Workers: p.Workers, Mon: p.Mon, sigma: p.sigma}
	gram, err := NewSpectral(over, eigenvalues, vectors)
	if err != nil {
		return nil, err
	}
	return &Primal{p: p, x: x, gram: gram, w: over.newBlock()}, nil
}

// ApplyTo implements Resolvent. It overwrites v.
func (o *Primal) ApplyTo(dst, v matrix) error {
	if err := o.x.mulTransTo(o.p, o.w, v); err != nil {
		return err
	}
	if err := o.gram.SolveTo(o.w, o.w); err != nil {
		return err
	}
	return o.x.mulTo(o.p, dst, o.w)
}

// Diagonal implements Resolvent: Σ_k (DXV)_ik²/(2λ + σs_k), by blocks of rows. Cost: 2m·q².
func (o *Primal) Diagonal(dst matrix) (bool, error) {
	q := o.x.Len()
	block := linalg.NewMatrix[float64](rowGrain, q)
	features := linalg.NewMatrix[float64](rowGrain, q)
	for lo := 0; lo < o.x.N; lo += rowGrain {
		if err := o.p.Mon.Err(); err != nil {
			return false, err
		}
		hi := min(lo+rowGrain, o.x.N)
		for i := lo; i < hi; i++ {
			o.x.rowTo(features.Row(i-lo), i)
		}
		linalg.Gemm(blas.NoTrans, blas.NoTrans, 1, features.Slice(0, hi-lo, 0, q), o.gram.v, 0, block.Slice(0, hi-lo, 0, q))
		for i := lo; i < hi; i++ {
			row := dst.Row(i)
			for _, g := range o.p.Coord.groups {
				var h float64
				for k, a := range block.Row(i - lo) {
					h += a * a / (2*o.p.Lambda + g.sigma*o.gram.s[k])
				}
				for j := g.lo; j < g.hi; j++ {
					row[j] = h * o.p.Root[i] * o.p.Root[i]
				}
			}
		}
	}
	return true, nil
}

// rowTo writes row i of X, with the constant, to dst.
func (x *Design) rowTo(dst []float64, i int) {
	clear(dst)
	if x.Rows != nil {
		for k := x.Rows.Indptr[i]; k < x.Rows.Indptr[i+1]; k++ {
			dst[x.Rows.Indices[k]] += x.Rows.Data[k]
		}
	} else {
		copy(dst, x.Dense.Row(i))
	}
	if x.Intercept {
		dst[x.P] = 1
	}
}

// Solve writes W in coordinates (q×Len) to dst. Residuals are of 2λW + σXᵀD²XW + … in the space of W.
func (o *Primal) Solve(dst matrix, opt Options) (Info, error) {
	p, m, q := o.p, len(o.p.Root), dst.Rows
	work, scores := p.newBlock(), p.newBlock()
	grad := linalg.NewMatrix[float64](q, dst.Cols)
	margins, b := make([]float64, m), make([]float64, m)
	var sys MarginSolver
	if p.Margin {
		var err error
		if sys, err = NewMarginIteration(p, o, opt.MaxIter); err != nil {
			return Info{}, err
		}
	}
	for k := range q {
		clear(dst.Row(k))
	}
	largest := p.largestRow()
	var info Info
	var scale float64
	exhausted := false
	previous := math.Inf(1)
	for {
		// R(W) = XᵀD(√w z − σ DXW − ⟨z, DXW⟩z) − 2λW, with scores = DXW.
		if err := o.x.mulTo(p, scores, dst); err != nil {
			return info, err
		}
		if err := p.rows(func(i int) { o.pull(work.Row(i), scores.Row(i), i) }); err != nil {
			return info, err
		}
		if err := o.x.mulTransTo(p, grad, work); err != nil {
			return info, err
		}
		norms := make([]float64, q)
		for k := range q {
			axpy(grad.Row(k), dst.Row(k), -2*p.Lambda)
			norms[k] = dot(grad.Row(k), grad.Row(k))
		}
		norm := math.Sqrt(sum(norms))
		if err := checkFinite(norm); err != nil {
			return info, err
		}
		if info.Refine == 0 {
			scale = norm
		}
		if info.Residual = 0; scale > 0 {
			info.Residual = norm / scale
		}
		p.Mon.Report(info.Residual)
		if info.Residual <= opt.Tol || info.Residual > stallFactor*previous || info.Refine == maxRefine || exhausted {
			break
		}
		previous = info.Residual
		// Correction E: G·margins = rowsum(Z ∘ DX(2λI + σXᵀD²X)⁻¹R), E = (2λI + σXᵀD²X)⁻¹(R − XᵀD diag(margins)Z).
		if sys != nil {
			if err := o.gram.SolveTo(o.w, grad); err != nil {
				return info, err
			}
			if err := o.x.mulTo(p, work, o.w); err != nil {
				return info, err
			}
			if err := p.rowDotsTo(b, work); err != nil {
				return info, err
			}
			if err := sys.SolveTo(margins, b, opt.Tol/2*p.total/largest); err != nil {
				return info, err
			}
			if err := p.scaleRowsTo(work, margins); err != nil {
				return info, err
			}
			if err := o.x.mulTransTo(p, o.w, work); err != nil {
				return info, err
			}
			for k := range q {
				axpy(grad.Row(k), o.w.Row(k), -1)
			}
			info.Iter, exhausted = sys.Iterations()
		}
		if err := o.gram.SolveTo(grad, grad); err != nil {
			return info, err
		}
		for k := range q {
			axpy(dst.Row(k), grad.Row(k), 1)
		}
		info.Refine++
	}
	for k := range q {
		info.Objective += p.Lambda * dot(dst.Row(k), dst.Row(k))
	}
	terms := make([]float64, m)
	if err := p.rows(func(i int) { terms[i] = p.loss(i, scores.Row(i)) }); err != nil {
		return info, err
	}
	info.Objective += sum(terms)
	if sys == nil {
		info.Iter = info.Refine
	}
	if info.Residual > opt.Tol {
		return info, &NotConvergedError{info.Residual, opt.Tol, info.Iter}
	}
	return info, checkFinite(info.Objective)
}

// pull writes the negative derivative of row i's loss at scores f (times √w) to dst.
func (o *Primal) pull(dst, f []float64, i int) {
	z := o.p.Z.Row(i)
	scale := o.p.Root[i]
	if o.p.Margin {
		scale -= dot(z, f)
	}
	for j, zj := range z {
		dst[j] = scale*zj - o.p.sigma[j]*f[j]
	}
}
