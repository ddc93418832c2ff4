package structure

import (
	"cmp"
	"slices"
)

var _ indexed = (*posetElements)(nil)

func (p *posetElements) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	return partitionIndexed(p, marginals, scores)
}

func (p *posetElements) Distribution(scores []float64, _ func() error) (Draw, error) {
	return distributeIndexed(p, scores)
}

// partitionCost is at most that of one addition for each pair of elements, and as many again for marginals.
func (p *posetElements) partitionCost(bool) float64 { return float64(2 * p.n * p.n) }

// scoresTo adds up the scores below each allowed element.
func (p *posetElements) scoresTo(dst, s []float64) {
	for i, a := range p.allowed {
		dst[i] = 0
		for b := range p.down.Related(int(a)) {
			dst[i] += s[b]
		}
	}
}

// averageTo adds up the probabilities of the allowed elements above each.
func (p *posetElements) averageTo(dst, probability []float64) {
	for b := range p.n {
		var sum float64
		for a := range p.up.Related(b) {
			sum += probability[p.place[a]]
		}
		dst[b] = min(sum, 1)
	}
}

func (p *posetElements) under(mask *Mask) (engine, error) { return indexedUnder(p, mask) }

// probabilities: what is expected of an entry is the probability of all allowed elements above it, itself included. From the greatest
// elements downwards, what those above have is taken off.
func (p *posetElements) probabilities() func(dst, expected []float64) {
	order := slices.Clone(p.allowed)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.up.Count(int(a)), p.up.Count(int(b))) })
	return func(dst, expected []float64) {
		fill(dst, -1)
		for _, b := range order {
			rest := expected[b]
			for a := range p.up.Related(int(b)) {
				if a != int(b) {
					rest -= dst[a]
				}
			}
			dst[b] = min(max(rest, 0), 1)
		}
	}
}
