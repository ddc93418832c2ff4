// Package spanning solves the classical problems about spanning trees of a graph: counting them exactly, the
// probabilities of edges and pairs of edges in a uniform one, drawing one, listing all, and finding one of largest
// weight; the same for trees whose probabilities are exponentials of weights. A mask may require some edges and forbid others:
// see Graph.Restrict.
//
// Counting and probabilities share one elimination. A graph is an electrical network; eliminating a vertex replaces its star by a
// mesh of conductances between its neighbours. This is Gaussian elimination of the Laplacian, and it adds, multiplies and
// divides positive numbers only: in floats nothing cancels, so that every number keeps its relative precision (the argument of
// Grassmann, Taksar and Heyman, 1985), and modulo a prime the same loops give the number of trees. If weights are so far apart that a
// float underflows, the elimination is run again in numbers with an exponent of their own.
package spanning

import (
	"fmt"
	"sync"
)

// Graph is a connected graph on the vertices 0..N−1 with numbered edges, which may be parallel, together with a mask: see Restrict. It is
// immutable and safe for concurrent use; what is derived from it is computed once, when it is first asked for.
type Graph struct {
	vertices int        // of the graph as given
	ends     [][2]int32 // of the edges as given
	required []int32    // the edges that all trees have
	home     []int32    // of each vertex as given: the vertex of the multigraph that it is in

	// The multigraph that is left when required edges are contracted and forbidden ones deleted.
	n     int
	links []link
	first []int32 // arcs from v are arcs[first[v]:first[v+1]]
	arcs  []arc

	symbolic  func() *elimination
	work      func() float64
	numeric   func() *network
	count     func() counted
	currents  func() *Currents
	root      func() int32
	workspace sync.Pool // of *workspace
	tables    sync.Pool // of *numbers
}

// link is an edge of the multigraph, with its number in the graph as given.
type link struct{ u, v, edge int32 }

// arc is a link seen from one of its ends.
type arc struct{ to, edge int32 }

// New returns the graph on n vertices with the given edges, whose ends differ and lie in 0..n−1. It returns a
// *DisconnectedError if the edges do not connect the vertices. The edges are kept, not copied. Cost: O(n + d) for d edges.
func New(n int, ends [][2]int32) (*Graph, error) { return restrict(n, ends, make([]State, len(ends))) }

func restrict(n int, ends [][2]int32, state []State) (*Graph, error) {
	if len(state) != len(ends) {
		panic(fmt.Sprintf("spanning: the mask has %d entries for %d edges", len(state), len(ends)))
	}
	g := &Graph{vertices: n, ends: ends}
	if err := g.contract(state); err != nil {
		return nil, err
	}
	for i, e := range ends {
		// A free edge between vertices that required edges join would close a cycle: it is in no tree.
		if u, v := g.home[e[0]], g.home[e[1]]; state[i] == Free && u != v {
			g.links = append(g.links, link{u, v, int32(i)})
		}
	}
	g.connect()
	if err := g.connected(state); err != nil {
		return nil, err
	}
	g.symbolic = sync.OnceValue(g.order)
	g.work = sync.OnceValue(func() float64 { return g.symbolic().work() })
	g.numeric = sync.OnceValue(g.eliminate)
	g.count = sync.OnceValue(g.countModular)
	g.currents = sync.OnceValue(g.solve)
	g.root = sync.OnceValue(g.central)
	return g, nil
}

// connect sorts the links by their ends.
func (g *Graph) connect() {
	g.first, g.arcs = make([]int32, g.n+1), make([]arc, 2*len(g.links))
	for _, l := range g.links {
		g.first[l.u+1]++
		g.first[l.v+1]++
	}
	for v := range g.n {
		g.first[v+1] += g.first[v]
	}
	next := append([]int32(nil), g.first[:g.n]...)
	for _, l := range g.links {
		g.arcs[next[l.u]] = arc{to: l.v, edge: l.edge}
		next[l.u]++
		g.arcs[next[l.v]] = arc{to: l.u, edge: l.edge}
		next[l.v]++
	}
}

// N returns the number of vertices.
func (g *Graph) N() int { return g.vertices }

// Ends returns the edges, required and forbidden ones among them. The caller must not change them.
func (g *Graph) Ends() [][2]int32 { return g.ends }

func (g *Graph) arcsFrom(v int32) []arc { return g.arcs[g.first[v]:g.first[v+1]] }

// require writes 1 to the entries of the required edges and 0 to all others.
func (g *Graph) require(dst []int32) {
	clear(dst)
	for _, i := range g.required {
		dst[i] = 1
	}
}

// distances returns the number of edges on a shortest path from a vertex to each, −1 where there is none, and one of the
// vertices farthest away.
func (g *Graph) distances(from int32) (distance []int32, farthest int32) {
	distance = make([]int32, g.n)
	for v := range distance {
		distance[v] = -1
	}
	distance[from] = 0
	queue := append(make([]int32, 0, g.n), from)
	for i := 0; i < len(queue); i++ {
		for _, a := range g.arcsFrom(queue[i]) {
			if distance[a.to] < 0 {
				distance[a.to] = distance[queue[i]] + 1
				queue = append(queue, a.to)
			}
		}
	}
	return distance, queue[len(queue)-1]
}

// central returns the vertex that random walks are to end in: of those with most edges the one whose larger distance
// from two vertices far from one another is least. On a square grid of 64 vertices walks to it take half as many steps
// as to a corner.
func (g *Graph) central() (root int32) {
	_, one := g.distances(0)
	fromOne, other := g.distances(one)
	fromOther, _ := g.distances(other)
	rank := func(v int32) (degree, distance int32) {
		return g.first[v+1] - g.first[v], max(fromOne[v], fromOther[v])
	}
	for v := range int32(g.n) {
		degree, distance := rank(v)
		most, least := rank(root)
		if degree > most || degree == most && distance < least {
			root = v
		}
	}
	return root
}

// workspace is the scratch of sampling, of exchanges and of Kruskal's algorithm.
type workspace struct {
	exit   []int32  // Wilson: the arc by which the walk left a vertex last; exchanges: the edge from a vertex to the next
	next   []int32  // exchanges: the next vertex on the way to an end of the new edge
	queue  []int32  // exchanges: vertices reached
	inside []bool   // Wilson: whether a vertex is in the tree; exchanges: whether it is reached
	order  []ranked // Kruskal
	forest Forest
}

// ranked is a link in the order of weights.
type ranked struct {
	weight float64
	link   int32
}

func (g *Graph) borrow() *workspace {
	w, ok := g.workspace.Get().(*workspace)
	if !ok {
		w = &workspace{
			exit:   make([]int32, g.n),
			next:   make([]int32, g.n),
			inside: make([]bool, g.n),
			order:  make([]ranked, len(g.links)),
		}
	}
	return w
}
