package structure

import (
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/logsum"
)

// leastOfSizes is the probability of a size below which all larger sizes are left out.
const leastOfSizes = 1e-24

// sizeMarginals has P(i ∈ y) P(k−1 other labels are in y), as labels are independent. What the labels outside an interval add up to, for
// each half of an interval, follows from that for the whole, until one label is left: sums of products, none of which cancel. Cost:
// O(n K log n) for K rows; with a fixed size that of LogPartition with marginals.
func (l labelSets) sizeMarginals(scores []float64, poll func() error) (blas64.General, float64, error) {
	mustLen("scores", len(scores), l.n)
	if l.size >= 0 {
		table := newTable(l.size, l.n)
		if l.size == 0 {
			return table, 1, nil
		}
		_, err := l.LogPartition(row(table, l.size-1), scores, poll)
		return table, 0, err
	}
	p, all := make([]float64, l.n), []float64{1}
	for i, s := range scores {
		p[i] = logsum.Sigmoid(s)
		all = withLabel(nil, all, p[i])
	}
	table := newTable(min(len(all), l.n), l.n)
	err := sizesWithout(p, 0, []float64{1}, func(i int, others []float64) error {
		for k, q := range others[:min(len(others), table.Rows)] {
			table.Data[k*table.Stride+i] = p[i] * q
		}
		if i%64 == 0 {
			return polled(poll)
		}
		return nil
	})
	return table, all[0], err
}

// sizesWithout calls f with each of the labels, of which the first has number first, and the distribution of how many others are in a
// set, given the probabilities p of the labels and the distribution of how many besides them are.
func sizesWithout(p []float64, first int, besides []float64, f func(i int, others []float64) error) error {
	if len(p) == 1 {
		return f(first, besides)
	}
	half := len(p) / 2
	left, right := besides, besides
	for _, q := range p[half:] {
		left = withLabel(nil, left, q)
	}
	if err := sizesWithout(p[:half], first, left, f); err != nil {
		return err
	}
	for _, q := range p[:half] {
		right = withLabel(nil, right, q)
	}
	return sizesWithout(p[half:], first+half, right, f)
}

// withLabel returns the distribution of the size of a set, given that without a label which is in it with probability p. These
// distributions are log-concave (Newton's inequalities), so that what follows a small last entry is smaller still.
func withLabel(dst, sizes []float64, p float64) []float64 {
	dst = append(dst, make([]float64, len(sizes)+1)...)
	for k, q := range sizes {
		dst[k] += q * (1 - p)
		dst[k+1] = q * p
	}
	for len(dst) > 1 && dst[len(dst)-1] < leastOfSizes && dst[len(dst)-1] < dst[len(dst)-2] {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// sizeMarginals adds up the probabilities of the sets. Cost: that of the list.
func (o *observedSets) sizeMarginals(scores []float64, _ func() error) (blas64.General, float64, error) {
	p, err := indexedScores(o, scores)
	if err != nil {
		return blas64.General{}, 0, err
	}
	logsum.SoftmaxTo(p, p)
	largest, empty := 0, 0.0
	for _, y := range o.sets {
		largest = max(largest, members(y))
	}
	table := newTable(largest, o.all.n)
	for i, y := range o.sets {
		k := members(y)
		if k == 0 {
			empty = p[i]
			continue
		}
		to := row(table, k-1)
		for j, in := range y {
			to[j] += p[i] * float64(in)
		}
	}
	return table, empty, nil
}

func newTable(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: make([]float64, rows*cols)}
}
