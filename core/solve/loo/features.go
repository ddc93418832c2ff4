package loo

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/solve"
)

// FewFeatures says whether the linear kernel of so many features, and of a constant one, is of low rank on m rows.
func FewFeatures(m, features int) bool { return float64(features+1) <= shareOfRank*float64(m) }

// FromFeatures returns the decomposition of the linear kernel of the rows of x, plus shift, without its m² entries: X̃ of the rows
// √w (x, √shift) times the eigenvectors V of X̃ᵀX̃. As V is orthogonal, BBᵀ is the kernel matrix but for rounding, however ill-conditioned
// that is. Cost: O(m·features²), and an eigendecomposition of that order, a few times where scales differ by 1e4 and more.
func FromFeatures(p *solve.Problem, x matrix, shift float64) (*Thin, error) {
	q := x.Cols + 1
	b, products := linalg.NewMatrix[float64](x.Rows, q), linalg.NewMatrix[float64](q, q)
	for i, root := range p.Root {
		row := b.Row(i)
		linalg.ScaleTo(row[:x.Cols], root, x.Row(i))
		row[x.Cols] = root * math.Sqrt(shift)
	}
	if err := linalg.GemmPolled(blas.Trans, b, b, products, p.Mon); err != nil {
		return nil, err
	}
	for n, last, pass := q, q+1, 0; n < last && pass < passes; pass++ {
		if err := rotate(p, b.Slice(0, b.Rows, 0, n), products.Slice(0, n, 0, n)); err != nil {
			return nil, err
		}
		if err := linalg.GemmPolled(blas.Trans, b, b, products, p.Mon); err != nil {
			return nil, err
		}
		n, last = slanted(products), n
	}
	t, first, trace := &Thin{}, 0, trace(products)
	for first < q && negligible(products, first, trace) {
		t.slip += products.Row(first)[first]
		first++
	}
	if slanted(products) > 0 {
		t.slip = max(t.slip, unitRoundoff*trace)
	}
	for k := first; k < q; k++ {
		t.values = append(t.values, products.Row(k)[k])
	}
	t.b = b.Slice(0, b.Rows, first, q)
	return t, nil
}

// rotate multiplies b by the eigenvectors of the products of its columns, which are overwritten.
func rotate(p *solve.Problem, b, products matrix) error {
	if err := linalg.EigenTo(make([]float64, b.Cols), products, p.Workers, p.Mon); err != nil {
		return err
	}
	rotated := linalg.NewMatrix[float64](b.Rows, b.Cols)
	if err := linalg.GemmPolled(blas.NoTrans, b, products, rotated, p.Mon); err != nil {
		return err
	}
	for i := range b.Rows {
		copy(b.Row(i), rotated.Row(i))
	}
	return nil
}

// slant is the largest cosine of two columns of B that counts as none. H_σ by their norms alone is then wrong by a share of it and of their
// number, under any penalty.
const slant = 1e-8

// passes of eigenvectors are enough for any spectrum in double precision: each settles its upper eight decades.
const passes = 4

// slanted returns the number of columns up to the last that is not orthogonal to one before it, given their products: eigenvectors are
// accurate relative to the largest eigenvalue, so that these are the shortest.
func slanted(products matrix) int {
	trace := trace(products)
	for l := products.Rows - 1; l > 0; l-- {
		for k := range l {
			limit := slant * math.Sqrt(products.Row(k)[k]*products.Row(l)[l])
			if !negligible(products, k, trace) && !(math.Abs(products.Row(l)[k]) <= limit) {
				return l + 1
			}
		}
	}
	return 0
}

// negligible says whether the norm of a column is what rounding may leave of none.
func negligible(products matrix, k int, trace float64) bool {
	return products.Row(k)[k] <= float64(products.Rows)*unitRoundoff*trace
}

func trace(a matrix) (sum float64) {
	for i := range a.Rows {
		sum += a.Row(i)[i]
	}
	return sum
}
