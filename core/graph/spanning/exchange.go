package spanning

import "math/rand/v2"

// ExchangeTo writes the tree to which a random exchange leads from the tree y to dst: a random free edge outside the tree comes in,
// and of the other free edges of the cycle that it closes a random one goes. If y is the only tree nothing changes. The way
// back closes the same cycle, so that it has the same probability, and exchanges lead from every tree to every other one. Cost:
// O(n + d).
func (g *Graph) ExchangeTo(dst, y []int32, rng *rand.Rand) {
	copy(dst, y)
	outside := g.OutsideLen()
	if outside == 0 {
		return
	}
	number := rng.IntN(outside)
	var comes link
	for _, comes = range g.links {
		if y[comes.edge] == 0 {
			if number == 0 {
				break
			}
			number--
		}
	}
	from, to := comes.u, comes.v
	w := g.borrow()
	defer g.workspace.Put(w)
	clear(w.inside)
	w.inside[to] = true
	queue := append(w.queue[:0], to)
	for i := 0; !w.inside[from]; i++ {
		v := queue[i]
		for _, a := range g.arcsFrom(v) {
			if y[a.edge] == 1 && !w.inside[a.to] {
				w.inside[a.to] = true
				w.exit[a.to], w.next[a.to] = a.edge, v
				queue = append(queue, a.to)
			}
		}
	}
	w.queue = queue
	length := 0
	for v := from; v != to; v = w.next[v] {
		length++
	}
	v := from
	for range rng.IntN(length) {
		v = w.next[v]
	}
	dst[comes.edge], dst[w.exit[v]] = 1, 0
}

// OutsideLen returns how many edges are outside of a tree and may be in another.
func (g *Graph) OutsideLen() int { return len(g.links) - (g.n - 1) }
