package structure

import (
	"math"

	"combpred/core/tours"
)

// loadLaw gives the arc u→v the score of its pair where u < v, and back times that for v→u.
func (c cycleSpace) loadLaw(law *tours.Law, scores []float64, back float64, what string) error {
	mustLen("scores", len(scores), c.len())
	if err := checkLawSize(what, c.n, exactCycle); err != nil {
		return err
	}
	gain := law.Reset(c.n, false)
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
func (c cycleSpace) sumTours(law *tours.Law, marginals []float64, back float64, poll func() error) (float64, error) {
	if marginals == nil {
		return law.Sum(nil, poll)
	}
	mustLen("marginals", len(marginals), c.len())
	arcs := make([]float64, c.n*c.n)
	logZ, err := law.Sum(arcs, poll)
	pair := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			marginals[pair] = arcs[u*c.n+v] + back*arcs[v*c.n+u]
			pair++
		}
	}
	return logZ, err
}

func (c cycleSpace) lawCost(marginals bool) float64 {
	if c.n > exactCycle {
		return math.Inf(1)
	}
	return tourCost(c.n, marginals)
}
