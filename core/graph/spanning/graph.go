// Package spanning solves the classical problems about spanning trees of a graph: counting them exactly, the
// probabilities of edges and pairs of edges in a uniform one, drawing one, listing all, and finding one of largest
// weight.
//
// Counting and probabilities share one elimination. A graph is an electrical network of unit resistances; eliminating a
// vertex replaces its star by a mesh of conductances between its neighbours. This is Gaussian elimination of the
// Laplacian, and it adds, multiplies and divides positive numbers only: in floats nothing cancels, so that every number
// keeps its relative precision (the argument of Grassmann, Taksar and Heyman, 1985), and modulo a prime the same loops
// give the number of trees.
package spanning

import (
	"fmt"
	"slices"
	"sync"
)

// Graph is a connected simple graph on the vertices 0..N−1 with numbered edges. It is immutable and safe for concurrent
// use; what is derived from it is computed once, when it is first asked for.
type Graph struct {
	n         int
	ends      [][2]int32
	first     []int32 // arcs from v are arcs[first[v]:first[v+1]]
	arcs      []arc
	symbolic  func() *elimination
	numeric   func() *network
	count     func() counted
	currents  func() *Currents
	root      func() int32
	workspace sync.Pool // of *workspace
}

type arc struct{ to, edge int32 }

// DisconnectedError says that a graph has no spanning tree.
type DisconnectedError struct {
	From, To int32 // two vertices that no path joins
}

func (e *DisconnectedError) Error() string {
	return fmt.Sprintf("no path joins the vertices %d and %d", e.From, e.To)
}

// New returns the graph on n vertices with the given edges, whose ends differ, lie in 0..n−1 and are not repeated. It
// returns a *DisconnectedError where the edges do not connect the vertices. The edges are kept, not copied. Cost: O(n +
// d) for d edges.
func New(n int, ends [][2]int32) (*Graph, error) {
	g := &Graph{n: n, ends: ends, first: make([]int32, n+1), arcs: make([]arc, 2*len(ends))}
	for _, e := range ends {
		g.first[e[0]+1]++
		g.first[e[1]+1]++
	}
	for v := range n {
		g.first[v+1] += g.first[v]
	}
	next := append([]int32(nil), g.first[:n]...)
	for i, e := range ends {
		for side, v := range e {
			g.arcs[next[v]] = arc{to: e[1-side], edge: int32(i)}
			next[v]++
		}
	}
	if v := g.unreached(); v >= 0 {
		return nil, &DisconnectedError{From: 0, To: v}
	}
	g.symbolic = sync.OnceValue(g.order)
	g.numeric = sync.OnceValue(g.eliminate)
	g.count = sync.OnceValue(g.countModular)
	g.currents = sync.OnceValue(g.solve)
	g.root = sync.OnceValue(g.central)
	return g, nil
}

// N returns the number of vertices.
func (g *Graph) N() int { return g.n }

// Ends returns the edges. The caller must not change them.
func (g *Graph) Ends() [][2]int32 { return g.ends }

func (g *Graph) arcsFrom(v int32) []arc { return g.arcs[g.first[v]:g.first[v+1]] }

// unreached returns the smallest vertex that no path joins to vertex 0, or −1.
func (g *Graph) unreached() int32 {
	distance, _ := g.distances(0)
	return int32(slices.Index(distance, -1))
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
	exit   []int32 // Wilson: the arc by which the walk left a vertex last; exchanges: the edge from a vertex to the next
	next   []int32 // exchanges: the next vertex on the way to an end of the new edge
	queue  []int32 // exchanges: vertices reached
	inside []bool  // Wilson: whether a vertex is in the tree; exchanges: whether it is reached
	order  []int32 // Kruskal: edges by weight
	forest Forest
}

func (g *Graph) borrow() *workspace {
	w, ok := g.workspace.Get().(*workspace)
	if !ok {
		w = &workspace{
			exit:   make([]int32, g.n),
			next:   make([]int32, g.n),
			inside: make([]bool, g.n),
			order:  make([]int32, len(g.ends)),
		}
	}
	return w
}
