package spanning

import "math/rand/v2"

// ExchangeTo writes the tree to which a random exchange leads from the tree y to dst: a random edge outside the tree comes
// in, and of the other edges of the cycle that it closes a random one goes. Where the tree has all edges nothing changes.
// The way back closes the same cycle, so that it has the same probability, and exchanges lead from every tree to every
// other one. Cost: O(n + d).
func (g *Graph) ExchangeTo(dst, y []int32, rng *rand.Rand) {
	copy(dst, y)
	outside := g.OutsideLen()
	if outside == 0 {
		return
	}
	number := rng.IntN(outside)
	comes := 0
	for ; y[comes] == 1 || number > 0; comes++ {
		if y[comes] == 0 {
			number--
		}
	}
	from, to := g.ends[comes][0], g.ends[comes][1]
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
	dst[comes], dst[w.exit[v]] = 1, 0
}

// OutsideLen returns how many edges are outside of a tree.
func (g *Graph) OutsideLen() int { return len(g.ends) - (g.n - 1) }
