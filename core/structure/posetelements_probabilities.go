package structure

import (
	"cmp"
	"slices"
)

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
