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
// √w (x, √shift) times the eigenvectors of X̃ᵀX̃. Cost: O(m·features²), and an eigendecomposition of that order.
func FromFeatures(p *solve.Problem, x matrix, shift float64) (*Thin, error) {
	q := x.Cols + 1
	rows, gram := linalg.NewMatrix[float64](x.Rows, q), linalg.NewMatrix[float64](q, q)
	for i, root := range p.Root {
		row := rows.Row(i)
		linalg.ScaleTo(row[:x.Cols], root, x.Row(i))
		row[x.Cols] = root * math.Sqrt(shift)
	}
	if err := linalg.GemmPolled(blas.Trans, rows, rows, gram, p.Mon); err != nil {
		return nil, err
	}
	values := make([]float64, q)
	if err := linalg.EigenTo(values, gram, p.Workers, p.Mon); err != nil {
		return nil, err
	}
	var trace float64
	for _, s := range values {
		trace += math.Abs(s)
	}
	t, first := &Thin{slip: unitRoundoff * trace}, 0
	for first < q && values[first] <= float64(q)*t.slip { // which ascend
		first++
	}
	t.values, t.b = values[first:], linalg.NewMatrix[float64](x.Rows, q-first)
	return t, linalg.GemmPolled(blas.NoTrans, rows, gram.Slice(0, q, first, q), t.b, p.Mon)
}
