// Package matching finds matchings of largest weight in general graphs: sets of edges of which no two share a vertex.
//
// It is Edmonds' algorithm (1965), in whose primal–dual form every vertex has a price y, every odd set of vertices that
// was shrunk to a blossom a price z, and an edge of weight w a slack y_u + y_v + Σ z − 2w ≥ 0, the sum being over the
// blossoms that hold both its ends. Trees of alternately unmatched and matched edges without slack grow from all single
// vertices at a time; an edge between two trees gives a larger matching, one within a tree a new blossom, and where there
// is neither the prices change. At the end Σ y/2 + Σ z (|B|−1)/4 equals the weight of the matching, which proves it.
//
// Weights are rounded to integers first, so that no slack is ever compared up to rounding. Cost: O(m) for each change of
// prices, of which there are O(n) for each of at most n/2 matched pairs.
package matching

import (
	"math"
	"math/bits"
	"slices"
)

// Edge joins two different vertices.
type Edge struct{ U, V int32 }

// scaleBits is the number of bits of the largest rounded weight of a component: what prices add up to fits an int64 for
// all of 2¹⁶ vertices, and with fewer bits for more.
const scaleBits = 44

// Largest marks the edges of a matching of largest weight on the vertices 0..n−1 in chosen, and returns an upper bound on
// the weight of all matchings: that of the chosen one, beside rounding. Weights must be finite and n at most 2²⁴; edges of
// negative weight or 0 are left out. poll may be nil; otherwise it is called before each change of prices, and its first
// error ends the work and is returned.
//
// Weights are rounded to 2⁻⁴⁴ of the largest of their component. So the chosen matching may fall short of the best by as
// much for each edge, which the bound takes into account.
func Largest(chosen []bool, n int, edges []Edge, weights []float64, poll func() error) (bound float64, err error) {
	clear(chosen)
	local := make([]int32, n) // number of a vertex in its component
	for _, component := range components(n, edges, weights) {
		vertices, largest := 0, 0.0
		for _, i := range component {
			largest = max(largest, weights[i])
			local[edges[i].U], local[edges[i].V] = -1, -1
		}
		for _, i := range component {
			for _, v := range [2]int32{edges[i].U, edges[i].V} {
				if local[v] < 0 {
					local[v] = int32(vertices)
					vertices++
				}
			}
		}
		_, exponent := math.Frexp(largest)
		exponent -= min(scaleBits, 60-bits.Len(uint(vertices)))
		s := newSearch(vertices)
		for _, i := range component {
			if scaled := int64(math.RoundToEven(math.Ldexp(weights[i], -exponent))); scaled > 0 {
				s.add(Edge{local[edges[i].U], local[edges[i].V]}, scaled, i)
			}
		}
		if err := s.run(poll); err != nil {
			return 0, err
		}
		// What the prices prove for rounded weights, and half a unit for each edge that rounding may hide.
		gap := float64(s.dual())/4 + float64(vertices/2)/2
		for v, e := range s.matched {
			if e >= 0 && s.edges[e].u == int32(v) {
				chosen[s.edges[e].number] = true
				bound += weights[s.edges[e].number]
				gap += 0.5 - float64(s.edges[e].weight)
			}
		}
		bound += math.Ldexp(gap, exponent)
	}
	return bound, nil
}

// components returns the numbers of the edges of positive weight in each connected component.
func components(n int, edges []Edge, weights []float64) (parts [][]int) {
	root := make([]int32, n)
	for v := range root {
		root[v] = int32(v)
	}
	find := func(v int32) int32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	for i, e := range edges {
		if weights[i] > 0 {
			root[find(e.U)] = find(e.V)
		}
	}
	number := make([]int32, n) // of the component with a root, from 1 on
	for i, e := range edges {
		if weights[i] <= 0 {
			continue
		}
		r := find(e.U)
		if number[r] == 0 {
			parts = append(parts, nil)
			number[r] = int32(len(parts))
		}
		parts[number[r]-1] = append(parts[number[r]-1], i)
	}
	return parts
}

const (
	unlabelled = iota
	outer      // S: reached by a matched edge, or the root of a tree
	inner      // T: reached by an unmatched edge
)

type edge struct {
	u, v   int32
	weight int64
	number int
}

// link is an edge by its ends: one on the near and one on the far side.
type link struct{ near, far int32 }

