// Package cut finds bipartite subgraphs of large weight: sets of edges such that the vertices can be put on two sides
// with no edge between vertices of one side. With positive weights that is the problem of the largest cut, which is
// NP-hard (Karp, 1972).
//
// Vertices with one neighbour cost nothing and are left out until none remains. Connected components of the rest are
// solved one by one: by branch and bound up to MostVertices vertices, otherwise by local search. No cut holds all edges of
// a triangle, so that triangles that share no weight bound what is lost at least.
//
// Edges may also ask for one side instead of two, as they do where vertices whose sides are tied to each other are contracted. A triangle
// then loses an edge if an even number of its edges asks for that.
package cut

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// MostVertices is the size of components that are solved exactly. Complete graphs of this size with equal weights, the
	// worst case found, take 0.2 s.
	MostVertices = 24
	// starts is the number of random starts of local search.
	starts = 8
	// triangleSteps bounds the work on triangles.
	triangleSteps = 1 << 26
	// tolerance is the fraction of all weight by which losses may differ and count as equal.
	tolerance = 1e-13
)

// Problem is a graph with weights. It is not safe for concurrent use.
type Problem struct {
	n          int
	edges      [][2]int32
	same       []bool // whether an edge asks for one side; nil: none does
	weights    []float64
	total      float64 // of positive weights
	first      []int32 // arcs from v are arcs[first[v]:first[v+1]], those of edges of positive weight
	arcs       []arc
	leaves     []int32   // vertices in the order in which they had at most one neighbour left
	left       []bool    // whether a vertex is out of the rest by that
	components [][]int32 // of the rest, vertices in the order of branching
	side       []bool
}

type arc struct {
	to     int32
	edge   int32
	same   bool
	weight float64
}

// New prepares a problem on the vertices 0..n−1, with finite weights. Edges of negative weight or 0 are left out of all
// solutions. The slices are kept. Cost: O(n + m) beside ordering components, which takes O(k²) for k vertices.
func New(n int, edges [][2]int32, weights []float64) *Problem {
	return NewSigned(n, edges, nil, weights)
}

// NewSigned is New where edges may ask for one side, those for which same is true: these are kept if their ends are on one side. Edges may
// be parallel; those of positive weight must not be loops.
func NewSigned(n int, edges [][2]int32, same []bool, weights []float64) *Problem {
	p := &Problem{n: n, edges: edges, same: same, weights: weights,
		first: make([]int32, n+1), left: make([]bool, n), side: make([]bool, n)}
	for i, e := range edges {
		if weights[i] > 0 {
			p.total += weights[i]
			p.first[e[0]+1]++
			p.first[e[1]+1]++
		}
	}
	for v := range n {
		p.first[v+1] += p.first[v]
	}
	p.arcs = make([]arc, p.first[n])
	next := slices.Clone(p.first[:n])
	for i, e := range edges {
		if weights[i] > 0 {
			for k, v := range e {
				p.arcs[next[v]] = arc{e[1-k], int32(i), p.asksSame(i), weights[i]}
				next[v]++
			}
		}
	}
	p.strip()
	p.split()
	return p
}

func (p *Problem) asksSame(edge int) bool { return p.same != nil && p.same[edge] }

func (p *Problem) arcsFrom(v int32) []arc { return p.arcs[p.first[v]:p.first[v+1]] }

// strip leaves out vertices with at most one neighbour that is not left out.
func (p *Problem) strip() {
	degree := make([]int32, p.n)
	for v := range int32(p.n) {
		if degree[v] = p.first[v+1] - p.first[v]; degree[v] <= 1 {
			p.leaves = append(p.leaves, v)
			p.left[v] = true
		}
	}
	for i := 0; i < len(p.leaves); i++ {
		for _, a := range p.arcsFrom(p.leaves[i]) {
			if degree[a.to]--; degree[a.to] <= 1 && !p.left[a.to] {
				p.leaves = append(p.leaves, a.to)
				p.left[a.to] = true
			}
		}
	}
}

// split finds the components of the rest. Each begins with a vertex of largest weight and goes on with the one that has
// most weight to those before it, so that losses show early.
func (p *Problem) split() {
	seen := make([]bool, p.n)
	drawn := make([]float64, p.n) // weight to the vertices of the component so far
	for start := range int32(p.n) {
		if p.left[start] || seen[start] {
			continue
		}
		open := []int32{start} // reached, not in the component yet
		seen[start] = true
		var component []int32
		for len(open) > 0 {
			best := 0
			for i, v := range open {
				if drawn[v] > drawn[open[best]] {
					best = i
				}
			}
			v := open[best]
			open[best] = open[len(open)-1]
			open = open[:len(open)-1]
			component = append(component, v)
			for _, a := range p.arcsFrom(v) {
				if p.left[a.to] {
					continue
				}
				drawn[a.to] += a.weight
				if !seen[a.to] {
					seen[a.to] = true
					open = append(open, a.to)
				}
			}
		}
		p.components = append(p.components, component)
	}
}

// Hardest returns the number of vertices of the largest component to be solved.
func (p *Problem) Hardest() (most int) {
	for _, c := range p.components {
		most = max(most, len(c))
	}
	return most
}

