package ordering

import (
	"fmt"
	"math/bits"

	"combpred/core/polling"
)

// MaxTied is the largest component of an instance with ties that is solved exactly: in 3^MaxTied steps at most.
const MaxTied = 16

// searchTied is the largest component with ties that WeakWorkspace.Search solves exactly.
const searchTied = 8

// WeakWorkspace holds one instance of the weak ordering problem and the scratch to solve it: rank n items, ties allowed,
// so that the gains of the pairs that are not tied add up to as much as possible. The gains form an n×n matrix h: placing
// u before v earns h[u,v] more than a tie of the two. Unlike the gains of orders without ties, h[u,v] and h[v,u] are
// unrelated numbers. The zero value is ready for use. It is not safe for concurrent use.
//
// # Decomposition
//
// If "before" is a best choice of the three for every pair of an item of A with one of B, some best ranking has A before
// B: take any best ranking and move A's items forward, keeping the ranking within A and within B; no pair loses. The
// finest such decomposition is into the strongly connected components of the graph with an arc from v to u where u before
// v is not a best choice, in a topological order.
type WeakWorkspace struct {
	n     int
	gain  []float64 // n×n
	graph Digraph
	order []int32
	ends  []int32 // ends of the components in the order
	ranks int32   // the last rank given out
	table weakTable
	seek  weakSearch
	bound weakBound
	poll  polling.Poll
}

// Reset begins an instance of n items and returns its n×n gain matrix by rows, for the caller to fill: finite, the
// diagonal 0.
func (w *WeakWorkspace) Reset(n int) []float64 {
	w.n = n
	w.gain = grow(w.gain, n*n)
	w.order = grow(w.order, n)
	return w.gain
}

// Exact writes a best ranking to rank: the place of each item, 1 for the first, tied items on the same place and no place
// empty. Ties in the value are broken in a fixed way. It returns a *SizeError where a component has more than MaxTied
// items and then leaves rank unspecified. Cost: O(n²) and at most O(3^m) for each component of m items; from 9 items on that is
// 3^(m−3) steps, 3^(m−5) for 16, and a search of the subsets whose bound leaves them a chance.
func (w *WeakWorkspace) Exact(rank []int32) error {
	w.decompose(rank)
	for lo, hi := range w.components() {
		if hi-lo > MaxTied {
			return &SizeError{Size: hi - lo, Limit: MaxTied}
		}
	}
	for lo, hi := range w.components() {
		w.solve(rank, w.order[lo:hi])
	}
	return nil
}

// Start writes the ranking from which Search begins: components follow one another as in some best ranking, each in the
// best of the order by row sums, its reverse and the tie of all. It returns a bound on what any ranking earns, and whether
// the one found is proven to be a best one. Cost: O(n²).
func (w *WeakWorkspace) Start(rank []int32) (bound float64, optimal bool) {
	w.decompose(rank)
	optimal = true
	for lo, hi := range w.components() {
		part := w.order[lo:hi]
		bound += w.between(part, w.order[hi:])
		most := w.pairwise(part)
		bound += most
		s := w.begin(part)
		w.rankBy(&s.now, rank)
		optimal = s.now.value >= most-s.threshold && optimal
	}
	return bound, optimal
}

// Search writes a good ranking to rank: components of up to 8 items are solved exactly, others by local search from what
// Start gives, which they are never below. It returns a bound on what any ranking earns, and whether the one found is
// proven to be a best one. An error of poll, which may be nil and is called every O(n) steps, ends the search and is
// returned; rank is unspecified then.
func (w *WeakWorkspace) Search(rank []int32, poll func() error) (bound float64, optimal bool, err error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	w.decompose(rank)
	optimal = true
	for lo, hi := range w.components() {
		if w.poll.Stopped() {
			break
		}
		part := w.order[lo:hi]
		bound += w.between(part, w.order[hi:])
		if len(part) <= searchTied {
			bound += w.solve(rank, part)
			continue
		}
		most := w.pairwise(part)
		bound += most
		optimal = w.searchPart(rank, part, most) && optimal
	}
	return bound, optimal, w.poll.Err()
}

// decompose writes the items to w.order, component after component.
func (w *WeakWorkspace) decompose(rank []int32) {
	n := w.n
	if len(rank) != n {
		panic(fmt.Sprintf("ordering: rank has length %d, want %d", len(rank), n))
	}
	w.graph.Reset(n)
	for u := range n {
		for v := range n {
			if h, back := w.gain[u*n+v], w.gain[v*n+u]; u != v && (h < 0 || h < back) {
				w.graph.AddArc(v, u)
			}
		}
	}
	w.ends = w.graph.ComponentsTo(w.order, w.ends)
	w.ranks = 0
}

