package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/logsum"
)

var _ Partitioner = tournaments{}

// LogPartition adds up ln(1 + eˢ + e⁻ˢ) over the pairs, which are independent. Cost: O(d).
func (t tournaments) LogPartition(marginals, scores []float64, _ func() error) (logZ float64, err error) {
	mustLen("scores", len(scores), t.len())
	if marginals != nil {
		mustLen("marginals", len(marginals), t.len())
	}
	for i, s := range scores {
		a := math.Abs(s)
		tie, lose := math.Exp(-a), math.Exp(-2*a)
		logZ += a + math.Log1p(tie+lose)
		if marginals != nil {
			marginals[i] = math.Copysign(-math.Expm1(-2*a)/(1+tie+lose), s)
		}
	}
	return logZ, nil
}

func (t tournaments) partitionCost(bool) float64 { return float64(4 * t.len()) }

// Distribution draws each pair on its own. Cost: O(d) for each output.
func (t tournaments) Distribution(scores []float64, _ func() error) (Draw, error) {
	mustLen("scores", len(scores), t.len())
	up, known := make([]float64, t.len()), make([]float64, t.len()) // P(+1) and P(+1 or −1)
	for i, s := range scores {
		all := logsum.Of([]float64{0, s, -s})
		up[i] = logsum.Share(s, all)
		known[i] = up[i] + logsum.Share(-s, all)
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), len(up))
		for i := range dst {
			switch u := rng.Float64(); {
			case u < up[i]:
				dst[i] = 1
			case u < known[i]:
				dst[i] = -1
			default:
				dst[i] = 0
			}
		}
	}, nil
}
