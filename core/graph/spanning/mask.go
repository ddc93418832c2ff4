package spanning

import (
	"fmt"
	"slices"
	"strings"
)

// State is what a mask says of an edge.
type State int8

const (
	Free      State = iota // trees with the edge and without it are allowed
	Required               // only trees that have the edge
	Forbidden              // only trees that do not have it
)

// CycleError says that edges which a tree is to have form a cycle.
type CycleError struct {
	Edges []int32 // the edges of the cycle, ascending
}

func (e *CycleError) Error() string {
	return fmt.Sprintf("spanning: the required edges %s form a cycle", listed(e.Edges))
}

// DisconnectedError says that a graph has no spanning tree, or none without the edges that are forbidden.
type DisconnectedError struct {
	From, To int32   // two vertices that no path joins
	Side     []int32 // the vertices that paths from From reach, ascending
	Cut      []int32 // the forbidden edges between them and all others, ascending; none if nothing is forbidden
}

func (e *DisconnectedError) Error() string {
	text := fmt.Sprintf("spanning: no path joins the vertices %d and %d", e.From, e.To)
	if len(e.Cut) > 0 {
		text += " without the forbidden edges " + listed(e.Cut)
	}
	return text
}

// listed returns numbers as text, at most the first ten.
func listed(numbers []int32) string {
	const most = 10
	var text strings.Builder
	for i, v := range numbers[:min(len(numbers), most)] {
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprint(&text, v)
	}
	if more := len(numbers) - most; more > 0 {
		fmt.Fprintf(&text, " and %d more", more)
	}
	return text.String()
}

// Restrict returns the graph whose spanning trees are those of g that a mask allows; it says for each edge of g what it may be. Vectors
// of the new graph still have an entry for every edge of g: 1 for the required edges and 0 for the forbidden ones. If g itself is
// restricted, its mask is replaced, not added to. An error is a *CycleError or a *DisconnectedError, which says why no tree is left.
//
// Required edges are contracted and forbidden ones deleted, here and once. What is left is a multigraph on fewer vertices, and all
// methods work on that, so that a mask makes them faster. Cost: nearly O(n + d).
func (g *Graph) Restrict(state []State) (*Graph, error) { return restrict(g.vertices, g.ends, state) }

// contract joins the ends of the required edges: home becomes the vertex of the multigraph that each vertex is in.
func (g *Graph) contract(state []State) error {
	var f Forest
	f.Reset(g.vertices)
	for i, s := range state {
		if s != Required {
			continue
		}
		g.required = append(g.required, int32(i))
		if !f.Join(g.ends[i][0], g.ends[i][1]) {
			return &CycleError{Edges: g.cycle(g.required)}
		}
	}
	g.home = make([]int32, g.vertices)
	number := make([]int32, g.vertices) // of the tree of each root, from 1
	for v := range g.home {
		root := f.Root(int32(v))
		if number[root] == 0 {
			g.n++
			number[root] = int32(g.n)
		}
		g.home[v] = number[root] - 1
	}
	return nil
}

// cycle returns the edges of the only cycle that some edges have: what remains when those that end at a leaf go, again and again.
func (g *Graph) cycle(edges []int32) []int32 {
	degree := make([]int, g.vertices)
	for _, i := range edges {
		degree[g.ends[i][0]]++
		degree[g.ends[i][1]]++
	}
	left := slices.Clone(edges)
	for before := len(left) + 1; len(left) < before; {
		before = len(left)
		left = slices.DeleteFunc(left, func(i int32) bool {
			u, v := g.ends[i][0], g.ends[i][1]
			if degree[u] > 1 && degree[v] > 1 {
				return false
			}
			degree[u]--
			degree[v]--
			return true
		})
	}
	return left
}

// connected returns nil, or a *DisconnectedError if no path leads from the first vertex to some other.
func (g *Graph) connected(state []State) error {
	distance, _ := g.distances(0)
	if !slices.Contains(distance, -1) {
		return nil
	}
	e := &DisconnectedError{To: -1}
	reached := func(v int32) bool { return distance[g.home[v]] >= 0 }
	for v := range int32(g.vertices) {
		switch {
		case reached(v):
			e.Side = append(e.Side, v)
		case e.To < 0:
			e.To = v
		}
	}
	for i, ends := range g.ends {
		if state[i] == Forbidden && reached(ends[0]) != reached(ends[1]) {
			e.Cut = append(e.Cut, int32(i))
		}
	}
	return e
}
