package spanning

import (
	"math"
	"math/bits"
	"slices"
)

// elimination is the order in which vertices are eliminated and the meshes that this leaves: the positions of the
// elimination tree, numbers aside. Vertices are renamed by their place in the order.
type elimination struct {
	place []int32 // of each vertex
	first []int   // the neighbours of the vertex at place k when it goes are col[first[k]:first[k+1]], ascending
	col   []int32
	edges []int // where in col each edge of the graph is
}

func (e *elimination) later(k int) []int32 { return e.col[e.first[k]:e.first[k+1]] }

// order eliminates vertices of smallest degree first, the smallest index among equals, which keeps sparse graphs sparse.
// Cost: O(n²) and n/64 word operations for every entry of col.
func (g *Graph) order() *elimination {
	n, words := g.n, (g.n+63)/64
	adjacent := make([]uint64, n*words)
	row := func(v int) []uint64 { return adjacent[v*words : (v+1)*words] }
	degree := make([]int, n)
	for _, e := range g.ends {
		u, v := e[0], e[1]
		row(int(u))[v/64] |= 1 << (v % 64)
		row(int(v))[u/64] |= 1 << (u % 64)
		degree[u]++
		degree[v]++
	}
	e := &elimination{place: make([]int32, n), first: make([]int, 1, n+1)}
	gone := make([]bool, n)
	for k := range n {
		v := -1
		for u := range n {
			if !gone[u] && (v < 0 || degree[u] < degree[v]) {
				v = u
			}
		}
		gone[v] = true
		e.place[v] = int32(k)
		star := row(v)
		for w, word := range star {
			for ; word != 0; word &= word - 1 {
				e.col = append(e.col, int32(64*w+bits.TrailingZeros64(word)))
			}
		}
		e.first = append(e.first, len(e.col))
		for _, u := range e.later(k) {
			r := row(int(u))
			degree[u] = -1 // for itself, which its row holds for a moment
			for w, word := range star {
				r[w] |= word
				degree[u] += bits.OnesCount64(r[w])
			}
			r[u/64] &^= 1 << (u % 64)
			r[v/64] &^= 1 << (v % 64)
			degree[u]-- // for v
		}
	}
	for i, u := range e.col {
		e.col[i] = e.place[u]
	}
	for k := range n {
		slices.Sort(e.later(k))
	}
	e.edges = make([]int, len(g.ends))
	for i, ends := range g.ends {
		a, b := e.place[ends[0]], e.place[ends[1]]
		at, _ := slices.BinarySearch(e.later(int(min(a, b))), max(a, b))
		e.edges[i] = e.first[min(a, b)] + at
	}
	return e
}

// network is the result of elimination in floats.
type network struct {
	*elimination
	share []float64 // of each entry of col: its conductance over that of the star
	total []float64 // the conductance of the star of each place, 0 for the last
}

// eliminate replaces star after star by its mesh: a star with conductances c_i and sum s has the mesh c_i c_j / s. Cost:
// the sum of the squares of the degrees at elimination, at most n³/6 operations.
func (g *Graph) eliminate() *network {
	e := g.symbolic()
	t := &network{elimination: e, share: make([]float64, len(e.col)), total: make([]float64, g.n)}
	c := t.share
	for _, at := range e.edges {
		c[at] = 1
	}
	for k := range g.n {
		star, lo := e.later(k), e.first[k]
		for i := range star {
			t.total[k] += c[lo+i]
		}
		for i, u := range star {
			share := c[lo+i] / t.total[k]
			at := e.first[u]
			for j, v := range star[i+1:] {
				for e.col[at] != v {
					at++
				}
				c[at] += share * c[lo+i+1+j]
			}
		}
		for i := range star {
			c[lo+i] /= t.total[k]
		}
	}
	return t
}

// LogCount returns the natural logarithm of the number of spanning trees: the sum of those of the conductances, the
// pivots of the Laplacian (Kirchhoff's matrix-tree theorem).
func (g *Graph) LogCount() float64 {
	t := g.numeric()
	var sum float64
	for _, s := range t.total[:g.n-1] {
		sum += math.Log(s)
	}
	return sum
}
