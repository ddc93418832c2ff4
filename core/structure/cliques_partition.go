package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/graph/induced"
)

var (
	_ Partitioner = cliques{}
	_ Partitioner = (*restrictedCliques)(nil)
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

func (c cliques) unrestricted() *restrictedCliques {
	return &restrictedCliques{subspace: subspace[cliques]{c}, size: -1, fixed: make([]int32, c.n)}
}

// free returns the vertices that are neither in all sets nor in none, and the number of those in all.
func (r *restrictedCliques) free() (free []int, required int) {
	for v, f := range r.fixed {
		switch f {
		case 0:
			free = append(free, v)
		case 1:
			required++
		}
	}
	return free, required
}

// distribution returns the distribution of the free vertices of the sets, those vertices, and what the others weigh together.
func (r *restrictedCliques) distribution(scores []float64, poll func() error) (
	d *induced.Distribution, free []int, inside float64, err error,
) {
	mustLen("scores", len(scores), r.FeatureLen())
	free, required := r.free()
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
	pair := func(u, v int) float64 { return scores[r.all.scheme.number(u, v)] }
	for i, u := range free {
		for j, v := range free {
			if i != j {
				weight[i*m+j] = pair(u, v)
			}
		}
		for v, f := range r.fixed {
			if f == 1 {
				weight[i*m+i] += pair(u, v)
			}
		}
	}
	for u, f := range r.fixed {
		for v := u + 1; f == 1 && v < r.all.n; v++ {
			if r.fixed[v] == 1 {
				inside += pair(u, v)
			}
		}
	}
	lo, hi := 0, m
	if r.size >= 0 {
		lo, hi = r.size-required, r.size-required
	}
	d, err = induced.NewDistribution(m, weight, lo, hi, poll)
	return d, free, inside, err
}

// LogPartition is that of all cliques, over the vertices left open.
func (r *restrictedCliques) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	d, free, inside, err := r.distribution(scores, poll)
	if err != nil {
		return 0, err
	}
	if marginals == nil {
		return d.LogSum() + inside, nil
	}
	mustLen("marginals", len(marginals), r.FeatureLen())
	m, n := len(free), r.all.n
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
			case r.fixed[u] < 0 || r.fixed[v] < 0:
			case i >= 0 && j >= 0:
				q = p[i*m+j]
			case i >= 0:
				q = p[i*m+i]
			case j >= 0:
				q = p[j*m+j]
			default:
				q = 1
			}
			marginals[r.all.scheme.number(u, v)] = q
		}
	}
	return logZ, nil
}

func (r *restrictedCliques) partitionCost(marginals bool) float64 {
	free, _ := r.free()
	m := len(free)
	if m > induced.MaxSummed {
		return math.Inf(1)
	}
	cost := math.Ldexp(float64(m)/2+4, m) + float64(r.FeatureLen())
	if marginals {
		cost += math.Ldexp(float64(m)/2, m)
	}
	return cost
}

// Distribution is that of all cliques, over the vertices left open.
func (r *restrictedCliques) Distribution(scores []float64, poll func() error) (Draw, error) {
	d, free, _, err := r.distribution(scores, poll)
	if err != nil {
		return nil, err
	}
	sets := d.Sets()
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), r.all.n)
		for v, f := range r.fixed {
			dst[v] = max(f, 0)
		}
		set := sets.Draw(rng)
		for i, v := range free {
			dst[v] = int32(set >> i & 1)
		}
	}, nil
}
