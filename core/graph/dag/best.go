package dag

import "combpred/core/slicex"

// Best writes the labels of the arcs of a path of largest score to dst, which has room for the longest, and returns their
// number and the score. Among equals the first arc out of a vertex wins. Cost: an addition for each arc.
func (g *Graph) Best(dst []int32, scores []float64, w *Workspace) (arcs int, value float64) {
	scores = g.scored(scores, w)
	n := g.Vertices()
	w.value = slicex.Grow(w.value, n)
	best := w.value
	best[n-1] = 0
	for v := n - 2; v >= 0; v-- {
		from, to := g.start[v], g.start[v+1]
		heads, symbols := g.head[from:to], g.symbol[from:to]
		symbols = symbols[:len(heads)]
		most := scores[symbols[0]] + best[heads[0]]
		for i, head := range heads {
			if s := scores[symbols[i]] + best[head]; s > most {
				most = s
			}
		}
		best[v] = most
	}
	for v := int32(0); v != int32(n-1); arcs++ {
		found := g.start[v]
		most := scores[g.symbol[found]] + best[g.head[found]]
		for a := found + 1; a < g.start[v+1]; a++ {
			if s := scores[g.symbol[a]] + best[g.head[a]]; s > most {
				found, most = a, s
			}
		}
		dst[arcs], v = g.label[found], g.head[found]
	}
	return arcs, best[0]
}

// scored returns the scores by symbol, 0 for silent arcs.
func (g *Graph) scored(scores []float64, w *Workspace) []float64 {
	if len(scores) != g.symbols {
		panic("dag: there must be a score for each symbol")
	}
	if !g.silent {
		return scores
	}
	w.scores = append(append(w.scores[:0], scores...), 0)
	return w.scores
}
