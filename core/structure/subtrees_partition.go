package structure

import (
	"math/rand/v2"

	"combpred/core/logsum"
)

var _ Partitioner = (*subtrees)(nil)

// insideTo writes to inside, for each node, the logarithm of what the subtrees rooted there weigh that contain it: with
// its score the sum of ln(1 + exp) over its children. A node whose parent is in is then in itself with probability
// Sigmoid(inside), independently of everything that is not below it.
func (t *subtrees) insideTo(inside, scores []float64) {
	copy(inside, scores)
	for i := len(t.order) - 1; i > 0; i-- {
		v := t.order[i]
		inside[t.parent[v]] += logsum.Softplus(inside[v])
	}
}

// LogPartition passes inside weights from the leaves to the root and probabilities back (the inside–outside algorithm:
// Baker, 1979). Cost: O(n).
func (t *subtrees) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	mustLen("scores", len(scores), len(t.parent))
	buf := t.sums.get(len(t.parent))
	defer t.sums.put(buf)
	inside := *buf
	t.insideTo(inside, scores)
	if marginals != nil {
		mustLen("marginals", len(marginals), len(t.parent))
		for _, v := range t.order {
			marginals[v] = 1
			if p := t.parent[v]; p >= 0 {
				marginals[v] = marginals[p] * logsum.Sigmoid(inside[v])
			}
		}
	}
	return inside[t.order[0]], nil
}

func (t *subtrees) partitionCost(bool) float64 { return float64(5 * len(t.parent)) }

// Distribution draws from the root downwards. Cost: O(n) for each output.
func (t *subtrees) Distribution(scores []float64, _ func() error) (Draw, error) {
	mustLen("scores", len(scores), len(t.parent))
	in := make([]float64, len(t.parent)) // P(v is in | its parent is)
	t.insideTo(in, scores)
	for v, inside := range in {
		in[v] = logsum.Sigmoid(inside)
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), len(in))
		for _, v := range t.order {
			dst[v] = 1
			if p := t.parent[v]; p >= 0 && (dst[p] == 0 || !(rng.Float64() < in[v])) {
				dst[v] = 0
			}
		}
	}, nil
}
