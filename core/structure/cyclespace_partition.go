package structure

import (
	"math"

	"combpred/core/graph/tours"
)

// loadScores gives the arc u→v the score of its pair where u < v, and back times that for v→u.
func (c cycleSpace) loadScores(d *tours.Distribution, scores []float64, back float64, what string) error {
	mustLen("scores", len(scores), c.len())
	if err := checkSumSize(what, "vertices", c.n, exactCycle); err != nil {
		return err
	}
	gain := d.Reset(c.n, false)
	pair := 0
	for u := range c.n {
		gain[u*c.n+u] = 0
		for v := u + 1; v < c.n; v++ {
			gain[u*c.n+v], gain[v*c.n+u] = scores[pair], back*scores[pair]
			pair++
		}
	}
	return nil
}

// sumTours returns ln Z over the directed cycles, and the mean of ψ where an arc against the order of its pair counts back.
func (c cycleSpace) sumTours(d *tours.Distribution, marginals []float64, back float64, poll func() error) (float64, error) {
	if marginals == nil {
		return d.Sum(nil, poll)
	}
	mustLen("marginals", len(marginals), c.len())
	arcs := make([]float64, c.n*c.n)
	logZ, err := d.Sum(arcs, poll)
	pair := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			marginals[pair] = arcs[u*c.n+v] + back*arcs[v*c.n+u]
			pair++
		}
	}
	return logZ, err
}

// sumCost returns the cost of sumTours, +Inf where there are too many vertices.
func (c cycleSpace) sumCost(marginals bool) float64 {
	if c.n > exactCycle {
		return math.Inf(1)
	}
	return tourCost(c.n, marginals)
}
