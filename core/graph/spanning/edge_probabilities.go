package spanning

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"combpred/core/logsum"
	"combpred/core/parallel"
)

// MaxSummed is the largest number of vertices of a graph whose EdgesTo finds probabilities: it takes some seconds there.
const MaxSummed = 1 << 10

// mostDirect bounds the logarithms of the conductances that elimination may come to, up to which they are kept as numbers
// and not as logarithms.
const mostDirect = 600

// reduction finds effective conductances between the ends of all edges.
//
// When all vertices but the ends of an edge are eliminated, the conductance c left between them has the edge's own w in it
// and the edge is in a tree with probability w/c (Kirchhoff, 1847). Nothing is subtracted, so that every probability keeps
// its digits, which differences of potentials do not for conductances of different orders. To share the eliminations the
// vertices are split in three parts: each edge has its ends in two of them, and the third is eliminated for all these edges
// together. The cost is T(n) = 3 T(2n/3) + O(n³) = O(n³).
type reduction struct {
	n       int
	logs    bool
	weight  []float64 // of the edges: conductances or their logarithms
	edge    []int32   // n×n: the edge between two vertices, −1 for none
	p       []float64 // probabilities, negative as long as they are not known
	buffers [][]float64
	poll    parallel.Poll
}

// EdgesTo writes to p the probability that each edge is in a random tree, where the probability of a tree is proportional to
// exp of the sum of its weights. It is for graphs of at most MaxSummed vertices. An error of poll, which may be nil, ends the
// work and is returned. Cost: about n³ operations for a complete graph.
func (g *Graph) EdgesTo(p, weight []float64, poll func() error) error {
	r := &reduction{n: g.n, p: p, weight: make([]float64, len(weight)), edge: make([]int32, g.n*g.n)}
	r.poll.Reset(poll)
	r.weigh(weight)
	for i := range r.edge {
		r.edge[i] = -1
	}
	for i, e := range g.ends {
		r.edge[int(e[0])*g.n+int(e[1])], r.edge[int(e[1])*g.n+int(e[0])] = int32(i), int32(i)
		p[i] = -1
	}
	vertices := make([]int32, g.n)
	for v := range vertices {
		vertices[v] = int32(v)
	}
	conductance := r.buffer(0, g.n*g.n)
	for u := range g.n {
		for v := range u {
			conductance[u*g.n+v] = r.nothing()
			if e := r.edge[u*g.n+v]; e >= 0 {
				conductance[u*g.n+v] = r.weight[e]
			}
		}
	}
	r.solve(1, vertices, conductance, g.n)
	return r.poll.Err()
}

// weigh decides on logarithms. A conductance after elimination is a ratio of sums over forests, of which there are at most
// nⁿ, each weighing at most exp(n·spread) more than another.
func (r *reduction) weigh(weight []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, w := range weight {
		low, high = min(low, w), max(high, w)
	}
	n := float64(r.n)
	r.logs = !(n*(high-low)+n*math.Log(n) <= mostDirect)
	for i, w := range weight {
		r.weight[i] = w - high
		if !r.logs {
			r.weight[i] = math.Exp(w - high)
		}
	}
}

// nothing returns the conductance of no edge.
func (r *reduction) nothing() float64 {
	if r.logs {
		return math.Inf(-1)
	}
	return 0
}

// buffer returns the scratch of a depth of recursion.
func (r *reduction) buffer(depth, size int) []float64 {
	for len(r.buffers) <= depth {
		r.buffers = append(r.buffers, nil)
	}
	if cap(r.buffers[depth]) < size {
		r.buffers[depth] = make([]float64, size)
	}
	return r.buffers[depth][:size]
}

// solve finds the probabilities of the edges between the given vertices, of which no others are left. Their conductances
// are below the diagonal of a matrix with the given stride.
func (r *reduction) solve(depth int, vertices []int32, conductance []float64, stride int) {
	m := len(vertices)
	if m == 2 {
		e := r.edge[int(vertices[0])*r.n+int(vertices[1])]
		if r.logs {
			r.p[e] = logsum.Share(r.weight[e], conductance[stride])
		} else {
			r.p[e] = min(r.weight[e]/conductance[stride], 1)
		}
		return
	}
	if r.poll.Stopped() {
		return
	}
	cuts := [4]int{0, (m + 2) / 3, (m+2)/3 + (m+1)/3, m}
	order := make([]int, m) // the vertices kept, then those eliminated
	kept := make([]int32, m)
	for gone := range 3 {
		k, last := 0, m-(cuts[gone+1]-cuts[gone])
		keep := last
		for i := range vertices {
			if i >= cuts[gone] && i < cuts[gone+1] {
				order[last] = i
				last++
			} else {
				order[k], kept[k] = i, vertices[i]
				k++
			}
		}
		if !r.pending(kept[:keep]) {
			continue
		}
		child := r.buffer(depth, m*m)
		for i, a := range order {
			for j, b := range order[:i] {
				child[i*m+j] = conductance[max(a, b)*stride+min(a, b)]
			}
		}
		for v := m - 1; v >= keep; v-- {
			r.eliminate(child, m, v)
		}
		r.solve(depth+1, kept[:keep:keep], child, m)
	}
}

// pending reports whether the probability of some edge between the vertices is not known.
func (r *reduction) pending(vertices []int32) bool {
	for i, u := range vertices {
		for _, v := range vertices[:i] {
			if e := r.edge[int(u)*r.n+int(v)]; e >= 0 && r.p[e] < 0 {
				return true
			}
		}
	}
	return false
}

// eliminate replaces the star of vertex v, the last one left, by its mesh.
func (r *reduction) eliminate(c []float64, stride, v int) {
	star := c[v*stride : v*stride+v]
	if r.logs {
		total := logsum.Of(star)
		for i, a := range star {
			if math.IsInf(a, -1) {
				continue
			}
			row := c[i*stride : i*stride+i]
			for j := range row {
				row[j] = logsum.Add(row[j], a+star[j]-total)
			}
		}
		return
	}
	var total float64
	for _, a := range star {
		total += a
	}
	for i, a := range star {
		if a == 0 {
			continue
		}
		share, row := a/total, c[i*stride:i*stride+i]
		floats.AddScaled(row, share, star[:len(row)])
	}
}
