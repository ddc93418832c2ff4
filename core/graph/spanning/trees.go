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
	g.require(dst)
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
	for i, l := range g.links {
		w.order[i] = ranked{weight(int(l.edge)), int32(i)}
	}
	slices.SortFunc(w.order, func(a, b ranked) int {
		if c := cmp.Compare(b.weight, a.weight); c != 0 {
			return c
		}
		return cmp.Compare(a.link, b.link)
	})
	g.require(dst)
	var sum float64
	for _, i := range g.required {
		sum += weight(int(i))
	}
	w.forest.Reset(g.n)
	joined := 0
	for _, r := range w.order {
		if joined == g.n-1 {
			break
		}
		if l := g.links[r.link]; w.forest.Join(l.u, l.v) {
			joined++
			dst[l.edge] = 1
			sum += r.weight
		}
	}
	return sum
}

// All lists the spanning trees in lexicographic order of their 0/1 vectors, in a slice that is reused. Edges are decided
// one after the other, and only as some tree allows, so that every branch ends in a tree. Cost: O(d²) for each.
func (g *Graph) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, len(g.ends))
		g.require(y)
		g.list(y, 0, new(Forest), yield)
	}
}

// list yields the trees that agree with y before link i, and reports whether to go on.
func (g *Graph) list(y []int32, i int, f *Forest, yield func([]int32) bool) bool {
	if i == len(g.links) {
		return yield(y)
	}
	edge := g.links[i].edge
	y[edge] = 0
	if g.joined(y, i+1, f) == g.n-1 && !g.list(y, i+1, f, yield) {
		return false
	}
	y[edge] = 1
	if !g.acyclic(y, i+1, f) {
		return true
	}
	return g.list(y, i+1, f, yield)
}

// joined returns the number of links in a forest of those chosen before number i and all from there on.
func (g *Graph) joined(y []int32, i int, f *Forest) int {
	f.Reset(g.n)
	links := 0
	for j, l := range g.links {
		if (j >= i || y[l.edge] == 1) && f.Join(l.u, l.v) {
			links++
		}
	}
	return links
}

// acyclic reports whether the links chosen before number i contain no cycle.
func (g *Graph) acyclic(y []int32, i int, f *Forest) bool {
	f.Reset(g.n)
	for _, l := range g.links[:i] {
		if y[l.edge] == 1 && !f.Join(l.u, l.v) {
			return false
		}
	}
	return true
}
