package structure

var _ Proposer = cliques{}

// gain adds up the pairs of the vertex that came or went with the others in the set. Cost: O(n).
func (c cliques) gain(z, y []int32, score Scores) (gain float64) {
	for v, in := range z {
		if in == y[v] {
			continue
		}
		for u, with := range z {
			if with == 1 && u != v {
				gain += score.indicator(c.scheme.number(u, v))
			}
		}
		if in == 0 {
			return -gain
		}
		return gain
	}
	return 0
}
