package structure

import "combpred/core/slicex"

// edgeProperty is a hereditary property of sets of edges: sets that have it keep it without some of their edges.
type edgeProperty int

// The values of the parameter "property" of graphs.
const (
	anyEdges edgeProperty = iota
	forests
	matchings
	bipartite
)

var edgeProperties = [...]struct{ noun, lost string }{
	forests:   {"forests", "closes a cycle with edges before it"},
	matchings: {"matchings", "shares a vertex with an edge before it"},
	bipartite: {"bipartite graphs", "closes a cycle of odd length with edges before it"},
}

// edgeSet is a set of edges that grows and shrinks from the end: its connected components in union–find by size without
// path compression, so that joins can be undone, and the parity of the way from each vertex to the one that stands for its
// component.
type edgeSet struct {
	parent []int32
	odd    []bool // whether the way from a vertex to its parent has odd length
	size   []int32
	joined []int32 // for each edge added: the root that got a parent, −1 for none
}

func (s *edgeSet) reset(n int) {
	s.parent, s.odd, s.size = slicex.Grow(s.parent, n), slicex.Grow(s.odd, n), slicex.Grow(s.size, n)
	for v := range s.parent {
		s.parent[v], s.odd[v], s.size[v] = int32(v), false, 1
	}
	s.joined = s.joined[:0]
}

// root returns the vertex that stands for the component of v, and whether ways there have odd length. Cost: O(log n).
func (s *edgeSet) root(v int32) (root int32, odd bool) {
	for s.parent[v] != v {
		odd = odd != s.odd[v]
		v = s.parent[v]
	}
	return v, odd
}

// add adds an edge if the set keeps the property with it, and reports whether.
func (s *edgeSet) add(e [2]int32, property edgeProperty) bool {
	u, oddU := s.root(e[0])
	v, oddV := s.root(e[1])
	switch property {
	case forests:
		if u == v {
			return false
		}
	case matchings:
		if s.size[u] > 1 || s.size[v] > 1 {
			return false
		}
	case bipartite:
		if u == v && oddU == oddV {
			return false
		}
		if u == v {
			s.joined = append(s.joined, -1)
			return true
		}
	}
	if s.size[u] < s.size[v] {
		u, v = v, u
	}
	s.parent[v], s.odd[v] = u, oddU == oddV
	s.size[u] += s.size[v]
	s.joined = append(s.joined, v)
	return true
}

// undo takes away the edge that was added last.
func (s *edgeSet) undo() {
	last := len(s.joined) - 1
	if v := s.joined[last]; v >= 0 {
		s.size[s.parent[v]] -= s.size[v]
		s.parent[v], s.odd[v] = v, false
	}
	s.joined = s.joined[:last]
}
