package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/ordering"
)

var _ Partitioner = permutations{}

var orderDistributions pool[ordering.Distribution]

// LogPartition sums over sets of first labels, and has the probabilities of pairs from the probabilities that a set is
// first. It returns a *LimitError beyond 20 labels. Cost: O(2ⁿ n), for both.
func (p permutations) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return p.logPartition(marginals, scores, nil, poll)
}

// logPartition is LogPartition over the rankings that agree with an order, unless that is nil, as are the functions below.
func (p permutations) logPartition(marginals, scores []float64, before *ordering.Partial, poll func() error) (float64, error) {
	d := orderDistributions.get()
	defer orderDistributions.put(d)
	logZ, err := p.sum(d, scores, before, poll)
	if err != nil || marginals == nil {
		return logZ, err
	}
	mustLen("marginals", len(marginals), p.len())
	first := make([]float64, p.n*p.n)
	if err := d.PairsTo(first, poll); err != nil {
		return 0, err
	}
	pair := 0
	for u := range p.n {
		for v := u + 1; v < p.n; v++ {
			marginals[pair] = first[u*p.n+v] - first[v*p.n+u]
			pair++
		}
	}
	return logZ, nil
}

// sum loads the scores into a distribution and returns ln Z.
func (p permutations) sum(d *ordering.Distribution, scores []float64, before *ordering.Partial, poll func() error) (float64, error) {
	mustLen("scores", len(scores), p.len())
	if p.n > ordering.MaxSummed {
		return 0, &LimitError{
			What:         "the exact sum over all rankings",
			Size:         p.n,
			Unit:         "labels",
			Limit:        ordering.MaxSummed,
			Alternatives: "take fewer labels",
		}
	}
	gain := d.Reset(p.n)
	pair := 0
	for u := range p.n {
		for v := u + 1; v < p.n; v++ {
			gain[u*p.n+v], gain[v*p.n+u] = scores[pair], -scores[pair]
			pair++
		}
	}
	if before != nil {
		d.Require(before)
	}
	return d.Sum(poll)
}

// positions has the probabilities of positions from those that a set is first. It returns a *LimitError beyond 20 labels. Cost:
// O(2ⁿ n).
func (p permutations) positions(dst, scores []float64, poll func() error) error {
	return p.positionsWithin(dst, scores, nil, poll)
}

func (p permutations) positionsWithin(dst, scores []float64, before *ordering.Partial, poll func() error) error {
	mustLen("dst", len(dst), p.n*p.n)
	d := orderDistributions.get()
	defer orderDistributions.put(d)
	if _, err := p.sum(d, scores, before, poll); err != nil {
		return err
	}
	return d.PositionsTo(dst, poll)
}

func (p permutations) partitionCost(marginals bool) float64 {
	if p.n > ordering.MaxSummed {
		return math.Inf(1)
	}
	cost := math.Ldexp(float64(p.n), p.n)
	if marginals {
		cost *= 4
	}
	return cost
}

// Distribution draws rankings from the last label to the first. Cost: O(n²) for each.
func (p permutations) Distribution(scores []float64, poll func() error) (Draw, error) {
	return p.distribution(scores, nil, poll)
}

func (p permutations) distribution(scores []float64, before *ordering.Partial, poll func() error) (Draw, error) {
	d := new(ordering.Distribution)
	if _, err := p.sum(d, scores, before, poll); err != nil {
		return nil, err
	}
	order := make([]int32, p.n)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), p.n)
		d.DrawTo(order, rng)
		for place, label := range order {
			dst[label] = int32(place + 1)
		}
	}, nil
}
