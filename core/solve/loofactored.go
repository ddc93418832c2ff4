package solve

import "combpred/core/linalg"

// looAccuracy bounds the relative residual that solutions with the factors may leave. The error of leave-one-out scores, relative to
// their norm, was at most four times that residual on kernels from nearly diagonal to nearly constant.
const looAccuracy = 3e-4

// LeaveOneOutFactored writes the coordinates of every row's leave-one-out scores to dst (m×Len), with factors of K̃ made in work, of
// LeaveOneOutWork bytes: for the squared loss the exact ones, for the AUC loss those of leaveOneOut. Factors that are not accurate
// enough are a *NumericalError. Cost: 2m³/3 for the squared loss, (s + 1)m³ for the AUC loss with s distinct σ, and O(m²·Len).
func LeaveOneOutFactored[T linalg.Float](p *Problem, op *Kernel, work []T, dst matrix) error {
	f, err := NewFactored(op, work, p.Coord.Distinct())
	if err != nil {
		return err
	}
	if !p.Margin {
		return leaveOneOutSquared(p, op, f, dst)
	}
	if err := f.Invert(); err != nil {
		return err
	}
	if _, err := f.train(op, dst); err != nil {
		return err
	}
	return leaveOneOut(p, &factoredInfluences[T]{f, work}, dst)
}

// LeaveOneOutWork returns the bytes of work that LeaveOneOutFactored needs for m rows and the given number of distinct σ.
func LeaveOneOutWork[T linalg.Float](m, distinct int, margin bool) int64 {
	if !margin {
		return FactorWork[T](m, 1)
	}
	return FactorWork[T](m, distinct+1)
}

// leaveOneOutSquared trains once and divides by the diagonal of the inverse (Wahba, 1990, Spline Models for Observational Data, § 4.2).
func leaveOneOutSquared[T linalg.Float](p *Problem, op *Kernel, f *Factored[T], dst matrix) error {
	residual, err := f.train(op, dst)
	if err != nil {
		return err
	}
	if err := f.SolveTo(residual, residual); err != nil {
		return err
	}
	diagonal, err := f.factors[0].InverseDiagonal(p.Mon) // of 2λ times the inverse
	if err != nil {
		return err
	}
	return p.rows(func(i int) {
		z, c, e := p.Z.Row(i), dst.Row(i), residual.Row(i)
		for j := range c {
			c[j] = p.unscaled(i, p.Root[i]*z[j]-2*p.Lambda*(c[j]+e[j])/float64(diagonal[i]))
		}
	})
}

// train writes (2λI + σK̃)⁻¹(√w z) to dst, as accurate as f is, and returns what it leaves of the right-hand side; if that is more than
// looAccuracy, a *NumericalError.
func (f *Factored[T]) train(op *Kernel, dst matrix) (matrix, error) {
	p := f.p
	residual, product := p.newBlock(), p.newBlock()
	if err := p.combineTo(residual, p.Root); err != nil {
		return residual, err
	}
	if err := f.SolveTo(dst, residual); err != nil {
		return residual, err
	}
	if err := op.MulTo(product, dst); err != nil {
		return residual, err
	}
	squares := make([]float64, len(p.Root))
	if err := p.rows(func(i int) {
		x, kx, row := dst.Row(i), product.Row(i), residual.Row(i)
		for j := range row {
			row[j] -= 2*p.Lambda*x[j] + p.sigma[j]*kx[j]
		}
		squares[i] = dot(row, row)
	}); err != nil {
		return residual, err
	}
	if e := p.relative(squares); !(e <= looAccuracy) {
		return residual, &NumericalError{"the factors of 2·alpha·I + σK are not accurate enough to leave rows out"}
	}
	return residual, nil
}

// factoredInfluences has all H_σ = (I − Q)/σ, as the inverses Q = (I + (σ/2λ)K̃)⁻¹ of f, and G in the triangle of work after theirs.
type factoredInfluences[T linalg.Float] struct {
	*Factored[T]
	work []T
}

func (h *factoredInfluences[T]) inverseDiagonal(dst matrix) error {
	return h.p.rows(func(i int) {
		row := dst.Row(i)
		for k, grp := range h.groups {
			d := float64(h.inverses[k].At(i, i)) / (2 * h.p.Lambda)
			for j := grp.lo; j < grp.hi; j++ {
				row[j] = d
			}
		}
	})
}

func (h *factoredInfluences[T]) margins() (linalg.Symmetric[T], error) {
	g, err := NewMarginMatrix(h.Factored, h.work)
	if err != nil {
		return linalg.Symmetric[T]{}, err
	}
	return g.g, nil
}

func (h *factoredInfluences[T]) weighted(k int, a linalg.Symmetric[T]) (linalg.Symmetric[T], error) {
	q, c := h.inverses[k], T(-1/h.groups[k].sigma)
	return q, h.p.tiles(0, len(h.p.Root), func(i, j0, j1 int) {
		diagonal := c * (q.At(i, i) - 1) * a.At(i, i)
		q.Multiply(i, j0, j1, c, a)
		if j1 == i+1 {
			q.Set(i, i, diagonal)
		}
	})
}
