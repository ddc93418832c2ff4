package structure

import (
	"math/rand/v2"

	"combpred/core/logsum"
)

var (
	_ Partitioner = labelSets{}
)

// ranged returns the sizes of the sets.
func (l labelSets) ranged() setSizes {
	if l.size < 0 {
		return setSizes{l.n, 0, l.n}
	}
	return setSizes{l.n, l.size, l.size}
}

// LogPartition adds up ln(1 + eˢ) over the labels, which are independent; for sets of ℓ labels it is an elementary
// symmetric polynomial of the eˢ. Cost: O(n), for sets of ℓ labels O(n min(ℓ, n−ℓ)), and as many float64s for marginals: it
// returns a *LimitError for those beyond 2²⁵.
func (l labelSets) LogPartition(marginals, scores []float64, poll func() error) (logZ float64, err error) {
	mustLen("scores", len(scores), l.n)
	if marginals != nil {
		mustLen("marginals", len(marginals), l.n)
	}
	return l.ranged().logPartition(marginals, scores, poll)
}

func (l labelSets) partitionCost(marginals bool) float64 { return l.ranged().cost(marginals) }

// Distribution draws each label on its own, for sets of ℓ labels from the last to the first, given how many are left to be
// chosen. Cost: O(n) for each output, beside that of LogPartition for sets of ℓ.
func (l labelSets) Distribution(scores []float64, poll func() error) (Draw, error) {
	mustLen("scores", len(scores), l.n)
	draw, err := l.ranged().distribution(scores, poll)
	if err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), l.n)
		draw(dst, rng)
	}, nil
}

// independent is the distribution of all sets.
func independent(marginals, scores []float64) (logZ float64) {
	for i, s := range scores {
		logZ += logsum.Softplus(s)
		if marginals != nil {
			marginals[i] = logsum.Sigmoid(s)
		}
	}
	return logZ
}
