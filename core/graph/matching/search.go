package matching

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
