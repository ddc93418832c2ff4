package spanning

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"slices"
)

// SampleTo writes a uniform spanning tree to dst, 1 for its edges and 0 for all others, by Wilson's algorithm (1996):
// from each vertex a random walk runs until it meets the tree, and the path it took, cycles erased, joins the tree.
// Cost: the mean hitting time of the root in expectation, O(n) on most graphs and O(n³) on the worst.
func (g *Graph) SampleTo(dst []int32, rng *rand.Rand) {
	w := g.borrow()
	defer g.workspace.Put(w)
	clear(dst)
	clear(w.inside)
	w.inside[g.root()] = true
	for start := range int32(g.n) {
		for v := start; !w.inside[v]; v = g.arcs[w.exit[v]].to {
			lo, hi := g.first[v], g.first[v+1]
			w.exit[v] = lo + rng.Int32N(hi-lo)
		}
		for v := start; !w.inside[v]; v = g.arcs[w.exit[v]].to {
			w.inside[v] = true
			dst[g.arcs[w.exit[v]].edge] = 1
		}
	}
}

// MaximumTo writes a spanning tree of largest weight to dst, 1 for its edges and 0 for all others, and returns its
// weight (Kruskal, 1956). Among edges of equal weight those with small indices come first. Cost: O(d log d).
func (g *Graph) MaximumTo(dst []int32, weight func(edge int) float64) float64 {
	w := g.borrow()
	defer g.workspace.Put(w)
	for i := range w.order {
		w.order[i] = int32(i)
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		if c := cmp.Compare(weight(int(b)), weight(int(a))); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	clear(dst)
	w.forest.Reset(g.n)
	var sum float64
	for _, i := range w.order {
		if w.forest.Join(g.ends[i][0], g.ends[i][1]) {
			dst[i] = 1
			sum += weight(int(i))
		}
	}
	return sum
}

// All lists the spanning trees in lexicographic order of their 0/1 vectors, in a slice that is reused. Edges are decided
// one after the other, and only as some tree allows, so that every branch ends in a tree. Cost: O(d²) for each.
func (g *Graph) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, len(g.ends))
		g.list(y, 0, new(Forest), yield)
	}
}

// list yields the trees that agree with y before edge i, and reports whether to go on.
func (g *Graph) list(y []int32, i int, f *Forest, yield func([]int32) bool) bool {
	if i == len(y) {
		return yield(y)
	}
	y[i] = 0
	if g.joined(y, i+1, f) == g.n-1 && !g.list(y, i+1, f, yield) {
		return false
	}
	y[i] = 1
	if !g.acyclic(y, i+1, f) {
		return true
	}
	return g.list(y, i+1, f, yield)
}

// joined returns the number of edges in a forest of the edges chosen before number i and all from there on.
func (g *Graph) joined(y []int32, i int, f *Forest) int {
	f.Reset(g.n)
	edges := 0
	for j, e := range g.ends {
		if (j >= i || y[j] == 1) && f.Join(e[0], e[1]) {
			edges++
		}
	}
	return edges
}

// acyclic reports whether the edges chosen before number i contain no cycle.
func (g *Graph) acyclic(y []int32, i int, f *Forest) bool {
	f.Reset(g.n)
	for j, e := range g.ends[:i] {
		if y[j] == 1 && !f.Join(e[0], e[1]) {
			return false
		}
	}
	return true
}
