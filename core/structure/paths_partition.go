package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/logsum"
)

var _ Partitioner = (*paths)(nil)

// aheadTo writes to ahead, for each vertex from which the target can be reached, the logarithm of what the paths from
// there weigh. Tied arcs each have the score of their group, whose count adds up along the path.
func (p *paths) aheadTo(ahead, scores []float64) {
	for i := len(p.order) - 1; i >= 0; i-- {
		v := p.order[i]
		if v == p.target {
			ahead[v] = 0
			continue
		}
		top := math.Inf(-1)
		for _, a := range p.out[v] {
			top = max(top, scores[p.group[a]]+ahead[p.arcs[a].head])
		}
		var sum float64
		for _, a := range p.out[v] {
			sum += math.Exp(scores[p.group[a]] + ahead[p.arcs[a].head] - top)
		}
		ahead[v] = top + math.Log(sum)
	}
}

// share returns the probability that a path at the tail of an arc goes on along it.
func (p *paths) share(a int32, ahead, scores []float64) float64 {
	x := p.arcs[a]
	return logsum.Share(scores[p.group[a]]+ahead[x.head], ahead[x.tail])
}

// LogPartition passes weights backwards from the target and probabilities forwards from the source. Marginals of tied arcs
// are expected counts. Cost: O(arcs).
func (p *paths) LogPartition(marginals, scores []float64, _ func() error) (float64, error) {
	mustLen("scores", len(scores), p.features)
	buf := p.sums.get(2 * p.vertices)
	defer p.sums.put(buf)
	ahead, reach := (*buf)[:p.vertices], (*buf)[p.vertices:]
	p.aheadTo(ahead, scores)
	if marginals != nil {
		mustLen("marginals", len(marginals), p.features)
		clear(marginals)
		clear(reach)
		reach[p.source] = 1
		for _, v := range p.order {
			if reach[v] == 0 {
				continue
			}
			for _, a := range p.out[v] {
				along := reach[v] * p.share(a, ahead, scores)
				reach[p.arcs[a].head] += along
				marginals[p.group[a]] += along
			}
		}
	}
	return ahead[p.source], nil
}

func (p *paths) partitionCost(bool) float64 {
	return float64(4*len(p.arcs) + 2*p.vertices + p.features)
}

// Distribution walks from the source, arc by arc. Cost: that of the arcs passed over, for each output.
func (p *paths) Distribution(scores []float64, _ func() error) (Draw, error) {
	mustLen("scores", len(scores), p.features)
	ahead, along := make([]float64, p.vertices), make([]float64, len(p.arcs))
	p.aheadTo(ahead, scores)
	for _, v := range p.order {
		for _, a := range p.out[v] {
			along[a] = p.share(a, ahead, scores)
		}
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), p.longest)
		v := p.source
		for place := range dst {
			if v == p.target {
				dst[place] = -1
				continue
			}
			rest, chosen := rng.Float64(), int32(-1)
			for _, a := range p.out[v] {
				if along[a] == 0 {
					continue
				}
				chosen = a // the last one where rounding leaves a rest
				if rest -= along[a]; rest < 0 {
					break
				}
			}
			dst[place], v = chosen, p.arcs[chosen].head
		}
	}, nil
}
