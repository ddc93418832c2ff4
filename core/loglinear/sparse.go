package loglinear

import (
	"combpred/core/linalg"
	"combpred/core/parallel"
)

const (
	sparseRows    = 64 // rows that a worker takes at a time
	sparseOutputs = 16 // columns of a gradient that it takes
)

// sparseScoresTo is scoresTo of sparse features.
func (p *Problem) sparseScoresTo(dst matrix, r rows, w matrix) error {
	return parallel.For(r.len(), sparseRows, p.Workers, nil, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			to := dst.Row(k)
			clear(to)
			p.X.Entries(p.row(r.at(k)), func(j int, v float64) { linalg.Axpy(to, w.Row(j), v) })
		}
		return nil
	})
}

// addSparseGradient is addGradient of sparse features. Workers share the columns, so that sums have one order.
func (p *Problem) addSparseGradient(dst matrix, r rows, residual matrix) error {
	return parallel.For(dst.Cols, sparseOutputs, p.Workers, nil, func(lo, hi int) error {
		for k := range r.len() {
			from := residual.Row(k)[lo:hi]
			p.X.Entries(p.row(r.at(k)), func(j int, v float64) { linalg.Axpy(dst.Row(j)[lo:hi], from, v) })
		}
		return nil
	})
}

// MeanOutputs returns the mean embedded outputs of rows whose outputs First[i] to First[i+1] of psi are equally good, and their weights:
// a set of k outputs is as k rows with one of them each.
func MeanOutputs(psi matrix, first []int, weights []float64) (matrix, []float64) {
	means, total := linalg.NewMatrix[float64](len(first)-1, psi.Cols), make([]float64, len(first)-1)
	for i := range total {
		for a := first[i]; a < first[i+1]; a++ {
			linalg.Axpy(means.Row(i), psi.Row(a), 1)
		}
		many := float64(first[i+1] - first[i])
		scale(1/many, means.Row(i))
		if total[i] = many; weights != nil {
			total[i] *= weights[i]
		}
	}
	return means, total
}
