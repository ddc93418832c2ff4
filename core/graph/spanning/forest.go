package spanning

import "combpred/core/slicex"

// Forest is a set of disjoint trees on the vertices 0..n−1, joined edge by edge: union–find with path halving and union
// by size. The zero value needs Reset. It is not safe for concurrent use.
type Forest struct {
	parent []int32
	size   []int32
}

// Reset makes the forest n single vertices.
func (f *Forest) Reset(n int) {
	f.parent, f.size = slicex.Grow(f.parent, n), slicex.Grow(f.size, n)
	for v := range f.parent {
		f.parent[v], f.size[v] = int32(v), 1
	}
}

// Join adds the edge {u, v} and reports whether it joined two trees; otherwise it would have closed a cycle.
func (f *Forest) Join(u, v int32) bool {
	u, v = f.Root(u), f.Root(v)
	if u == v {
		return false
	}
	if f.size[u] < f.size[v] {
		u, v = v, u
	}
	f.parent[v] = u
	f.size[u] += f.size[v]
	return true
}

// Root returns a vertex that stands for the tree of v.
func (f *Forest) Root(v int32) int32 {
	for f.parent[v] != v {
		f.parent[v] = f.parent[f.parent[v]]
		v = f.parent[v]
	}
	return v
}
