package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/ordering/weak"
)

var _ Partitioner = (*weakOrders)(nil)

var weakDistributions pool[weak.Distribution]

// LogPartition sums over sets of last labels and the block before them. It returns a *LimitError beyond 16 labels. Cost:
// O(3ⁿ), for both.
func (w *weakOrders) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return w.logPartition(marginals, scores, nil, poll)
}

// logPartition is LogPartition over the rankings that a mask of the pairs allows, as are the functions below.
func (w *weakOrders) logPartition(marginals, scores []float64, may pairChoices, poll func() error) (float64, error) {
	d := weakDistributions.get()
	defer weakDistributions.put(d)
	logZ, err := w.sum(d, scores, may, poll)
	if err != nil || marginals == nil {
		return logZ, err
	}
	mustLen("marginals", len(marginals), w.FeatureLen())
	before, tie := make([]float64, w.n*w.n), make([]float64, w.n*w.n)
	if err := d.PairsTo(before, tie, poll); err != nil {
		return 0, err
	}
	pair := 0
	for u := range w.n {
		for v := u + 1; v < w.n; v++ {
			marginals[pair] = before[u*w.n+v] - before[v*w.n+u]
			marginals[w.len()+pair] = tie[u*w.n+v]
			pair++
		}
	}
	return logZ, nil
}

// sum loads the scores into a distribution and returns ln Z.
func (w *weakOrders) sum(d *weak.Distribution, scores []float64, may pairChoices, poll func() error) (float64, error) {
	mustLen("scores", len(scores), w.FeatureLen())
	if w.n > weak.MaxSummed {
		return 0, &LimitError{
			What:         "the exact sum over all rankings with ties",
			Size:         w.n,
			Unit:         "labels",
			Limit:        weak.MaxSummed,
			Alternatives: "take fewer labels",
		}
	}
	before, tie := d.Reset(w.n)
	pair := 0
	for u := range w.n {
		before[u*w.n+u] = 0
		for v := u + 1; v < w.n; v++ {
			before[u*w.n+v], before[v*w.n+u] = scores[pair], -scores[pair]
			tie[u*w.n+v] = scores[w.len()+pair]
			pair++
		}
	}
	if may != nil {
		may.fillTo(d.Restrict(), w.n)
	}
	logZ, err := d.Sum(poll)
	return logZ, none(err)
}

func (w *weakOrders) partitionCost(marginals bool) float64 {
	if w.n > weak.MaxSummed {
		return math.Inf(1)
	}
	cost := 3 * math.Pow(3, float64(w.n))
	if marginals {
		cost *= 4
	}
	return cost
}

// Distribution draws the labels of each place after the other. Cost: O(2ⁿ) for each ranking.
func (w *weakOrders) Distribution(scores []float64, poll func() error) (Draw, error) {
	return w.distribution(scores, nil, poll)
}

func (w *weakOrders) distribution(scores []float64, may pairChoices, poll func() error) (Draw, error) {
	d := new(weak.Distribution)
	if _, err := w.sum(d, scores, may, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), w.n)
		d.DrawTo(dst, rng)
	}, nil
}
