package structure

import (
	"errors"
	"fmt"

	"combpred/core/graph/induced"
)

// cliqueWorkspace is the scratch of one decoding.
type cliqueWorkspace struct {
	induced.Workspace
	chosen []bool
}

const searchInstead = "take decoder='auto' to decode by search instead, which comes with a guarantee and an upper bound"

// Decode finds a vertex set of largest induced weight by reduction and branch and bound. It returns a *LimitError where
// the vertices left by reduction hold a component of more than 48, or one that is not solved in about a second; with
// Gaussian scores 40 vertices take a tenth of that. Vertices that contribute nothing are left out. Cost: O(n²) and the
// exponential one of branch and bound.
func (c cliques) Decode(dst []int32, score Scores) (Certificate, error) {
	w := c.load(dst, score)
	defer c.pool.put(w)
	if err := w.Exact(w.chosen); err != nil {
		return Certificate{}, cliqueLimit(err)
	}
	return proven(c.finish(dst, w.chosen, score)), nil
}

// cliqueLimit returns the *LimitError of an instance that was not solved exactly.
func cliqueLimit(err error) error {
	if e, ok := errors.AsType[*induced.SizeError](err); ok {
		return &LimitError{
			What:         "exact decoding of cliques whose vertices do not fall into independent parts",
			OfRow:        true,
			Size:         e.Size,
			Limit:        induced.MaxVertices,
			Alternatives: searchInstead,
		}
	}
	if e, ok := errors.AsType[*induced.EffortError](err); ok {
		return &LimitError{
			What:         "exact decoding of cliques",
			OfRow:        true,
			Size:         e.Size,
			Limit:        induced.MaxVertices,
			Effort:       fmt.Sprintf("%d nodes of branch and bound", induced.MaxNodes),
			Alternatives: searchInstead,
		}
	}
	return err
}

// Start takes the best sets within two blocks of vertices, see induced.Workspace.Start for what they guarantee. Cost: some
// thousandths of a second for 40 vertices, a tenth for 500.
func (c cliques) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return c.improve(dst, score, poll, (*induced.Workspace).Start)
}

// Search solves easy components exactly and improves the others from a guaranteed start, see induced.Workspace.Search.
// Cost: some hundredths of a second for 100 vertices, a second for 500.
func (c cliques) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return c.improve(dst, score, poll, (*induced.Workspace).Search)
}

// cliqueSearch marks a good set in chosen, as the searches of package induced do.
type cliqueSearch func(w *induced.Workspace, chosen []bool, poll func() error) (bound, nu float64, optimal bool, err error)

func (c cliques) improve(dst []int32, score Scores, poll func() error, find cliqueSearch) (Certificate, error) {
	w := c.load(dst, score)
	defer c.pool.put(w)
	bound, nu, optimal, err := find(&w.Workspace, w.chosen, poll)
	if err == nil {
		err = polled(poll)
	}
	if err != nil {
		return Certificate{}, err
	}
	value := c.finish(dst, w.chosen, score)
	if optimal {
		return proven(value), nil
	}
	return Certificate{Value: value, UpperBound: max(value, bound), Nu: nu}, nil
}

// load returns a workspace with the score of every pair of vertices.
func (c cliques) load(dst []int32, score Scores) *cliqueWorkspace {
	mustLen("dst", len(dst), c.n)
	mustScores(score, c.FeatureLen())
	w := c.pool.get()
	if w.chosen == nil {
		w.chosen = make([]bool, c.n)
	}
	weight := w.Reset(c.n)
	pair := 0
	for u := range c.n {
		weight[u*c.n+u] = 0
		for v := u + 1; v < c.n; v++ {
			s := score.indicator(pair)
			weight[u*c.n+v] = s
			weight[v*c.n+u] = s
			pair++
		}
	}
	return w
}

// finish writes the chosen vertices and returns their score, summed pair by pair.
func (c cliques) finish(dst []int32, chosen []bool, score Scores) float64 {
	for v, in := range chosen {
		dst[v] = 0
		if in {
			dst[v] = 1
		}
	}
	var value float64
	pair := 0
	for u, in := range chosen {
		for _, other := range chosen[u+1:] {
			if in && other {
				value += score.indicator(pair)
			}
			pair++
		}
	}
	return value
}
