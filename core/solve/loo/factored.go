package loo

import (
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// accuracy bounds the relative residual that solutions with the factors may leave. The error of leave-one-out scores, relative to
// their norm, was at most four times that residual on kernels from nearly diagonal to nearly constant.
const accuracy = 3e-4

// Factored writes the coordinates of every row's leave-one-out scores to dst (m×Len), with factors of K̃ made in work, of
// FactoredWork bytes: for the squared loss the exact ones, for the AUC loss those of removeLabels. Factors that are not accurate
// enough are a numerical fault. Cost: 2m³/3 for the squared loss, (s + 1)m³ for the AUC loss with s distinct σ, and O(m²·Len).
func Factored[T linalg.Float](p *solve.Problem, op *dual.Kernel, work []T, dst matrix) error {
	f, err := dual.NewFactored(op, work, p.Coord.Distinct())
	if err != nil {
		return err
	}
	if !p.Margin {
		return squared(p, op, f, dst)
	}
	if err := f.Invert(); err != nil {
		return err
	}
	if _, err := train(p, op, f, dst); err != nil {
		return err
	}
	return removeLabels(p, &factoredInfluences[T]{f, p, work}, dst)
}

// FactoredWork returns the bytes of work that Factored needs for m rows and the given number of distinct σ.
func FactoredWork[T linalg.Float](m, distinct int, margin bool) int64 {
	if !margin {
		return dual.FactorWork[T](m, 1)
	}
	return dual.FactorWork[T](m, distinct+1)
}

// squared trains once and divides by the diagonal of the inverse (Wahba, 1990, Spline Models for Observational Data, § 4.2).
func squared[T linalg.Float](p *solve.Problem, op *dual.Kernel, f *dual.Factored[T], dst matrix) error {
	residual, err := train(p, op, f, dst)
	if err != nil {
		return err
	}
	if err := f.SolveTo(residual, residual); err != nil {
		return err
	}
	diagonal, err := f.InverseDiagonal(0) // of 2λ times the inverse
	if err != nil {
		return err
	}
	return p.EachRow(func(i int) {
		z, c, e := p.Z.Row(i), dst.Row(i), residual.Row(i)
		for j := range c {
			c[j] = unscaled(p, i, p.Root[i]*z[j]-2*p.Lambda*(c[j]+e[j])/float64(diagonal[i]))
		}
	})
}

// train writes (2λI + σK̃)⁻¹(√w z) to dst, as accurate as f is, and returns what it leaves of the right-hand side; if that is more than
// accuracy, a numerical fault.
func train[T linalg.Float](p *solve.Problem, op *dual.Kernel, f *dual.Factored[T], dst matrix) (matrix, error) {
	residual, product := p.NewBlock(), p.NewBlock()
	if err := p.CombineTo(residual, p.Root); err != nil {
		return residual, err
	}
	if err := f.SolveTo(dst, residual); err != nil {
		return residual, err
	}
	if err := op.MulTo(product, dst); err != nil {
		return residual, err
	}
	squares := make([]float64, len(p.Root))
	if err := p.EachRow(func(i int) {
		x, kx, row := dst.Row(i), product.Row(i), residual.Row(i)
		for j := range row {
			row[j] -= 2*p.Lambda*x[j] + p.Sigma[j]*kx[j]
		}
		squares[i] = linalg.Dot(row, row)
	}); err != nil {
		return residual, err
	}
	if e := p.Relative(squares); !(e <= accuracy) {
		return residual, fault.Numerical("the factors of 2·alpha·I + σK are not accurate enough to leave rows out")
	}
	return residual, nil
}

// factoredInfluences has all H_σ = (I − Q)/σ, as the inverses Q = (I + (σ/2λ)K̃)⁻¹ of f, and G in the triangle of work after theirs.
type factoredInfluences[T linalg.Float] struct {
	*dual.Factored[T]
	p    *solve.Problem
	work []T
}

func (h *factoredInfluences[T]) inverseDiagonal(dst matrix) error {
	return h.p.EachRow(func(i int) {
		row := dst.Row(i)
		for k, grp := range h.Groups {
			d := float64(h.Inverses[k].At(i, i)) / (2 * h.p.Lambda)
			for j := grp.Lo; j < grp.Hi; j++ {
				row[j] = d
			}
		}
	})
}

func (h *factoredInfluences[T]) margins() (linalg.Symmetric[T], error) {
	g, err := dual.NewMarginMatrix(h.Factored, h.work)
	if err != nil {
		return linalg.Symmetric[T]{}, err
	}
	return g.Matrix(), nil
}

func (h *factoredInfluences[T]) weighted(k int, a linalg.Symmetric[T]) (linalg.Symmetric[T], error) {
	return multiplied(h.p, h.Inverses[k], T(-1/h.Groups[k].Sigma), a)
}
