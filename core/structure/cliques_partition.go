package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"combpred/core/graph/induced"
)

var (
	_ Partitioner = cliques{}
)

// LogPartition sums over the sets of vertices in a table. It returns a *LimitError beyond 22 vertices. Cost: O(2ⁿ n).
func (c cliques) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return c.unrestricted().LogPartition(marginals, scores, poll)
}

func (c cliques) partitionCost(marginals bool) float64 {
	return c.unrestricted().partitionCost(marginals)
}

// Distribution draws sets by binary search in that table.
func (c cliques) Distribution(scores []float64, poll func() error) (Draw, error) {
	return c.unrestricted().Distribution(scores, poll)
}

func (c cliques) unrestricted() *maskedCliques {
	return &maskedCliques{all: c, fixed: make([]int32, c.n), size: Range{0, c.n}}
}

// distribution returns the distribution of the free vertices of the sets, those vertices, and what the others weigh together.
func (e *maskedCliques) distribution(scores []float64, poll func() error) (
	d *induced.Distribution, free []int, inside float64, err error,
) {
	mustLen("scores", len(scores), e.all.FeatureLen())
	free, required := e.free()
	if len(free) > induced.MaxSummed {
		return nil, nil, 0, &LimitError{
			What:         "the exact sum over all cliques",
			Size:         len(free),
			Unit:         "vertices that are left open",
			Limit:        induced.MaxSummed,
			Alternatives: "take a smaller graph",
		}
	}
	m := len(free)
	weight := make([]float64, m*m)
	pair := func(u, v int) float64 { return scores[e.all.scheme.number(u, v)] }
	for i, u := range free {
		for j, v := range free {
			if i != j {
				weight[i*m+j] = pair(u, v)
			}
		}
		for v, f := range e.fixed {
			if f == 1 {
				weight[i*m+i] += pair(u, v)
			}
		}
	}
	for u, f := range e.fixed {
		for v := u + 1; f == 1 && v < e.all.n; v++ {
			if e.fixed[v] == 1 {
				inside += pair(u, v)
			}
		}
	}
	for _, p := range e.barred {
		i, j := slices.Index(free, int(p[0])), slices.Index(free, int(p[1]))
		weight[i*m+j], weight[j*m+i] = math.Inf(-1), math.Inf(-1)
	}
	d, err = induced.NewDistribution(m, weight, e.size.Least-required, e.size.Most-required, poll)
	if errors.Is(err, induced.ErrNone) {
		err = ErrNone
	}
	return d, free, inside, err
}

// LogPartition is that of all cliques, over the vertices left open.
func (e *maskedCliques) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	d, free, inside, err := e.distribution(scores, poll)
	if err != nil {
		return 0, err
	}
	if marginals == nil {
		return d.LogSum() + inside, nil
	}
	mustLen("marginals", len(marginals), e.all.FeatureLen())
	m, n := len(free), e.all.n
	p := make([]float64, m*m)
	logZ := d.PairsTo(p) + inside
	place := make([]int, n) // of a free vertex among those, −1 for others
	for v := range place {
		place[v] = -1
	}
	for i, v := range free {
		place[v] = i
	}
	for u := range n {
		for v := u + 1; v < n; v++ {
			q := 0.0
			i, j := place[u], place[v]
			switch {
			case e.fixed[u] < 0 || e.fixed[v] < 0:
			case i >= 0 && j >= 0:
				q = p[i*m+j]
			case i >= 0:
				q = p[i*m+i]
			case j >= 0:
				q = p[j*m+j]
			default:
				q = 1
			}
			marginals[e.all.scheme.number(u, v)] = q
		}
	}
	return logZ, nil
}

func (e *maskedCliques) partitionCost(marginals bool) float64 {
	free, _ := e.free()
	m := len(free)
	if m > induced.MaxSummed {
		return math.Inf(1)
	}
	cost := math.Ldexp(float64(m)/2+4, m) + float64(e.all.FeatureLen())
	if marginals {
		cost += math.Ldexp(float64(m)/2, m)
	}
	return cost
}

// Distribution is that of all cliques, over the vertices left open.
func (e *maskedCliques) Distribution(scores []float64, poll func() error) (Draw, error) {
	d, free, _, err := e.distribution(scores, poll)
	if err != nil {
		return nil, err
	}
	sets := d.Sets()
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), e.all.n)
		for v, f := range e.fixed {
			dst[v] = max(f, 0)
		}
		set := sets.Draw(rng)
		for i, v := range free {
			dst[v] = int32(set >> i & 1)
		}
	}, nil
}
