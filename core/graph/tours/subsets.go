package tours

import (
	"math"
	"math/bits"

	"combpred/core/slicex"
)

// Exact writes a tour of largest gain within the mask to tour, its smallest vertex first, and returns its length. Ties are
// broken in a fixed way; without any gain and mask the tour is 0, 1, 2. It returns ErrNone if the mask leaves no tour,
// without a mask a *SizeError beyond MaxVertices vertices, and with one a *StatesError where its tables would be too
// large. Cost: O(2^n n²) time and 2^(n-1)(n-1) float64s of memory, where vertices that the mask forbids do not count, and
// the vertices of a path of required arcs count as one.
//
// The tours are grouped by their first node, as plan says. Bounds on the number of vertices end the recursions early.
func (w *Workspace) Exact(tour []int32) (int, error) {
	w.checkTour(tour)
	if w.mask == nil && w.n > MaxVertices {
		return 0, &SizeError{Size: w.n}
	}
	if err := w.prepare(); err != nil {
		return 0, err
	}
	if w.mask != nil {
		if err := w.plan.fits(&w.rooted); err != nil {
			return 0, err
		}
	}
	k := len(w.plan.nodes)
	w.worth = slicex.Grow(w.worth, k*k)
	w.costs(w.worth)
	length, least := 0, math.Inf(1)
	for _, root := range w.plan.roots {
		if w.mask == nil && int(root) == w.n-leastVisits {
			if cost, path := w.triangle(); cost < least {
				least, length = cost, copy(tour, path[:])
			}
			continue
		}
		w.rooted.begin(&w.plan, root)
		w.rooted.load(w.worth, math.Inf(1))
		if len(w.rooted.free) > MostNodes {
			if cost, end := w.solveLayers(); cost < least {
				least, length = cost, w.unwindLayers(tour, end)
			}
		} else if cost, s, last := w.tabulate(); cost < least {
			least, length = cost, w.unwind(tour, s, last)
		}
	}
	if length == 0 {
		return 0, ErrNone
	}
	if w.mask != nil {
		fromSmallest(tour[:length])
	}
	return length, nil
}

// tabulate fills the table for the tours with the root at hand, and returns the least that one costs, its other nodes and the
// last of them. Costs are negative gains, as a minimum takes fewer instructions than a maximum.
//
// Dynamic programming over subsets (Held and Karp, 1962; Bellman, 1962): with table[S,v] the least that a path from the
// root through all of S costs when it ends in v, table[S,v] = min over u in S∖v of table[S∖v,u] + into[v,u]. The tour may
// stop at any admitted S, so the minimum is taken over all of them. Cost: O(2^m m²) for m nodes behind the root.
func (w *Workspace) tabulate() (least float64, subset, last int) {
	r := &w.rooted
	m := r.m
	w.table = slicex.Grow(w.table, r.entries())
	least, last = math.Inf(1), -1
	if r.directIsAdmitted {
		least = r.direct
	}
	var closed [block]float64
	for h := range r.blocks() {
		if r.barred(h << low) {
			continue
		}
		rows := w.table[h*m*block : (h+1)*m*block]
		for i := range closed {
			closed[i] = math.Inf(1)
		}
		for x := uint(h); x != 0; x &= x - 1 {
			v := low + bits.TrailingZeros(x)
			rest := h &^ (1 << (v - low))
			from := w.table[rest*m*block : (rest+1)*m*block]
			row := (*[block]float64)(rows[v*block:])
			r.cheapest(row, from, r.into[v*m:(v+1)*m], uint(rest<<low|(block-1)))
			if rest == 0 {
				row[0] = r.open[v]
			}
			c := r.closing[v]
			for l, e := range row {
				closed[l] = min(closed[l], e+c)
			}
		}
		w.lowRows(rows, h, &closed)
		for l, e := range closed {
			if s := h<<low | l; e < least && r.admits(s) {
				least, subset, last = e, s, 0 // which node is last is seen below
			}
		}
	}
	if last < 0 {
		return least, 0, -1
	}
	for x := uint(subset); x != 0; x &= x - 1 { // the last one of equals, as paths begin with the first
		if v := bits.TrailingZeros(x); w.table[r.at(subset, v)]+r.closing[v] == least {
			last = v
		}
	}
	return least, subset, last
}

// triangle returns what the better of the two tours through the last three vertices costs, without a mask: every problem of cycles ends
// with that root.
func (w *Workspace) triangle() (least float64, path [leastVisits]int32) {
	n := w.n
	a, b, c := n-3, n-2, n-1
	along := w.worth[a*n+b] + w.worth[b*n+c] + w.worth[c*n+a]
	if back := w.worth[a*n+c] + w.worth[c*n+b] + w.worth[b*n+a]; back < along {
		return back, [leastVisits]int32{int32(a), int32(c), int32(b)}
	}
	return along, [leastVisits]int32{int32(a), int32(b), int32(c)}
}

