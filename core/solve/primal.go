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

// Solve writes W in coordinates (q×Len) to dst. The residual is that of the equation in the space of W.
func (o *Primal) Solve(dst matrix, opt Options) (Info, error) {
	var margins MarginSolver
	if o.p.Margin {
		var err error
		if margins, err = NewMarginIteration(o.p, NewImplicitMargins(o.p, o), opt.MaxIter); err != nil {
			return Info{}, err
		}
	}
	dst.Zero()
	e := &weights{o: o, w: dst, res: linalg.NewMatrix[float64](dst.Rows, dst.Cols), work: o.p.newBlock(), scores: o.p.newBlock()}
	return refine(o.p, e, margins, o.gram.Accuracy(), opt)
}

// weights is the equation of the feature weights W, a q×Len block.
type weights struct {
	o            *Primal
	w, res       matrix // weights and R(W)
	work, scores matrix // m×Len: scratch, and DXW
	scale        float64
}

// residual computes R(W) = XᵀD(√w z − σ DXW − ⟨z, DXW⟩z) − 2λW.
func (e *weights) residual() (float64, error) {
	p, x := e.o.p, e.o.x
	if err := x.mulTo(p, e.scores, e.w); err != nil {
		return 0, err
	}
	if err := p.rows(func(i int) { e.o.pull(e.work.Row(i), e.scores.Row(i), i) }); err != nil {
		return 0, err
	}
	if err := x.mulTransTo(p, e.res, e.work); err != nil {
		return 0, err
	}
	squares := make([]float64, e.w.Rows)
	for k := range squares {
		axpy(e.res.Row(k), e.w.Row(k), -2*p.Lambda)
		squares[k] = dot(e.res.Row(k), e.res.Row(k))
	}
	norm := math.Sqrt(sum(squares))
	if e.scale == 0 {
		e.scale = norm // the first call is at zero weights
	}
	if norm == 0 {
		return 0, nil
	}
	return norm / e.scale, nil
}

func (e *weights) probe(b []float64) error {
	if err := e.o.gram.SolveTo(e.o.w, e.res); err != nil {
		return err
	}
	if err := e.o.x.mulTo(e.o.p, e.work, e.o.w); err != nil {
		return err
	}
	return e.o.p.dotsTo(b, e.work)
}

// correct adds (2λI + σXᵀD²X)⁻¹(R − XᵀD diag(q) Z).
func (e *weights) correct(q []float64) error {
	p := e.o.p
	if q != nil {
		if err := p.combineTo(e.work, q); err != nil {
			return err
		}
		if err := e.o.x.mulTransTo(p, e.o.w, e.work); err != nil {
			return err
		}
		for k := range e.res.Rows {
			axpy(e.res.Row(k), e.o.w.Row(k), -1)
		}
	}
	if err := e.o.gram.SolveTo(e.res, e.res); err != nil {
		return err
	}
	for k := range e.w.Rows {
		axpy(e.w.Row(k), e.res.Row(k), 1)
	}
	return nil
}

// objective uses the scores that residual has left.
func (e *weights) objective() (float64, error) {
	p := e.o.p
	terms := make([]float64, len(p.Root))
	err := p.rows(func(i int) { terms[i] = p.loss(i, e.scores.Row(i)) })
	total := p.fixed + sum(terms)
	for k := range e.w.Rows {
		total += p.Lambda * dot(e.w.Row(k), e.w.Row(k))
	}
	return total, err
}

// pull writes the negative derivative of row i's loss at scores f (times √w) to dst.
func (o *Primal) pull(dst, f []float64, i int) {
	for j, v := range f {
		dst[j] = -o.p.sigma[j] * v
	}
	o.p.pull(dst, f, i)
}
