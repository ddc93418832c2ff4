package labelrank

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/solve"
)

// featureFunctions are each feature for each label: a is x_j at the edge's winner and −x_j at its loser.
type featureFunctions struct {
	x                  *solve.Design
	labels             int
	rows               []bool // those with edges
	positive, negative matrix // of dense features; negative has no data where nothing is negative
}

// FeatureFunctions returns the features of a design as base functions, with q×k weights.
func FeatureFunctions(x *solve.Design, e *Examples) Functions {
	b := &featureFunctions{x: x, labels: e.Labels, rows: make([]bool, x.Len()), positive: x.Dense}
	for i := range b.rows {
		for _, s := range e.Signs[i*e.pairs() : (i+1)*e.pairs()] {
			b.rows[i] = b.rows[i] || s != 0
		}
	}
	if x.Sparse != nil {
		return b
	}
	for i := range x.Len() {
		for j, v := range x.Dense.Row(i) {
			if v < 0 && b.negative.Data == nil {
				b.positive, b.negative = linalg.NewMatrix[float64](x.Len(), x.Features()), linalg.NewMatrix[float64](x.Len(), x.Features())
				b.positive.CopyFrom(x.Dense)
			}
			if v < 0 {
				b.positive.Row(i)[j], b.negative.Row(i)[j] = 0, -v
			}
		}
	}
	return b
}

func (b *featureFunctions) size() int { return b.x.Columns() * b.labels }

func (b *featureFunctions) factorsTo(dst []float64) {
	units := make([]float64, b.x.Columns())
	for i := range b.x.Len() {
		b.x.Entries(i, func(j int, v float64) { units[j] = max(units[j], math.Abs(v)) })
	}
	invert(units)
	most := math.SmallestNonzeroFloat64
	for i, has := range b.rows {
		var sum float64
		if has { // of a row without edges there is no constraint
			b.x.Entries(i, func(j int, v float64) { sum += math.Abs(v) * units[j] })
		}
		most = max(most, 2*sum)
	}
	for j, unit := range units {
		for l := range b.labels {
			dst[j*b.labels+l] = unit / most
		}
	}
}

// invert makes the largest magnitudes of functions the units in which they are measured.
func invert(largest []float64) {
	for j, v := range largest {
		if largest[j] = 1; v > 0 {
			largest[j] = 1 / v
		}
	}
}

func (b *featureFunctions) weights(w []float64) matrix {
	return matrix{Rows: b.x.Columns(), Cols: b.labels, Stride: b.labels, Data: w}
}

func (b *featureFunctions) scoresTo(dst matrix, weights []float64, lo, hi int) {
	w := b.weights(weights)
	if b.x.Sparse == nil {
		b.x.ScoresTo(dst, b.x.Dense.Slice(lo, hi, 0, b.x.Features()), w)
		return
	}
	m := features{b.x, w}
	for i := lo; i < hi; i++ {
		m.scoresTo(dst.Row(i-lo), i)
	}
}

func (b *featureFunctions) pullsTo(with, against []float64, p *pressures) {
	clear(with)
	clear(against)
	up, down := b.weights(with), b.weights(against)
	if b.x.Sparse != nil || b.x.Features() == 0 {
		for i := range b.x.Len() {
			b.x.Entries(i, func(j int, v float64) {
				a, c := p.won.Row(i), p.lost.Row(i)
				if v < 0 {
					a, c, v = c, a, -v
				}
				linalg.Axpy(up.Row(j), a, v)
				linalg.Axpy(down.Row(j), c, v)
			})
		}
		return
	}
	q := b.x.Features()
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.positive, p.won, 0, up.Slice(0, q, 0, b.labels))
	linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.positive, p.lost, 0, down.Slice(0, q, 0, b.labels))
	if b.negative.Data != nil {
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.negative, p.lost, 1, up.Slice(0, q, 0, b.labels))
		linalg.Gemm(blas.Trans, blas.NoTrans, 1, b.negative, p.won, 1, down.Slice(0, q, 0, b.labels))
	}
	if b.x.Intercept {
		for i := range b.x.Len() {
			linalg.Axpy(up.Row(q), p.won.Row(i), 1)
			linalg.Axpy(down.Row(q), p.lost.Row(i), 1)
		}
	}
}

// rankers are functions that score all labels: a is the score of the winner less that of the loser.
type rankers struct {
	scores matrix // n·k×J
	labels int
	graphs []graph
}

// RankerFunctions returns base functions from the scores that each of them gives the labels of each row, n·k×J.
func RankerFunctions(scores linalg.Matrix[float64], e *Examples) Functions {
	return &rankers{scores: scores, labels: e.Labels, graphs: e.pressures().graphs}
}

func (b *rankers) size() int { return b.scores.Cols }

// at calls f for the numbers of an edge of row i.
func (b *rankers) at(i int, e *edge, f func(j int, a float64)) {
	loser := b.scores.Row(i*b.labels + e.loser)
	for j, v := range b.scores.Row(i*b.labels + e.winner) {
		f(j, v-loser[j])
	}
}

func (b *rankers) factorsTo(dst []float64) {
	clear(dst)
	b.each(func(i, at int) {
		b.at(i, &b.graphs[i].edges[at], func(j int, a float64) { dst[j] = max(dst[j], math.Abs(a)) })
	})
	invert(dst)
	most := math.SmallestNonzeroFloat64
	b.each(func(i, at int) {
		var sum float64
		b.at(i, &b.graphs[i].edges[at], func(j int, a float64) { sum += math.Abs(a) * dst[j] })
		most = max(most, sum)
	})
	for j := range dst {
		dst[j] /= most
	}
}

// each calls f for all edges.
func (b *rankers) each(f func(i, at int)) {
	for i := range b.graphs {
		for at := range b.graphs[i].edges {
			f(i, at)
		}
	}
}

func (b *rankers) scoresTo(dst matrix, weights []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for l := range b.labels {
			dst.Row(i - lo)[l] = linalg.Dot(b.scores.Row(i*b.labels+l), weights)
		}
	}
}

func (b *rankers) pullsTo(with, against []float64, p *pressures) {
	clear(with)
	clear(against)
	b.each(func(i, at int) {
		pressure := p.edges[i][at]
		b.at(i, &b.graphs[i].edges[at], func(j int, a float64) {
			if a > 0 {
				with[j] += pressure * a
			} else {
				against[j] -= pressure * a
			}
		})
	})
}
