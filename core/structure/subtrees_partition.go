package structure

import (
	"math"
	"math/rand/v2"
)

var _ Partitioner = (*subtrees)(nil)

// insideTo writes to inside, for each node, the logarithm of what the subtrees rooted there weigh that contain it: with
// its score the sum of ln(1 + exp) over its children. A node whose parent is in is then in itself with probability
// 1/(1 + exp(−inside)), independently of everything that is not below it; it goes to in, unless that is nil, of which the
// root's is 1.
func (t *subtrees) insideTo(inside, in, scores []float64) {
	copy(inside, scores)
	for i := len(t.order) - 1; i > 0; i-- {
		v := t.order[i]
		x := inside[v]
		small := math.Exp(-math.Abs(x)) // one exponential for both
		inside[t.parent[v]] += max(x, 0) + math.Log1p(small)
		if in == nil {
			continue
		}
		if x < 0 {
			in[v] = small / (1 + small)
		} else {
			in[v] = 1 / (1 + small)
		}
	}
	if in != nil {
		in[t.order[0]] = 1
	}
}

// LogPartition passes inside weights from the leaves to the root and probabilities back (the inside–outside algorithm:
// Baker, 1979). Cost: O(n).
func (t *subtrees) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	mustLen("scores", len(scores), len(t.parent))
	buf := t.sums.get(len(t.parent))
	defer t.sums.put(buf)
	inside := *buf
	if marginals != nil {
		mustLen("marginals", len(marginals), len(t.parent))
	}
	t.insideTo(inside, marginals, scores)
	if marginals != nil {
		for _, v := range t.order[1:] {
			marginals[v] *= marginals[t.parent[v]]
		}
	}
	return inside[t.order[0]], nil
}

func (t *subtrees) partitionCost(bool) float64 { return float64(5 * len(t.parent)) }

// Distribution draws from the root downwards. Cost: O(n) for each output.
func (t *subtrees) Distribution(scores []float64, _ func() error) (Draw, error) {
	mustLen("scores", len(scores), len(t.parent))
	in := make([]float64, len(t.parent)) // P(v is in | its parent is)
	t.insideTo(make([]float64, len(t.parent)), in, scores)
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
