package structure

import (
	"cmp"
	"slices"

	"combpred/core/graph/cut"
	"combpred/core/graph/matching"
)

// roundingShare is the fraction of all positive scores by which a bound may exceed a score and count as reached.
const roundingShare = 1e-12

// weights returns the scores of the edges, and a function to call when they are no longer needed.
func (h hereditaryGraphs) weights(dst []int32, score Scores) (weights []float64, done func()) {
	mustLen("dst", len(dst), len(h.ends))
	mustScores(score, len(h.ends))
	buf := h.numbers.get(len(h.ends))
	for i := range *buf {
		(*buf)[i] = score.indicator(i)
	}
	return *buf, func() { h.numbers.put(buf) }
}

// best writes a set of largest weight to dst.
func (h hereditaryGraphs) best(dst []int32, weights []float64) (Certificate, error) {
	switch h.property {
	case forests:
		return proven(h.greedy(dst, weights)), nil
	case matchings:
		if !h.matchable(weights) {
			return Certificate{}, &LimitError{
				What: "exact decoding of matchings, by the number of edges,", Size: len(h.ends),
				Limit: maxMatchingWork / h.vertices, Alternatives: "take decoder='auto' to decode by search instead, which takes longer",
			}
		}
		return h.matching(dst, weights, nil)
	}
	problem := cut.NewSigned(h.vertices, h.ends, h.same, weights)
	if k := problem.Hardest(); k > cut.MostVertices {
		return Certificate{}, &LimitError{
			What: "exact decoding of bipartite graphs, by the number of connected vertices,", Size: k, Limit: cut.MostVertices,
			Alternatives: "take decoder='auto' to decode by search instead, which says how far from the best it may be",
		}
	}
	chosen := make([]bool, len(dst))
	problem.Solve(chosen)
	return proven(mark(dst, chosen, weights)), nil
}

// start writes a matching or bipartite graph of at least half of the largest weight to dst.
func (h hereditaryGraphs) start(dst []int32, weights []float64) (Certificate, error) {
	if h.property == matchings {
		value := h.greedy(dst, weights)
		return within(value, min(2*value, h.ceiling(weights)), weights), nil
	}
	chosen := make([]bool, len(dst))
	bound := cut.NewSigned(h.vertices, h.ends, h.same, weights).Start(chosen)
	return within(mark(dst, chosen, weights), bound, weights), nil
}

// search is best for matchings of any size, and improves on start for bipartite graphs.
func (h hereditaryGraphs) search(dst []int32, weights []float64, poll func() error) (Certificate, error) {
	if h.property == matchings {
		return h.matching(dst, weights, poll)
	}
	chosen := make([]bool, len(dst))
	bound, err := cut.NewSigned(h.vertices, h.ends, h.same, weights).Search(chosen, poll)
	if err != nil {
		return Certificate{}, err
	}
	return within(mark(dst, chosen, weights), bound, weights), nil
}

// descending returns the edges of positive weight, the heaviest first and equal ones by their numbers.
func descending(weights []float64) []int32 {
	var order []int32
	for i, w := range weights {
		if w > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weights[b], weights[a]) })
	return order
}

// greedy takes edges of positive weight in descending order as long as the set keeps the property.
func (h hereditaryGraphs) greedy(dst []int32, weights []float64) (value float64) {
	clear(dst)
	set := h.sets.get()
	defer h.sets.put(set)
	set.reset(h.vertices)
	for _, i := range descending(weights) {
		if set.add(h.ends[i], h.property) {
			dst[i] = 1
			value += weights[i]
		}
	}
	return value
}

// matchable reports whether matchings of edges of positive weight are found in a few seconds.
func (h hereditaryGraphs) matchable(weights []float64) bool {
	positive := 0
	for _, w := range weights {
		if w > 0 {
			positive++
		}
	}
	return positive <= maxMatchingWork/h.vertices
}

// ceiling is half of what all vertices would earn if each had its best edge: a bound for matchings.
func (h hereditaryGraphs) ceiling(weights []float64) (sum float64) {
	best := make([]float64, h.vertices)
	for i, e := range h.ends {
		best[e[0]], best[e[1]] = max(best[e[0]], weights[i]), max(best[e[1]], weights[i])
	}
	for _, b := range best {
		sum += b / 2
	}
	return sum
}

func (h hereditaryGraphs) matching(dst []int32, weights []float64, poll func() error) (Certificate, error) {
	edges, chosen := make([]matching.Edge, len(dst)), make([]bool, len(dst))
	for i, e := range h.ends {
		edges[i] = matching.Edge{U: e[0], V: e[1]}
	}
	bound, err := matching.Largest(chosen, h.vertices, edges, weights, poll)
	if err != nil {
		return Certificate{}, err
	}
	return within(mark(dst, chosen, weights), bound, weights), nil
}

// mark writes the chosen edges to dst and returns their weight.
func mark(dst []int32, chosen []bool, weights []float64) (value float64) {
	clear(dst)
	for i, in := range chosen {
		if in {
			dst[i] = 1
			value += weights[i]
		}
	}
	return value
}

// within returns the certificate of a set of edges. As the empty set scores 0, no set of least score has more.
func within(value, bound float64, weights []float64) Certificate {
	var all float64
	for _, w := range weights {
		all += max(w, 0)
	}
	if bound <= value+roundingShare*all {
		return proven(value)
	}
	return Certificate{Value: value, UpperBound: bound, Nu: 1 - value/bound}
}
