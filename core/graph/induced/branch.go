package induced

import (
	"cmp"
	"math"
	"slices"

	"combpred/core/slicex"
)

// brancher solves problems of up to 64 vertices by Russian doll search (Verfaillie, Lemaître and Schiex, 1996): the
// problems of the last 1, 2, … vertices are solved in turn, and the best of the last ones bounds what a choice among
// the first can still add.
type brancher struct {
	n            int
	weight       []float64 // n×n, vertices in the order of branching
	linear       []float64
	gain, loss   []float64 // of each vertex: linear plus its favourable, unfavourable weights to later vertices
	rest         []float64 // rest[p]: the best of the vertices from p on
	pull         []float64 // row p, at depth p: the weight of each later vertex to those chosen
	order        []int32
	key          []float64
	nodes, limit int
	best         float64
	set, bestSet uint64
}

// solve returns a best set of p as bits, or false if that takes more than limit nodes. Vertices with large weights are
// decided first. Cost: O(n) for each node.
func (b *brancher) solve(p *problem, limit int) (set uint64, ok bool) {
	b.load(p)
	n := b.n
	b.nodes, b.limit = 0, limit
	b.best, b.bestSet, b.rest[n] = 0, 0, 0
	for k := n - 1; k >= 0; k-- {
		// Without vertex k the best is that of the vertices behind it, which is known.
		b.set = 1 << k
		copy(b.pull[(k+1)*n+k+1:(k+2)*n], b.weight[k*n+k+1:(k+1)*n])
		if !b.node(k+1, b.linear[k]) {
			return 0, false
		}
		b.rest[k] = b.best
	}
	for i, v := range b.order {
		set |= b.bestSet >> i & 1 << v
	}
	return set, true
}

// node searches the choices among the vertices from p on, those before it having the given value, and reports whether
// it ended within the limit. What they add is at most the best of them on their own plus every favourable pull.
func (b *brancher) node(p int, value float64) bool {
	if b.nodes++; b.nodes > b.limit {
		return false
	}
	if value > b.best {
		b.best, b.bestSet = value, b.set
	}
	n := b.n
	if p == n {
		return true
	}
	pull := b.pull[p*n : (p+1)*n]
	bound := value + b.rest[p]
	for _, x := range pull[p:] {
		bound += max(0, x)
	}
	if bound <= b.best {
		return true
	}
	switch x := pull[p]; {
	case x+b.gain[p] <= 0:
		return b.without(p, value)
	case x+b.loss[p] >= 0:
		return b.with(p, value)
	case x+b.linear[p] >= 0:
		return b.with(p, value) && b.without(p, value)
	}
	return b.without(p, value) && b.with(p, value)
}

func (b *brancher) without(p int, value float64) bool {
	n := b.n
	if p+1 < n {
		copy(b.pull[(p+1)*n+p+1:(p+2)*n], b.pull[p*n+p+1:(p+1)*n])
	}
	return b.node(p+1, value)
}

func (b *brancher) with(p int, value float64) bool {
	n := b.n
	if p+1 < n {
		from, add := b.pull[p*n+p+1:(p+1)*n], b.weight[p*n+p+1:(p+1)*n]
		to := b.pull[(p+1)*n+p+1 : (p+2)*n]
		for j, x := range from {
			to[j] = x + add[j]
		}
	}
	b.set |= 1 << p
	ok := b.node(p+1, value+b.linear[p]+b.pull[p*n+p])
	b.set &^= 1 << p
	return ok
}

// load copies the problem with the vertices in order of the sum of their magnitudes, largest first.
func (b *brancher) load(p *problem) {
	n := p.n
	b.n = n
	b.order, b.key = slicex.Grow(b.order, n), slicex.Grow(b.key, n)
	for u := range n {
		b.order[u] = int32(u)
		b.key[u] = math.Abs(p.linear[u])
		for _, x := range p.weight[u*n : (u+1)*n] {
			b.key[u] += math.Abs(x)
		}
	}
	slices.SortFunc(b.order, func(u, v int32) int {
		if c := cmp.Compare(b.key[v], b.key[u]); c != 0 {
			return c
		}
		return cmp.Compare(u, v)
	})
	b.weight, b.linear = slicex.Grow(b.weight, n*n), slicex.Grow(b.linear, n)
	b.gain, b.loss = slicex.Grow(b.gain, n), slicex.Grow(b.loss, n)
	b.rest, b.pull = slicex.Grow(b.rest, n+1), slicex.Grow(b.pull, (n+1)*n)
	for i, u := range b.order {
		b.linear[i] = p.linear[u]
		b.gain[i], b.loss[i] = p.linear[u], p.linear[u]
		for j, v := range b.order {
			x := p.weight[int(u)*n+int(v)]
			b.weight[i*n+j] = x
			if j > i {
				b.gain[i] += max(0, x)
				b.loss[i] += min(0, x)
			}
		}
	}
}
