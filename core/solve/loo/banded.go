package loo

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/dual"
)

// Banded has K̃ in banded form, for the squared loss: what a penalty takes is then O(m²·Len) beside two products with the basis.
type Banded[T linalg.Float] struct {
	p       *solve.Problem
	op      *dual.Kernel
	form    *linalg.Banded[T]
	targets matrix           // √w z
	inner   linalg.Matrix[T] // their coordinates in the basis
}

// NewBanded brings K̃ into banded form, in work, of m² entries. Cost: 8m³/3, as much as eight factors.
func NewBanded[T linalg.Float](p *solve.Problem, op *dual.Kernel, work []T) (*Banded[T], error) {
	m := len(p.Root)
	a := linalg.Matrix[T]{Rows: m, Cols: m, Stride: max(m, 1), Data: work[:m*m]}
	v, w, err := largestFirst(p, op)
	if err != nil {
		return nil, err
	}
	if err := p.Each((m-1)/solve.RowGrain+1, 1, func(tile int) {
		from := make([]float64, m)
		for i := tile * solve.RowGrain; i < min((tile+1)*solve.RowGrain, m); i++ {
			op.RowTo(from, i)
			row, vi, wi := a.Row(i), v[i], w[i]
			for j := i; j < m; j++ {
				row[j] = T(from[j] - vi*w[j] - wi*v[j])
			}
		}
	}); err != nil {
		return nil, err
	}
	form, err := linalg.Reduce(a, p.Mon)
	if err != nil {
		return nil, err
	}
	reflector := make([]T, m)
	for i, x := range v {
		reflector[i] = T(x)
	}
	if err := p.EachRow(func(i int) {
		row := form.Basis.Row(i)
		linalg.Axpy(row, reflector, -2*linalg.Dot(row, reflector))
	}); err != nil {
		return nil, err
	}
	b := &Banded[T]{p: p, op: op, form: form, targets: p.NewBlock(), inner: linalg.NewMatrix[T](m, p.Coord.Len())}
	if err := p.CombineTo(b.targets, p.Root); err != nil {
		return nil, err
	}
	return b, linalg.GemmPolled(blas.NoTrans, form.Basis, linalg.Convert[T](b.targets), b.inner, p.Mon)
}

// largestFirst returns v, of length 1, and w, so that K̃ − vwᵀ − wvᵀ = (I − 2vvᵀ)K̃(I − 2vvᵀ) has the eigenvector of the largest eigenvalue
// close to its first axis. Kernel matrices have one that is larger by far than all others, from their mean and the shift; what rounding
// makes of it in single precision would else be in all entries.
func largestFirst(p *solve.Problem, op *dual.Kernel) (v, w []float64, err error) {
	m := len(p.Root)
	x, y := linalg.NewMatrix[float64](m, 1), linalg.NewMatrix[float64](m, 1)
	copy(x.Data, p.Root)
	if err := op.MulTo(y, x); err != nil {
		return nil, nil, err
	}
	v, w = make([]float64, m), make([]float64, m)
	length := floats.Norm(y.Data, 2)
	if !(length > 0) || math.IsInf(length, 1) {
		return v, w, nil
	}
	// The reflection takes the product with K̃ to the first axis.
	floats.ScaleTo(v, 1/length, y.Data)
	v[0] += math.Copysign(1, v[0])
	floats.Scale(1/floats.Norm(v, 2), v)
	copy(x.Data, v)
	if err := op.MulTo(y, x); err != nil {
		return nil, nil, err
	}
	// (I − 2vvᵀ)K̃(I − 2vvᵀ) = K̃ − 2vyᵀ − 2yvᵀ + 4(vᵀy)vvᵀ for y = K̃v.
	floats.ScaleTo(w, 2, y.Data)
	floats.AddScaled(w, -2*floats.Dot(v, y.Data), v)
	return v, w, nil
}

// factors returns those of K̃ + 2λI for each penalty λ, and the diagonals of the inverses, up to the first that is not positive definite.
func (b *Banded[T]) factors(penalties []float64) (factors []linalg.BandedFactor[T], diagonals [][]float64, err error) {
	for _, lambda := range penalties {
		f, err := b.form.Shifted(T(2 * lambda))
		if err == linalg.ErrNotPositiveDefinite {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		diagonal := make([]float64, len(b.p.Root))
		if err := f.InverseDiagonal(diagonal, b.p.Mon); err != nil {
			return nil, nil, err
		}
		factors, diagonals = append(factors, f), append(diagonals, diagonal)
	}
	return factors, diagonals, nil
}

// Squared does what Factored does for the squared loss, for each of the given penalties together, and returns for how many of them, from
// the first on, it was accurate enough; the others are not written.
func (b *Banded[T]) Squared(penalties []float64, dst []matrix) (int, error) {
	p, m, width := b.p, len(b.p.Root), b.p.Coord.Len()
	factors, diagonals, err := b.factors(penalties)
	if err != nil {
		return 0, err
	}
	all := len(factors) * width
	inner, outer := linalg.NewMatrix[T](m, all), linalg.NewMatrix[T](m, all)
	// solve turns right-hand sides, of which inner has the coordinates, into solutions in outer.
	solve := func() error {
		for k, f := range factors {
			if err := f.Solve(inner.Slice(0, m, k*width, (k+1)*width), p.Mon); err != nil {
				return err
			}
		}
		return linalg.GemmPolled(blas.Trans, b.form.Basis, inner, outer, p.Mon)
	}
	for i := range m {
		for k := range factors {
			copy(inner.Row(i)[k*width:], b.inner.Row(i))
		}
	}
	if err := solve(); err != nil {
		return 0, err
	}
	c, product := linalg.NewMatrix[float64](m, all), linalg.NewMatrix[float64](m, all)
	if err := p.EachRow(func(i int) {
		row := c.Row(i)
		for j, v := range outer.Row(i) {
			row[j] = float64(v)
		}
	}); err != nil {
		return 0, err
	}
	if err := b.op.MulTo(product, c); err != nil {
		return 0, err
	}
	squares := linalg.NewMatrix[float64](len(factors), m)
	if err := p.EachRow(func(i int) {
		z, x, left := b.targets.Row(i), c.Row(i), outer.Row(i)
		for k, lambda := range penalties[:len(factors)] {
			var sum float64
			for j, v := range product.Row(i)[k*width : (k+1)*width] {
				r := z[j] - 2*lambda*x[k*width+j] - v
				left[k*width+j] = T(r)
				sum += r * r
			}
			squares.Row(k)[i] = sum
		}
	}); err != nil {
		return 0, err
	}
	accurate := 0
	for accurate < len(factors) && p.Relative(squares.Row(accurate)) <= accuracy {
		accurate++
	}
	if err := linalg.GemmPolled(blas.NoTrans, b.form.Basis, outer, inner, p.Mon); err != nil {
		return 0, err
	}
	if err := solve(); err != nil {
		return 0, err
	}
	return accurate, p.EachRow(func(i int) {
		z, x, e := p.Z.Row(i), c.Row(i), outer.Row(i)
		for k := range accurate {
			row, d := dst[k].Row(i), diagonals[k][i]
			for j := range row {
				row[j] = unscaled(p, i, p.Root[i]*z[j]-(x[k*width+j]+float64(e[k*width+j]))/d)
			}
		}
	})
}