// search is one instance. Vertices are 0..n−1, blossoms n and up; both are called nodes. What is said of a node's label
// holds for outermost nodes alone.
type search struct {
	n        int
	edges    []edge
	incident [][]int32 // edges at each vertex
	mate     []int32   // −1: single
	matched  []int32   // the edge to the mate, after the run
	price    []int64   // y of vertices, z of blossoms
	top      []int32   // the outermost node that holds each vertex

	label    []int8
	entry    []link    // the edge by which a node got its label: near lies in the node before it; near −1: a root
	children [][]int32 // of blossoms: in their cyclic order, the one with the base first
	links    [][]link  // links[b][i] joins child i to the next one
	base     []int32   // the vertex that is not matched within the node
	parent   []int32   // the blossom that holds a node, −1 for none
	unused   []int32   // numbers of blossoms
	queue    []int32   // outer vertices whose edges are to be looked at
	seen     []int32   // outer nodes on the way to a root, by the number of the walk
	walks    int32
}

func newSearch(n int) *search {
	most := n + n/2 + 1
	s := &search{
		n: n, incident: make([][]int32, n), mate: make([]int32, n), matched: make([]int32, n), top: make([]int32, n),
		price: make([]int64, most), label: make([]int8, most), entry: make([]link, most),
		children: make([][]int32, most), links: make([][]link, most),
		base: make([]int32, most), parent: make([]int32, most), seen: make([]int32, most),
	}
	for v := range int32(n) {
		s.mate[v], s.matched[v], s.top[v], s.base[v] = -1, -1, v, v
	}
	for v := range s.parent {
		s.parent[v] = -1
	}
	for b := most - 1; b >= n; b-- {
		s.unused = append(s.unused, int32(b))
	}
	return s
}

func (s *search) add(e Edge, weight int64, number int) {
	s.incident[e.U] = append(s.incident[e.U], int32(len(s.edges)))
	s.incident[e.V] = append(s.incident[e.V], int32(len(s.edges)))
	s.edges = append(s.edges, edge{e.U, e.V, weight, number})
}

// slack is that of an edge whose ends lie in different outermost nodes.
func (s *search) slack(e *edge) int64 { return s.price[e.u] + s.price[e.v] - 2*e.weight }

// run finds the matching: each round adds a pair, until the prices of single vertices are 0.
func (s *search) run(poll func() error) error {
	var most int64
	for _, e := range s.edges {
		most = max(most, e.weight)
	}
	for v := range s.n {
		s.price[v] = most
	}
	for {
		more, err := s.round(poll)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		for b := int32(s.n); b < int32(len(s.price)); b++ {
			s.dissolve(b)
		}
	}
	for i, e := range s.edges {
		if s.mate[e.u] == e.v {
			s.matched[e.u], s.matched[e.v] = int32(i), int32(i)
		}
	}
	return nil
}

// round grows trees from all single vertices until two of them meet, and reports whether they did.
func (s *search) round(poll func() error) (bool, error) {
	for i := range s.label {
		s.label[i] = unlabelled
	}
	s.queue = s.queue[:0]
	for v := range int32(s.n) {
		if b := s.top[v]; s.mate[v] < 0 {
			s.makeOuter(b, link{-1, v})
		}
	}
	for {
		if poll != nil {
			if err := poll(); err != nil {
				return false, err
			}
		}
		if s.scan() {
			return true, nil
		}
		if !s.reprice() {
			return false, nil
		}
	}
}

// makeOuter labels a node and lists its vertices.
func (s *search) makeOuter(b int32, entry link) {
	s.label[b], s.entry[b] = outer, entry
	s.eachVertex(b, func(v int32) { s.queue = append(s.queue, v) })
}

// makeInner labels a node, and the mate of its base.
func (s *search) makeInner(b int32, entry link) {
	s.label[b], s.entry[b] = inner, entry
	from := s.base[b]
	s.makeOuter(s.top[s.mate[from]], link{from, s.mate[from]})
}

func (s *search) eachVertex(b int32, f func(v int32)) {
	if b < int32(s.n) {
		f(b)
		return
	}
	for _, c := range s.children[b] {
		s.eachVertex(c, f)
	}
}

