package ordering

import (
	"math"
	"math/bits"
)

// lowBits is the number of items whose gains are tabulated by subset. Tables of 2^8 rows stay in the cache.
const lowBits = 8

// solve rearranges the items, at most MaxComponent, into a best order and returns what it earns.
//
// Dynamic programming over subsets (Held and Karp, 1962; for linear orders Lawler, 1964): with best[S] the most that
// the items of S earn among themselves, best[S] = max over v in S of best[S∖v] + Σ_{u∈S} g[u,v], v being last. The sum
// splits into that over the low items of S, from a table, and that over the high ones, which changes once in 2^lowBits
// subsets. Among equal choices the last item is the largest one. Cost: O(m 2^m) time, 2^m float64s of memory.
func (w *Workspace) solve(items []int32) float64 {
	m := len(items)
	if m == 1 {
		return 0
	}
	w.local = grow(w.local, m*m)
	g := w.local
	for i, u := range items {
		for j, v := range items {
			g[i*m+j] = w.gain[int(u)*w.n+int(v)]
		}
	}
	h := min(m, lowBits)
	w.tabulateLow(m, h)
	w.best = grow(w.best, 1<<m)
	best := w.best
	best[0] = 0
	var high [MaxComponent]float64 // Σ over the high items u of S of g[u,v]
	for top := range 1 << (m - h) {
		if top > 0 {
			w.sumHigh(&high, top, m, h)
		}
		for bottom := range 1 << h {
			s := top<<h | bottom
			if s == 0 {
				continue
			}
			best[s] = most(best, w.low[bottom*m:(bottom+1)*m], &high, s)
		}
	}
	w.unwind(items, h)
	return best[1<<m-1]
}

// most returns the most that the items of s earn. It is what the time goes into: max compiles to code without branches,
// which would be mispredicted half of the time.
func most(best, low []float64, high *[MaxComponent]float64, s int) float64 {
	value := math.Inf(-1)
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		value = max(value, best[s&^(1<<v)]+(low[v]+high[v]))
	}
	return value
}

// last returns the item that is last when the items of s earn the most.
func last(best, low []float64, high *[MaxComponent]float64, s int) (item int) {
	var value float64
	item = -1
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		if e := best[s&^(1<<v)] + (low[v] + high[v]); e >= value || item < 0 {
			value, item = e, v
		}
	}
	return item
}

// tabulateLow fills low[s·m + v] = Σ g[u,v] over the items u < h of the subset s.
func (w *Workspace) tabulateLow(m, h int) {
	w.low = grow(w.low, m<<h)
	clear(w.low[:m])
	for s := 1; s < 1<<h; s++ {
		u := bits.TrailingZeros(uint(s))
		from := w.low[(s&(s-1))*m:][:m]
		to := w.low[s*m:][:m]
		for v, g := range w.local[u*m:][:m] {
			to[v] = from[v] + g
		}
	}
}

// sumHigh fills high[v] = Σ g[u,v] over the items u >= h of the subset whose bits from h on are top.
func (w *Workspace) sumHigh(high *[MaxComponent]float64, top, m, h int) {
	clear(high[:])
	for x := uint(top); x != 0; x &= x - 1 {
		u := h + bits.TrailingZeros(x)
		for v, g := range w.local[u*m:][:m] {
			high[v] += g
		}
	}
}

// unwind rearranges the items into the order whose value the table holds, from the last place to the first.
func (w *Workspace) unwind(items []int32, h int) {
	m := len(items)
	var unordered [MaxComponent]int32
	copy(unordered[:], items)
	var high [MaxComponent]float64
	s := 1<<m - 1
	for place := m - 1; place >= 0; place-- {
		w.sumHigh(&high, s>>h, m, h)
		bottom := s & (1<<h - 1)
		v := last(w.best, w.low[bottom*m:(bottom+1)*m], &high, s)
		items[place] = unordered[v]
		s &^= 1 << v
	}
}
