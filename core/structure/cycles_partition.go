package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/tours"
)

var (
	_ Partitioner = cycles{}
	_ Distributor = cycles{}
	_ Partitioner = directedCycles{}
	_ Distributor = directedCycles{}
)

var tourLaws pool[tours.Law]

// LogPartition sums over sets of vertices, as Decode maximises. Each cycle is counted in both directions there, so that
// half of the sum is wanted, and an edge has the probability of its two arcs. It returns a *LimitError beyond 16 vertices.
// Cost: O(2ⁿ n²), with marginals about thrice that.
func (c cycles) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	law := tourLaws.get()
	defer tourLaws.put(law)
	if err := c.loadLaw(law, scores, 1, "the exact law of cycles by the number of vertices"); err != nil {
		return 0, err
	}
	logZ, err := c.sumTours(law, marginals, 1, poll)
	return logZ - math.Ln2, err
}

func (c cycles) PartitionCost(marginals bool) float64 { return c.lawCost(marginals) }

// Distribution draws a directed cycle and forgets its direction. Cost: O(n²) for each output.
func (c cycles) Distribution(scores []float64, poll func() error) (Draw, error) {
	law := new(tours.Law)
	if err := c.loadLaw(law, scores, 1, "the exact law of cycles by the number of vertices"); err != nil {
		return nil, err
	}
	if _, err := law.Sum(nil, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), c.n)
		k := law.DrawTo(dst, rng)
		padFrom(dst, k)
		normalDirection(dst[:k])
	}, nil
}

// LogPartition sums over sets of vertices, as Decode maximises. It returns a *LimitError beyond 16 vertices. Cost: O(2ⁿ
// n²), with marginals about thrice that.
func (c directedCycles) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	law := tourLaws.get()
	defer tourLaws.put(law)
	if err := c.loadLaw(law, scores, -1, "the exact law of directed cycles by the number of vertices"); err != nil {
		return 0, err
	}
	return c.sumTours(law, marginals, -1, poll)
}

func (c directedCycles) PartitionCost(marginals bool) float64 { return c.lawCost(marginals) }

// Distribution costs O(n²) for each output.
func (c directedCycles) Distribution(scores []float64, poll func() error) (Draw, error) {
	law := new(tours.Law)
	if err := c.loadLaw(law, scores, -1, "the exact law of directed cycles by the number of vertices"); err != nil {
		return nil, err
	}
	if _, err := law.Sum(nil, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), c.n)
		padFrom(dst, law.DrawTo(dst, rng))
	}, nil
}

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

// tourCost is the cost of the law of the closed tours through some of n vertices.
func tourCost(n int, marginals bool) float64 {
	cost := math.Ldexp(float64(n*n)/4, n)
	if marginals {
		cost *= 3
	}
	return cost
}

// checkLawSize returns the error of an exact law beyond its size, or nil.
func checkLawSize(what string, n, limit int) error {
	if n <= limit {
		return nil
	}
	return &LimitError{What: what, Size: n, Limit: limit, Alternatives: "take a smaller size"}
}