// scan looks at the edges of listed vertices that have no slack, and reports whether two trees met.
func (s *search) scan() bool {
	for len(s.queue) > 0 {
		v := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		for _, i := range s.incident[v] {
			e := &s.edges[i]
			w := e.u + e.v - v
			if s.top[v] == s.top[w] || s.slack(e) > 0 {
				continue
			}
			switch s.label[s.top[w]] {
			case unlabelled:
				s.makeInner(s.top[w], link{v, w})
			case outer:
				if root := s.meet(v, w); root >= 0 {
					s.shrink(root, v, w)
				} else {
					s.augment(v, w)
					s.augment(w, v)
					return true
				}
			}
		}
	}
	return false
}

// above returns the outer node before an outer one in its tree, −1 for roots.
func (s *search) above(b int32) int32 {
	if s.entry[b].near < 0 {
		return -1
	}
	return s.top[s.entry[s.top[s.entry[b].near]].near]
}

// meet returns the outer node in which the ways from two vertices to their roots meet, or −1 where these differ.
func (s *search) meet(v, w int32) int32 {
	s.walks++
	for b := s.top[v]; b >= 0; b = s.above(b) {
		s.seen[b] = s.walks
	}
	for b := s.top[w]; b >= 0; b = s.above(b) {
		if s.seen[b] == s.walks {
			return b
		}
	}
	return -1
}

// shrink makes a blossom of the cycle through the edge v–w and the node root.
func (s *search) shrink(root, v, w int32) {
	b := s.unused[len(s.unused)-1]
	s.unused = s.unused[:len(s.unused)-1]
	var children []int32
	var links []link
	for c := s.top[v]; ; c = s.top[s.entry[c].near] {
		children = append(children, c)
		if c == root {
			break
		}
		links = append(links, s.entry[c])
	}
	slices.Reverse(children)
	slices.Reverse(links)
	links = append(links, link{v, w})
	for c := s.top[w]; c != root; c = s.top[s.entry[c].near] {
		children = append(children, c)
		links = append(links, link{s.entry[c].far, s.entry[c].near})
	}
	s.children[b], s.links[b], s.base[b], s.price[b], s.parent[b] = children, links, s.base[root], 0, -1
	s.label[b], s.entry[b] = outer, s.entry[root]
	for _, c := range children {
		s.parent[c] = b
		s.eachVertex(c, func(u int32) {
			s.top[u] = b
			if s.label[c] == inner {
				s.queue = append(s.queue, u)
			}
		})
	}
}

// augment matches v to w, and changes matched and unmatched edges from v to the root of its tree.
func (s *search) augment(v, w int32) {
	for {
		b := s.top[v]
		s.expose(b, v)
		s.mate[v] = w
		if s.entry[b].near < 0 {
			return
		}
		t := s.top[s.entry[b].near]
		e := s.entry[t]
		s.expose(t, e.far)
		s.mate[e.far] = e.near
		v, w = e.near, e.far
	}
}

// expose changes the matching within a node so that v is its base.
func (s *search) expose(b, v int32) {
	if b < int32(s.n) {
		return
	}
	i := s.childOf(b, v)
	s.expose(s.children[b][i], v)
	children, links := s.children[b], s.links[b]
	join := func(j int) {
		l := links[j]
		s.expose(children[j], l.near)
		s.expose(children[(j+1)%len(children)], l.far)
		s.mate[l.near], s.mate[l.far] = l.far, l.near
	}
	if i%2 == 1 {
		for j := i + 1; j < len(children); j += 2 {
			join(j)
		}
	} else {
		for j := i - 2; j >= 0; j -= 2 {
			join(j)
		}
	}
	s.children[b] = append(slices.Clone(children[i:]), children[:i]...)
	s.links[b] = append(slices.Clone(links[i:]), links[:i]...)
	s.base[b] = v
}

// childOf returns which child of a blossom holds a vertex.
func (s *search) childOf(b, v int32) int {
	for s.parent[v] != b {
		v = s.parent[v]
	}
	return slices.Index(s.children[b], v)
}

