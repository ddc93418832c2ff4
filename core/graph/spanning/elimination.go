package spanning

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"

	"combpred/core/parallel"
)

// elimination is the order in which vertices are eliminated and the meshes that this leaves: the positions of the
// elimination tree, numbers aside. Vertices are renamed by their place in the order.
type elimination struct {
	place []int32 // of each vertex
	first []int   // the neighbours of the vertex at place k when it goes are col[first[k]:first[k+1]], ascending
	col   []int32
	links []int // where in col each link of the graph is
}

func (e *elimination) later(k int) []int32 { return e.col[e.first[k]:e.first[k+1]] }

// work returns half the sum of the squares of the degrees at elimination: the products that it takes.
func (e *elimination) work() (products float64) {
	for k := range len(e.first) - 1 {
		degree := float64(e.first[k+1] - e.first[k])
		products += degree * degree / 2
	}
	return products
}

// order eliminates vertices of smallest degree first, the smallest index among equals, which keeps sparse graphs sparse. As soon as all
// vertices that are left are neighbours, they stay so, and nothing is to be found out. Cost: O(n²), an operation for every entry of col,
// and n/64 word operations for those from before.
func (g *Graph) order() *elimination {
	n, words := g.n, (g.n+63)/64
	adjacent := make([]uint64, n*words)
	row := func(v int) []uint64 { return adjacent[v*words : (v+1)*words] }
	degree := make([]int, n)
	for _, l := range g.links {
		row(int(l.u))[l.v/64] |= 1 << (l.v % 64)
		row(int(l.v))[l.u/64] |= 1 << (l.u % 64)
	}
	for v := range degree { // parallel links count once
		for _, word := range row(v) {
			degree[v] += bits.OnesCount64(word)
		}
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
		if degree[v] == n-1-k {
			e.finish(gone)
			break
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
	e.links = make([]int, len(g.links))
	for i, l := range g.links {
		a, b := e.place[l.u], e.place[l.v]
		at, _ := slices.BinarySearch(e.later(int(min(a, b))), max(a, b))
		e.links[i] = e.first[min(a, b)] + at
	}
	return e
}

// finish eliminates the vertices that are left, which are all neighbours, in ascending order.
func (e *elimination) finish(gone []bool) {
	var left []int32
	for v, isGone := range gone {
		if !isGone {
			left = append(left, int32(v))
		}
	}
	e.col = slices.Grow(e.col, len(left)*(len(left)-1)/2)
	for i, v := range left {
		e.place[v] = int32(len(gone) - len(left) + i)
		e.col = append(e.col, left[i+1:]...)
		e.first = append(e.first, len(e.col))
	}
}

// leastConductance is the smallest conductance, the largest being 1, up to which what underflows on the way to it does not matter: no
// conductance exceeds the degree of a vertex, so that a mesh loses less than 2⁻¹⁰⁶⁰ of it.
const leastConductance = 0x1p-960

// numbers is an elimination in floats. A star with conductances c_i and sum s has the mesh c_i c_j / s.
type numbers struct {
	*elimination
	c      []float64 // of each entry of col: the conductance of its edge when its star goes
	total  []float64 // of the star of each place, for all but the last
	mesh   []float64 // of each pair of neighbours of each place, if wanted: what the mesh has in the edge that the pair gets
	share  []float64 // resist: of the neighbours of a place in its star
	spread []float64 // resist: of the neighbours of a place: the mean resistance to those it was joined to
	poll   parallel.Poll
}

// reset makes all conductances 0.
func (t *numbers) reset(e *elimination) {
	if t.elimination != e {
		n := len(e.place)
		*t = numbers{elimination: e, c: make([]float64, len(e.col)), total: make([]float64, n-1)}
		t.share, t.spread = make([]float64, n), make([]float64, n)
	}
	clear(t.c)
	t.mesh = t.mesh[:0]
}

// eliminate replaces star after star by its mesh. It reports whether it came to an end without conductances too small for floats;
// it does not if poll stops it, either. Cost: the sum of the squares of the degrees at elimination, at most n³/6 operations.
func (t *numbers) eliminate(meshes bool) bool {
	c := t.c
	for k := range t.total {
		if t.poll.Stopped() {
			return false
		}
		star, x := t.later(k), c[t.first[k]:t.first[k+1]]
		var total float64
		for _, v := range x {
			if !(v >= leastConductance) {
				return false
			}
			total += v
		}
		t.total[k] = total
		for i, u := range star {
			at, share := t.first[u], x[i]/total
			if rest := len(star) - i - 1; rest == t.first[u+1]-at { // the star of u has no other neighbours
				floats.AddScaled(c[at:at+rest], share, x[i+1:])
				for j := 0; meshes && j < rest; j++ {
					t.mesh = append(t.mesh, share*x[i+1+j]/c[at+j])
				}
				continue
			}
			for j, v := range star[i+1:] {
				for t.col[at] != v {
					at++
				}
				mesh := share * x[i+1+j]
				c[at] += mesh
				if meshes {
					t.mesh = append(t.mesh, mesh/c[at])
				}
			}
		}
	}
	return true
}

// resist replaces the conductances that eliminate left by the effective resistances of the network between the same places, from the last
// star to the first. Let p be the shares of the star of k, of total s. As a random walk from k leads to i with probability p_i, the
// potentials at k are means of those at its neighbours, and
//
//	R(i, k) = 1/s + Σ_j p_j R(i, j) − ½ Σ_jl p_j p_l R(j, l).
//
// The difference is harmless at any scale of conductances: R(i, j) ≤ R(i, k) + R(k, j), so that the first sum is at most
// R(i, k) + Σ_j q_j/s ≤ (1 + Σ q) R(i, k) for the probabilities q of the edges of the star, whose sum is the mean degree of k in a
// tree, about 2. Errors made in later stars add up, but are not multiplied, since R at earlier ones is that formula for the probabilities
// of where a walk enters the later ones. Cost: at most n³/3 operations.
func (t *numbers) resist() {
	for k := len(t.total) - 1; k >= 0 && !t.poll.Stopped(); k-- {
		star, x := t.later(k), t.c[t.first[k]:t.first[k+1]]
		p, mean := t.share[:len(star)], t.spread[:len(star)]
		floats.ScaleTo(p, 1/t.total[k], x)
		clear(mean)
		for i, u := range star {
			at, rest := t.first[u], p[i+1:]
			if len(rest) == t.first[u+1]-at {
				r := t.c[at : at+len(rest)]
				mean[i] += floats.Dot(rest, r)
				floats.AddScaled(mean[i+1:], p[i], r)
				continue
			}
			for j, v := range star[i+1:] {
				for t.col[at] != v {
					at++
				}
				mean[i] += rest[j] * t.c[at]
				mean[i+1+j] += p[i] * t.c[at]
			}
		}
		within := floats.Dot(p, mean) / 2
		for i, r := range mean {
			x[i] = 1/t.total[k] + r - within
		}
	}
}

// network is the elimination of the graph with unit conductances.
type network struct {
	*elimination
	share []float64 // of each entry of col: its conductance over that of the star
	total []float64 // the conductance of the star of each place, for all but the last
}

func (g *Graph) eliminate() *network {
	t := new(numbers)
	t.reset(g.symbolic())
	for _, at := range t.links {
		t.c[at]++
	}
	t.eliminate(false) // never fails: no conductance gets less than 1
	for k, total := range t.total {
		for i := t.first[k]; i < t.first[k+1]; i++ {
			t.c[i] /= total
		}
	}
	return &network{t.elimination, t.c, t.total}
}

// LogCount returns the natural logarithm of the number of spanning trees: the sum of those of the conductances, the
// pivots of the Laplacian (Kirchhoff's matrix-tree theorem).
func (g *Graph) LogCount() float64 {
	var sum float64
	for _, s := range g.numeric().total {
		sum += math.Log(s)
	}
	return sum
}
