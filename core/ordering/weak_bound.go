package ordering

import (
	"math"
	"math/bits"
)

const (
	// boundKicks is the number of times that local search starts again before the subsets are bounded: a better ranking to
	// begin with leaves fewer of them, and costs more itself.
	boundKicks = 8
	// boundTied is the least component that is bounded: tables of smaller ones cost less than the search.
	boundTied = 9
)

// weakBound is the dynamic program over the subsets of one component that come before the others in some ranking that may
// be better than a known one.
//
// A ranking earns what its pairs earn at their best choices, less a loss of at least 0 for each pair. best[s] is the least
// loss of the pairs with an item in s when the items of s are before all others. A subset is extended by the block that
// follows it, and this is put together item by item. What is still to be lost is at least the loss of a best ranking of
// the items behind s and the block that are below cut, and of those that are not (a disjoint pattern database, Korf and
// Felner, 2002), and for every item that may still join the block the better of being tied with the block's items and
// behind them. The extension ends where that reaches the loss of the known ranking.
type weakBound struct {
	m, cut int
	limit  float64      // losses from here on are of no interest
	best   []float64    // by subset
	block  []int32      // the last block of a subset
	rest   [2][]float64 // least losses of the subsets of the items below cut, and from it on
	sums   lossSums
	part   weakTable
}

// lossSums are sums of losses of each item with a subset of the others, for the subsets of either half of the items.
type lossSums struct {
	m, half  int
	low, top []itemLoss
}

// itemLoss is what an item loses with some others.
type itemLoss struct {
	tied   float64 // tied with them
	behind float64 // behind them
	before float64 // before them
	after  float64 // at least, tied with or behind them
	ahead  float64 // at least, tied with or before them
	_      [3]float64
}

// fill tabulates the sums, given gains of m items by rows.
func (t *lossSums) fill(h []float64, m int) {
	t.m, t.half = m, m/2
	t.low, t.top = grow(t.low, m<<t.half), grow(t.top, m<<(m-t.half))
	for part, sums := range [...][]itemLoss{t.low, t.top} {
		from := part * t.half
		clear(sums[:m])
		for s := 1; s < len(sums)/m; s++ {
			y := from + bits.TrailingZeros(uint(s))
			without, to := sums[(s&(s-1))*m:][:m], sums[s*m:][:m]
			for x := range to {
				sum := without[x]
				if x != y {
					forth, back := h[x*m+y], h[y*m+x]
					most := max(forth, back, 0)
					sum.tied += most
					sum.before += most - forth
					sum.behind += most - back
					sum.ahead += most - max(forth, 0)
					sum.after += most - max(back, 0)
				}
				to[x] = sum
			}
		}
	}
}

// of returns the two parts of the losses of x with the items in s.
func (t *lossSums) of(x int, s uint) (low, top *itemLoss) {
	return &t.low[int(s&(1<<t.half-1))*t.m+x], &t.top[int(s>>t.half)*t.m+x]
}

// solveBounded is solve for components of boundTied items and more. Cost: at most 3^m steps, as there, but few where a good
// ranking loses little; 2^m float64s of memory. Among equal choices that of local search is taken.
func (w *WeakWorkspace) solveBounded(rank []int32, items []int32) float64 {
	most := w.pairwise(items)
	s := w.searched(items, most, boundKicks)
	if s.best.value < most-s.threshold {
		b := &w.bound
		b.prepare(w.gain, w.n, s.best.items)
		b.limit = most - s.best.value - s.threshold
		if b.run() {
			b.rankTo(&s.now, s.best.items)
			s.now.value = s.total()
			s.best.set(&s.now)
		}
	}
	w.rankBy(&s.best, rank)
	return s.best.value
}

// prepare tabulates the losses of the items, which are best in the order of a good ranking.
func (b *weakBound) prepare(gain []float64, n int, items []int32) {
	m := len(items)
	b.m, b.cut = m, max(3, m/2-3)
	b.part.prepare(gain, n, items[b.cut:])
	b.restTo(1, m-b.cut)
	b.part.prepare(gain, n, items[:b.cut])
	b.restTo(0, b.cut)
	h := grow(b.part.h, m*m)
	for i, u := range items {
		for j, v := range items {
			h[i*m+j] = gain[int(u)*n+int(v)]
		}
	}
	b.part.h = h
	b.sums.fill(h, m)
	b.best, b.block = grow(b.best, 1<<m), grow(b.block, 1<<m)
	for s := range b.best {
		b.best[s] = math.Inf(1)
	}
}

// restTo finds the least losses of the subsets of m items.
func (b *weakBound) restTo(part, m int) {
	t := &b.part
	t.run(m)
	b.rest[part] = grow(b.rest[part], 1<<m)
	rest := b.rest[part]
	rest[0] = 0
	for s := 1; s < 1<<m; s++ { // first what the pairs earn at their best choices
		u := bits.TrailingZeros(uint(s))
		rest[s] = rest[s&(s-1)]
		for x := uint(s & (s - 1)); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			rest[s] += max(t.h[u*m+v], t.h[v*m+u], 0)
		}
	}
	for s := range rest {
		rest[s] = max(rest[s]-t.best[s], 0)
	}
}

// least returns a bound on the loss of the pairs in s.
func (b *weakBound) least(s uint) float64 {
	return b.rest[0][s&(1<<b.cut-1)] + b.rest[1][s>>b.cut]
}

// run reports whether there is a ranking of a loss below the limit, the tables then hold a best one.
func (b *weakBound) run() bool {
	all := uint(1)<<b.m - 1
	b.best[0] = 0
	found := false
	for s := range all {
		if left := all &^ s; b.best[s]+b.least(left) < b.limit {
			b.extend(s, 0, 0, left, b.best[s], 0)
			if b.best[all] < b.limit {
				b.limit, found = b.best[all], true
			}
		}
	}
	return found
}

// extend decides for the items that are open whether they are in the block after s or behind it. sure is the loss of the pairs
// decided, open that of those of the block with what is open, at least.
func (b *weakBound) extend(s, block, behind, open uint, sure, ahead float64) {
	if open == 0 {
		if to := s | block; sure < b.best[to] && block != 0 {
			b.best[to], b.block[to] = sure, int32(block)
		}
		return
	}
	x := bits.TrailingZeros(open)
	bit := uint(1) << x
	open &^= bit
	low, top := b.sums.of(x, block)
	ahead -= low.after + top.after
	apart := sure + (low.behind + top.behind)
	sure += low.tied + top.tied
	low, top = b.sums.of(x, behind)
	sure += low.before + top.before
	low, top = b.sums.of(x, open)
	more := ahead + (low.ahead + top.ahead)
	rest := b.least(behind | open)
	if sure+more+rest < b.limit {
		b.extend(s, block|bit, behind, open, sure, more)
	}
	if apart+ahead+b.least(behind|open|bit) < b.limit {
		b.extend(s, block, behind|bit, open, apart, ahead)
	}
}

// rankTo writes the ranking found to r, of the items by which the tables are numbered.
func (b *weakBound) rankTo(r *ranking, items []int32) {
	r.items = append(r.items[:0], items...)
	r.ends = r.ends[:0]
	at := b.m
	for s := 1<<b.m - 1; s > 0; s &^= int(b.block[s]) {
		r.ends = append(r.ends, int32(at))
		for x := uint(b.block[s]); x != 0; x &= x - 1 {
			at--
			r.items[at] = items[bits.TrailingZeros(x)]
		}
	}
	for i, j := 0, len(r.ends)-1; i < j; i, j = i+1, j-1 {
		r.ends[i], r.ends[j] = r.ends[j], r.ends[i]
	}
}
