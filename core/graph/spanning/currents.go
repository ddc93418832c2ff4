package spanning

// Currents holds the transfer currents of a graph: At(e, f) is the current through f when one unit enters at one end of
// e and leaves at the other, up to sign.
//
// The edges of a uniform spanning tree form a determinantal process with this kernel (Burton and Pemantle, 1993): an
// edge e is in the tree with probability At(e, e), and two edges are both in it with probability At(e, e) At(f, f) −
// At(e, f)².
type Currents struct {
	n         int
	ends      [][2]int32 // of each edge as given, in the multigraph; twice the same for required and forbidden ones
	required  []bool
	potential []float64 // n×n: of v when one unit enters at u and leaves at the ground
}

// Currents returns the transfer currents. Cost, the first time: that of elimination and n solutions, at most n³
// operations and n² numbers.
func (g *Graph) Currents() *Currents { return g.currents() }

// solve computes the potentials for a current into each vertex: forwards the current splits along each star in turn,
// backwards potentials average over it. Both only add products of positive numbers.
func (g *Graph) solve() *Currents {
	t, n := g.numeric(), g.n
	c := &Currents{n: n, ends: make([][2]int32, len(g.ends)), required: make([]bool, len(g.ends)), potential: make([]float64, n*n)}
	for _, l := range g.links {
		c.ends[l.edge] = [2]int32{l.u, l.v}
	}
	for _, i := range g.required {
		c.required[i] = true
	}
	x := make([]float64, n)
	for u := range n {
		clear(x)
		x[t.place[u]] = 1
		for k := int(t.place[u]); k < n-1; k++ {
			if x[k] == 0 {
				continue
			}
			for i, j := range t.later(k) {
				x[j] += x[k] * t.share[t.first[k]+i]
			}
		}
		x[n-1] = 0 // the ground
		for k := n - 2; k >= 0; k-- {
			x[k] /= t.total[k]
			for i, j := range t.later(k) {
				x[k] += x[j] * t.share[t.first[k]+i]
			}
		}
		row := c.potential[u*n : (u+1)*n]
		for v := range row {
			row[v] = x[t.place[v]]
		}
	}
	return c
}

// At returns the transfer current of the edges e and f, with the sign of their directions as given; 0 if a mask decides on one of them.
func (c *Currents) At(e, f int) float64 {
	u, v := c.potential[int(c.ends[e][0])*c.n:], c.potential[int(c.ends[e][1])*c.n:]
	x, y := c.ends[f][0], c.ends[f][1]
	return (u[x] - u[y]) - (v[x] - v[y])
}

// Edge returns the probability of an edge: 1 if it is required, 0 if it is forbidden, and otherwise At(e, e) without the excess that
// rounding may add.
func (c *Currents) Edge(e int) float64 {
	if c.required[e] {
		return 1
	}
	return min(max(c.At(e, e), 0), 1)
}

// Pair returns the probability that both edges are in the tree; Edge where they are the same.
func (c *Currents) Pair(e, f int) float64 {
	if e == f {
		return c.Edge(e)
	}
	t := c.At(e, f)
	return max(c.Edge(e)*c.Edge(f)-t*t, 0)
}
