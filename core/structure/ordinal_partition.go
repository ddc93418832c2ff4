package structure

var _ indexed = ordinal{}

func (o ordinal) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(o, marginals, scores)
}

func (o ordinal) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(o, scores)
}

func (o ordinal) partitionCost(bool) float64 { return float64(4 * o.n) }

// scoresTo adds up the scores of the grades passed.
func (o ordinal) scoresTo(dst, s []float64) {
	var sum float64
	for i, v := range s {
		sum += v
		dst[i] = sum
	}
}

// averageTo adds up the probabilities of the grades from each on.
func (o ordinal) averageTo(dst, p []float64) {
	var sum float64
	for i := o.n - 1; i >= 0; i-- {
		sum += p[i]
		dst[i] = min(sum, 1)
	}
}

func (o ordinal) under(mask *Mask) (engine, error) { return indexedUnder(o, mask) }
