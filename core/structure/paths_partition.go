package structure

import (
	"math/rand/v2"

	"combpred/core/graph/dag"
)

var _ Partitioner = (*paths)(nil)

// LogPartition passes weights backwards from the target and probabilities forwards from the source. Marginals of tied arcs
// are expected counts, as each has the score of its group, whose count adds up along the path. Cost: O(arcs).
func (p *paths) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return p.sum(p.graph, marginals, scores, poll)
}

func (p *paths) sum(g *dag.Graph, marginals, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), p.features)
	if marginals != nil {
		mustLen("marginals", len(marginals), p.features)
	}
	w := p.work.get()
	defer p.work.put(w)
	return g.LogSum(marginals, scores, w, poll)
}

func (p *paths) partitionCost(bool) float64 {
	return float64(4*len(p.arcs) + 2*p.vertices + p.features)
}

// Distribution walks from the source, arc by arc. Cost: that of the arcs passed over, for each output.
func (p *paths) Distribution(scores []float64, poll func() error) (Draw, error) {
	return p.draw(p.graph, scores, poll)
}

func (p *paths) draw(g *dag.Graph, scores []float64, poll func() error) (Draw, error) {
	mustLen("scores", len(scores), p.features)
	d, err := g.NewDistribution(scores, poll)
	if err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), p.longest)
		fillParts(dst[d.Draw(dst, rng):], -1)
	}, nil
}

func fillParts(dst []int32, x int32) {
	for i := range dst {
		dst[i] = x
	}
}
