package structure

import "gonum.org/v1/gonum/blas/blas64"

var _ indexed = (*listed)(nil)

func (l *listed) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(l, marginals, scores)
}

func (l *listed) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(l, scores)
}

func (l *listed) partitionCost(bool) float64 { return 4 * float64(l.psi.Rows) * float64(l.psi.Cols) }

func (l *listed) scoresTo(dst, s []float64) {
	v := blas64.Vector{N: len(s), Inc: 1, Data: s}
	for i := range dst {
		dst[i] = blas64.Dot(v, blas64.Vector{N: len(s), Inc: 1, Data: row(l.psi, i)})
	}
}

func (l *listed) averageTo(dst, p []float64) {
	clear(dst)
	mean := blas64.Vector{N: len(dst), Inc: 1, Data: dst}
	for i, w := range p {
		blas64.Axpy(w, blas64.Vector{N: len(dst), Inc: 1, Data: row(l.psi, i)}, mean)
	}
}