func (w *WeakWorkspace) components() func(yield func(lo, hi int) bool) { return ranges(w.ends) }

// between returns the sum of the gains of the first items placed before the second.
func (w *WeakWorkspace) between(first, second []int32) float64 {
	return between(w.gain, w.n, first, second)
}

// pairwise returns what the pairs of the items earn when each takes its best choice.
func (w *WeakWorkspace) pairwise(items []int32) float64 {
	var sum float64
	for i, u := range items {
		for _, v := range items[i+1:] {
			sum += max(w.gain[int(u)*w.n+int(v)], w.gain[int(v)*w.n+int(u)], 0)
		}
	}
	return sum
}

// weakTable is the dynamic program over the subsets of one component.
type weakTable struct {
	h     []float64 // gains within the component, m×m
	rows  []float64 // rows[s·m + u] = Σ h[u,v] over v in s
	inner []float64 // Σ h[u,v] over u, v in s, both orders
	first []float64 // first[b] = Σ over u in b of rows[s·m + u], for the s at hand
	best  []float64 // the most that the items of s earn among themselves
	block []int32   // their first block
}

// solve gives the items, at most MaxTied, the next ranks in a best ranking of them and returns what it earns.
func (w *WeakWorkspace) solve(rank []int32, items []int32) float64 {
	if len(items) >= boundTied {
		return w.solveBounded(rank, items)
	}
	return w.solveTabled(rank, items)
}

// solveTabled is solve by a table of all subsets.
//
// best[s] = max over the first block b, a non-empty part of s, of best[s∖b] + Σ h[u,v] over u in b and v in s∖b. The sum is
// Σ_{u∈b} rows[s,u] − inner[b], and its first part is known from b without its smallest item. Cost: 3^m steps, 2^m (m+4)
// float64s of memory. Among equal choices the smallest set of items, read as a binary number, is first.
func (w *WeakWorkspace) solveTabled(rank []int32, items []int32) float64 {
	m := len(items)
	t := &w.table
	t.prepare(w.gain, w.n, items)
	t.run(m)
	for s := 1<<m - 1; s > 0; {
		b := int(t.block[s])
		w.ranks++
		for x := uint(b); x != 0; x &= x - 1 {
			rank[items[bits.TrailingZeros(x)]] = w.ranks
		}
		s &^= b
	}
	return t.best[1<<m-1]
}

// run fills the tables of the rankings of all subsets.
func (t *weakTable) run(m int) {
	t.best[0] = 0
	for s := 1; s < 1<<m; s++ {
		rows := t.rows[s*m : (s+1)*m]
		t.first[0] = 0
		value, block := 0.0, 0
		for b := s & -s; ; b = (b - s) & s {
			f := t.first[b&(b-1)] + rows[bits.TrailingZeros(uint(b))]
			t.first[b] = f
			if e := t.best[s&^b] + (f - t.inner[b]); e > value || block == 0 {
				value, block = e, b
			}
			if b == s {
				break
			}
		}
		t.best[s], t.block[s] = value, int32(block)
	}
}

// prepare sizes the tables and fills those that do not depend on the ranking.
func (t *weakTable) prepare(gain []float64, n int, items []int32) {
	m := len(items)
	t.h = grow(t.h, m*m)
	for i, u := range items {
		for j, v := range items {
			t.h[i*m+j] = gain[int(u)*n+int(v)]
		}
	}
	t.rows = grow(t.rows, m<<m)
	t.inner = grow(t.inner, 1<<m)
	t.first = grow(t.first, 1<<m)
	t.best = grow(t.best, 1<<m)
	t.block = grow(t.block, 1<<m)
	clear(t.rows[:m])
	t.inner[0] = 0
	for s := 1; s < 1<<m; s++ {
		v := bits.TrailingZeros(uint(s))
		from, to := t.rows[(s&(s-1))*m:][:m], t.rows[s*m:][:m]
		for u := range to {
			to[u] = from[u] + t.h[u*m+v]
		}
		t.inner[s] = 0
		for x := uint(s); x != 0; x &= x - 1 {
			t.inner[s] += to[bits.TrailingZeros(x)]
		}
	}
}