// cheapest writes to row what paths cost, at least, that go on from a node of a set to one more. It is what the time goes
// into.
func (r *rooted) cheapest(row *[block]float64, from, into []float64, members uint) {
	inf := math.Inf(1)
	a0, a1, a2, a3, a4, a5, a6, a7 := inf, inf, inf, inf, inf, inf, inf, inf
	for ; members != 0; members &= members - 1 {
		u := bits.TrailingZeros(members)
		c := into[u]
		t := (*[block]float64)(from[u*block:])
		a0, a1, a2, a3 = min(a0, t[0]+c), min(a1, t[1]+c), min(a2, t[2]+c), min(a3, t[3]+c)
		a4, a5, a6, a7 = min(a4, t[4]+c), min(a5, t[5]+c), min(a6, t[6]+c), min(a7, t[7]+c)
	}
	*row = [block]float64{a0, a1, a2, a3, a4, a5, a6, a7}
}

// lowRows fills the rows of the three nodes by which the sets of block h differ, +Inf where a set is without the node, and
// lowers closed by what the tours cost that end there.
func (w *Workspace) lowRows(rows []float64, h int, closed *[block]float64) {
	r := &w.rooted
	m := r.m
	inf := math.Inf(1)
	x, y, z := r.into[:m], r.into[m:2*m], r.into[2*m:3*m]
	a1, a2, a4, a6, b2, b1, b4, b5, c4, c1, c2, c3 := inf, inf, inf, inf, inf, inf, inf, inf, inf, inf, inf, inf
	for high := uint(h); high != 0; high &= high - 1 {
		u := low + bits.TrailingZeros(high)
		t := (*[block]float64)(rows[u*block:])
		i, j, k := x[u], y[u], z[u]
		a1, a2, a4, a6 = min(a1, t[0]+i), min(a2, t[2]+i), min(a4, t[4]+i), min(a6, t[6]+i)
		b2, b1, b4, b5 = min(b2, t[0]+j), min(b1, t[1]+j), min(b4, t[4]+j), min(b5, t[5]+j)
		c4, c1, c2, c3 = min(c4, t[0]+k), min(c1, t[1]+k), min(c2, t[2]+k), min(c3, t[3]+k)
	}
	if h == 0 {
		a1, b2, c4 = r.open[0], r.open[1], r.open[2]
	}
	a3, b3 := min(a2, b2+x[1]), min(b1, a1+y[0])
	a5, c5 := min(a4, c4+x[2]), min(c1, a1+z[0])
	b6, c6 := min(b4, c4+y[2]), min(c2, b2+z[1])
	a7, b7, c7 := min(a6, b6+x[1], c6+x[2]), min(b5, a5+y[0], c5+y[2]), min(c3, a3+z[0], b3+z[1])
	*(*[block]float64)(rows) = [block]float64{inf, a1, inf, a3, inf, a5, inf, a7}
	*(*[block]float64)(rows[block:]) = [block]float64{inf, inf, b2, b3, inf, inf, b6, b7}
	*(*[block]float64)(rows[2*block:]) = [block]float64{inf, inf, inf, inf, c4, c5, c6, c7}
	p, q, s := r.closing[0], r.closing[1], r.closing[2]
	closed[1], closed[2], closed[3] = min(closed[1], a1+p), min(closed[2], b2+q), min(closed[3], a3+p, b3+q)
	closed[4], closed[5] = min(closed[4], c4+s), min(closed[5], a5+p, c5+s)
	closed[6], closed[7] = min(closed[6], b6+q, c6+s), min(closed[7], a7+p, b7+q, c7+s)
}

// unwind writes the tour whose cost the table holds, and returns its length.
func (w *Workspace) unwind(tour []int32, s, last int) int {
	r := &w.rooted
	var order [MostNodes]int
	k := 0
	for s != 0 {
		order[k] = last
		k++
		s &^= 1 << last
		into := r.into[last*r.m:]
		least := math.Inf(1)
		for x := uint(s); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x)
			if e := w.table[r.at(s, u)] + into[u]; e < least {
				least, last = e, u
			}
		}
	}
	length := copy(tour, w.plan.nodes[r.root].path)
	for k--; k >= 0; k-- {
		x := r.free[order[k]]
		if r.plain { // a node is a vertex
			tour[length] = x
			length++
			continue
		}
		length += copy(tour[length:], w.plan.nodes[x].path)
	}
	return length
}
