package spanning

import (
	"math"

	"combpred/core/logsum"
	"combpred/core/parallel"
)

// The Gibbs distribution over the spanning trees, in which the probability of a tree is proportional to exp of the sum of its
// weights, is that of a network with conductances exp(weight). Its partition function is a determinant of the weighted
// Laplacian (Kirchhoff's matrix-tree theorem), which the elimination of this package finds without differences: here with
// logarithms, as conductances may be of any size.

// logElimination is the result of elimination with logarithms of conductances.
type logElimination struct {
	*elimination
	star   []float64 // of each entry of col: the conductance of its edge when its star goes
	total  []float64 // of the star of each place, for all but the last
	share  []float64 // of each pair of neighbours of each place, if wanted: what the mesh has in the edge that the pair gets
	shares []int     // where the shares of each place begin
}

// eliminateLogs replaces star after star by its mesh, for the given logarithms of conductances. Cost: the sum of the
// squares of the degrees at elimination, at most n³/6 logarithms, and as many float64s for shares.
func (g *Graph) eliminateLogs(weight []float64, shares bool, poll func() error) (*logElimination, error) {
	e := g.symbolic()
	t := &logElimination{elimination: e, star: make([]float64, len(e.col)), total: make([]float64, g.n-1)}
	var p parallel.Poll
	p.Reset(poll)
	c := t.star
	for i := range c {
		c[i] = math.Inf(-1)
	}
	for i, at := range e.edges {
		c[at] = weight[i]
	}
	for k := range t.total {
		if p.Stopped() {
			return nil, p.Err()
		}
		star, lo := e.later(k), e.first[k]
		t.total[k] = logsum.Of(c[lo : lo+len(star)])
		t.shares = append(t.shares, len(t.share))
		for i, u := range star {
			at := e.first[u]
			for j, v := range star[i+1:] {
				for e.col[at] != v {
					at++
				}
				mesh := c[lo+i] + c[lo+i+1+j] - t.total[k]
				c[at] = logsum.Add(c[at], mesh)
				if shares {
					t.share = append(t.share, logsum.Share(mesh, c[at]))
				}
			}
		}
	}
	return t, nil
}

// logSum returns ln Σ exp(weight of a tree): the sum of the logarithms of the pivots.
func (t *logElimination) logSum() (sum float64) {
	for _, s := range t.total {
		sum += s
	}
	return sum
}

// LogSum returns ln Σ exp(weights of the edges of a tree) over all spanning trees. An error of poll, which may be nil,
// ends the work and is returned. Cost: that of elimination, at most n³/6 logarithms.
func (g *Graph) LogSum(weight []float64, poll func() error) (float64, error) {
	t, err := g.eliminateLogs(weight, false, poll)
	if err != nil {
		return 0, err
	}
	return t.logSum(), nil
}
