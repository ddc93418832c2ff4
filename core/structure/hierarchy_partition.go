package structure

var _ indexed = (*hierarchy)(nil)

func (h *hierarchy) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(h, marginals, scores)
}

func (h *hierarchy) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(h, scores)
}

func (h *hierarchy) partitionCost(bool) float64 { return float64(6 * len(h.parent)) }

// scoresTo adds up the scores on the way from the root.
func (h *hierarchy) scoresTo(dst, s []float64) {
	buf := h.sums.get(len(h.parent))
	defer h.sums.put(buf)
	sum := *buf
	for _, v := range h.order {
		sum[v] = s[v]
		if p := h.parent[v]; p >= 0 {
			sum[v] += sum[p]
		}
	}
	for i, v := range h.allowed {
		dst[i] = sum[v]
	}
}

// averageTo adds up the probabilities of the nodes below each.
func (h *hierarchy) averageTo(dst, p []float64) {
	clear(dst)
	for i, v := range h.allowed {
		dst[v] = p[i]
	}
	for i := len(h.order) - 1; i > 0; i-- {
		v := h.order[i]
		dst[h.parent[v]] += dst[v]
	}
	for i, v := range dst {
		dst[i] = min(v, 1)
	}
}

func (h *hierarchy) under(mask *Mask) (engine, error) { return indexedUnder(h, mask) }