// Solve marks the edges of a heaviest bipartite subgraph in chosen. Hardest must be at most MostVertices. Cost:
// exponential in that.
func (p *Problem) Solve(chosen []bool) {
	for _, c := range p.components {
		p.start(c)
		p.climb(c)
		newBranching(p, c).run()
	}
	p.finish(chosen)
}

// Start marks a bipartite subgraph with at least half of the positive weight, vertices being put where they lose least one
// after the other, and returns a proven bound on the weight of all.
func (p *Problem) Start(chosen []bool) (bound float64) {
	for _, c := range p.components {
		p.start(c)
	}
	p.finish(chosen)
	return p.bound()
}

// Search improves on Start by moving single vertices, from several starts, and solves small components exactly. poll may
// be nil; its first error ends the work and is returned.
func (p *Problem) Search(chosen []bool, poll func() error) (bound float64, err error) {
	bound = p.bound()
	for _, c := range p.components {
		p.start(c)
		p.climb(c)
		if len(c) <= MostVertices {
			newBranching(p, c).run()
			continue
		}
		rng := rand.New(rand.NewPCG(0, 0))
		best, lost := p.sides(c), p.lost(c)
		for range starts {
			if poll != nil {
				if err := poll(); err != nil {
					return 0, err
				}
			}
			for _, v := range c {
				p.side[v] = rng.Uint64()&1 == 1
			}
			p.climb(c)
			if l := p.lost(c); l < lost {
				best, lost = p.sides(c), l
			}
		}
		for i, v := range c {
			p.side[v] = best[i]
		}
	}
	p.finish(chosen)
	if p.Hardest() <= MostVertices {
		bound = 0
		for i, in := range chosen {
			if in {
				bound += p.weights[i]
			}
		}
	}
	return bound, nil
}

func (p *Problem) sides(c []int32) []bool {
	sides := make([]bool, len(c))
	for i, v := range c {
		sides[i] = p.side[v]
	}
	return sides
}

// start puts the vertices of a component where they lose least.
func (p *Problem) start(c []int32) {
	placed := make(map[int32]bool, len(c))
	for _, v := range c {
		var lost [2]float64
		for _, a := range p.arcsFrom(v) {
			if placed[a.to] {
				lost[b2i(p.side[a.to] != a.same)] += a.weight
			}
		}
		p.side[v] = lost[1] < lost[0]
		placed[v] = true
	}
}

// loses reports whether an arc from v is lost with the sides as they are.
func (p *Problem) loses(v int32, a arc) bool { return (p.side[a.to] == p.side[v]) != a.same }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// climb moves single vertices while that gains.
func (p *Problem) climb(c []int32) {
	slack := tolerance * p.total
	for moved := true; moved; {
		moved = false
		for _, v := range c {
			var gain float64
			for _, a := range p.arcsFrom(v) {
				switch {
				case p.left[a.to]:
				case p.loses(v, a):
					gain += a.weight
				default:
					gain -= a.weight
				}
			}
			if gain > slack {
				p.side[v] = !p.side[v]
				moved = true
			}
		}
	}
}

// lost returns the weight between vertices of a component on one side.
func (p *Problem) lost(c []int32) (sum float64) {
	for _, v := range c {
		for _, a := range p.arcsFrom(v) {
			if a.to > v && !p.left[a.to] && p.loses(v, a) {
				sum += a.weight
			}
		}
	}
	return sum
}

// finish puts the vertices that were left out where they lose nothing, the last ones first, and marks the edges.
func (p *Problem) finish(chosen []bool) {
	out := slices.Clone(p.left)
	for _, v := range slices.Backward(p.leaves) {
		p.side[v] = false
		for _, a := range p.arcsFrom(v) {
			if !out[a.to] {
				p.side[v] = p.side[a.to] == a.same
			}
		}
		out[v] = false
	}
	for i, e := range p.edges {
		chosen[i] = p.weights[i] > 0 && (p.side[e[0]] == p.side[e[1]]) == p.asksSame(i)
	}
}

// bound returns all positive weight less what triangles lose: as long as all three edges of one that loses have weight left, that of
// the lightest is lost, and taken from all three.
func (p *Problem) bound() float64 {
	rest := make([]float64, len(p.edges))
	for i, w := range p.weights {
		rest[i] = max(w, 0)
	}
	third := make([]int32, p.n) // for the neighbours of u: one more than the edge to it
	lost, steps := 0.0, 0
	for u := range int32(p.n) {
		for _, a := range p.arcsFrom(u) {
			third[a.to] = a.edge + 1
		}
		for _, a := range p.arcsFrom(u) {
			if a.to < u || steps > triangleSteps {
				continue
			}
			for _, b := range p.arcsFrom(a.to) {
				steps++
				if b.to < a.to || third[b.to] == 0 {
					continue
				}
				c := third[b.to] - 1
				if a.same != b.same != p.asksSame(int(c)) {
					continue // all three can be kept
				}
				if least := min(rest[a.edge], rest[b.edge], rest[c]); least > 0 {
					rest[a.edge] -= least
					rest[b.edge] -= least
					rest[c] -= least
					lost += least
				}
			}
		}
		for _, a := range p.arcsFrom(u) {
			third[a.to] = 0
		}
	}
	return math.Max(0, p.total-lost)
}
