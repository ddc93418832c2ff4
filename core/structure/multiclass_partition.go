package structure

var _ indexed = multiClass{}

func (m multiClass) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(m, marginals, scores)
}

func (m multiClass) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(m, scores)
}

func (m multiClass) partitionCost(bool) float64 { return float64(2 * m.n) }
func (m multiClass) scoresTo(dst, s []float64)  { copy(dst, s) }
func (m multiClass) averageTo(dst, p []float64) { copy(dst, p) }

func (m multiClass) under(mask *Mask) (engine, error) { return indexedUnder(m, mask) }