// reprice changes prices until an edge loses its slack or an inner blossom its price, and lists what is to be looked at
// again. It returns false where the price of single vertices gets to 0 before that.
func (s *search) reprice() bool {
	step := int64(math.MaxInt64)
	for v := range s.n {
		if s.label[s.top[v]] == outer {
			step = min(step, s.price[v])
		}
	}
	last := true
	for i := range s.edges {
		if most, ok := s.room(&s.edges[i]); ok && most < step {
			step, last = most, false
		}
	}
	for b := s.n; b < len(s.price); b++ {
		if s.isTop(int32(b)) && s.label[b] == inner && s.price[b]/2 < step {
			step, last = s.price[b]/2, false
		}
	}
	for v := range s.n {
		switch s.label[s.top[v]] {
		case outer:
			s.price[v] -= step
		case inner:
			s.price[v] += step
		}
	}
	for b := int32(s.n); b < int32(len(s.price)); b++ {
		if !s.isTop(b) {
			continue
		}
		switch s.label[b] {
		case outer:
			s.price[b] += 2 * step
		case inner:
			s.price[b] -= 2 * step
		}
	}
	if last {
		return false
	}
	for i := range s.edges {
		e := &s.edges[i]
		if most, ok := s.room(e); ok && most == 0 {
			if s.label[s.top[e.u]] == outer {
				s.queue = append(s.queue, e.u)
			} else {
				s.queue = append(s.queue, e.v)
			}
		}
	}
	for b := int32(s.n); b < int32(len(s.price)); b++ {
		if s.isTop(b) && s.label[b] == inner && s.price[b] == 0 {
			s.open(b)
		}
	}
	return true
}

// room returns by how much prices can change until an edge has no slack, where they change it.
func (s *search) room(e *edge) (most int64, ok bool) {
	a, b := s.top[e.u], s.top[e.v]
	if a == b {
		return 0, false
	}
	switch one, other := s.label[a], s.label[b]; {
	case one == outer && other == outer:
		return s.slack(e) / 2, true
	case one == outer && other == unlabelled, one == unlabelled && other == outer:
		return s.slack(e), true
	}
	return 0, false
}

// isTop reports whether a blossom is in use and outermost.
func (s *search) isTop(b int32) bool { return len(s.children[b]) > 0 && s.parent[b] < 0 }

// release makes the children of a blossom outermost and gives its number back.
func (s *search) release(b int32) {
	for _, c := range s.children[b] {
		s.parent[c], s.label[c] = -1, unlabelled
		s.eachVertex(c, func(v int32) { s.top[v] = c })
	}
	s.children[b], s.links[b] = nil, nil
	s.unused = append(s.unused, b)
}

// open dissolves an inner blossom without a price: the way through it from where the tree enters to its base stays in the
// tree. Its other children are free to be reached anew, so all outer vertices are looked at again.
func (s *search) open(b int32) {
	entry, children, links := s.entry[b], s.children[b], s.links[b]
	i := s.childOf(b, entry.far)
	s.release(b)
	s.label[children[i]], s.entry[children[i]] = inner, entry
	k := len(children)
	for i != 0 {
		var matched, next link
		var middle, end int
		if i%2 == 1 { // forward, to the base as the child behind the last one
			middle, end = i+1, (i+2)%k
			matched, next = links[i], links[(i+1)%k]
		} else {
			middle, end = i-1, i-2
			matched, next = links[i-1], links[i-2]
			matched.near, matched.far = matched.far, matched.near
			next.near, next.far = next.far, next.near
		}
		s.label[children[middle]], s.entry[children[middle]] = outer, matched
		s.label[children[end]], s.entry[children[end]] = inner, next
		i = end
	}
	s.queue = s.queue[:0]
	for v := range int32(s.n) {
		if s.label[s.top[v]] == outer {
			s.queue = append(s.queue, v)
		}
	}
}

// dissolve opens an outermost blossom without a price, and those within that are outermost then.
func (s *search) dissolve(b int32) {
	if !s.isTop(b) || s.price[b] > 0 {
		return
	}
	children := s.children[b]
	s.release(b)
	for _, c := range children {
		if c >= int32(s.n) {
			s.dissolve(c)
		}
	}
}

// dual returns 4 times the bound that the prices prove, in units of the weights.
func (s *search) dual() (sum int64) {
	for v := range s.n {
		sum += 2 * s.price[v]
	}
	for b := s.n; b < len(s.price); b++ {
		if len(s.children[b]) > 0 {
			size := int64(0)
			s.eachVertex(int32(b), func(int32) { size++ })
			sum += s.price[b] * (size - 1)
		}
	}
	return sum
}
