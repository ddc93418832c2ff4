// Package weak solves the problem of package ordering where items may be tied: rank n items so that the gains of all pairs add up to as
// much as possible, where a pair earns one of three unrelated numbers. It also sums over all rankings, counts them and draws them.
//
// Choices hold pairs to some of the three ways to stand. Best rankings, sums, counts and draws are then those of the rankings that agree
// in all pairs.
package weak

import (
	"fmt"

	"combpred/core/parallel"
	"combpred/core/relation"
	"combpred/core/slicex"
)

// MaxComponent is the largest component that is solved exactly.
const MaxComponent = 16

// searchExact is the largest component that Search solves exactly.
const searchExact = 8

// SizeError says that a component is too large to be solved exactly.
type SizeError struct{ Size, Limit int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("a component of %d items is beyond the limit of exact solution, %d", e.Size, e.Limit)
}

// Workspace holds one instance of the weak ordering problem and the scratch to solve it: rank n items, ties allowed,
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
type Workspace struct {
	n     int
	gain  []float64 // n×n
	may   []Choices // n×n, or empty
	graph relation.Digraph
	order []int32
	ranks int32 // the last rank given out
	table subsetTable
	seek  localSearch
	bound boundedTable
	poll  parallel.Poll

	// For masks.
	class, classRank []int32           // the class of each item among those that must be tied, and the rank of each class
	merged           *Workspace        // the instance of the classes
	reach, strict    relation.Relation // of an item to what it is before or tied with, and before, in all rankings
}

// Reset begins an instance of n items and returns its n×n gain matrix by rows, for the caller to fill: finite, the
// diagonal 0.
func (w *Workspace) Reset(n int) []float64 {
	w.n = n
	w.gain, w.may = slicex.Grow(w.gain, n*n), w.may[:0]
	w.order = slicex.Grow(w.order, n)
	return w.gain
}

// Exact writes a best ranking to rank: the place of each item, 1 for the first, tied items on the same place and no place
// empty. Ties in the value are broken in a fixed way. It returns a *SizeError where a component has more than MaxComponent
// items, and ErrNone where the mask leaves no ranking, and then leaves rank unspecified. Cost: O(n²) and at most
// O(m·3^m) for each component of m items, but far less unless nearly all sets of items are best tied: up to 8 items 2^m
// times the number of sets that are; from 9 items on tables of the subsets of any two of four groups of items, and a
// search of the subsets whose bound leaves them a chance.
func (w *Workspace) Exact(rank []int32) error {
	x, ranks, err := w.reduced(rank)
	if err == nil {
		err = x.exact(ranks)
	}
	if err == nil {
		w.expand(rank, ranks)
	}
	return err
}

// exact is Exact of an instance that reduced has returned, as startAll and search are Start and Search.
func (w *Workspace) exact(rank []int32) error {
	w.decompose()
	for lo, hi := range w.graph.Components() {
		if hi-lo > MaxComponent {
			return &SizeError{Size: hi - lo, Limit: MaxComponent}
		}
	}
	for lo, hi := range w.graph.Components() {
		w.solve(rank, w.order[lo:hi])
	}
	return nil
}

// Start writes the ranking from which Search begins: components follow one another as in some best ranking, each in the
// best of the order by row sums, its reverse and the tie of all, or, under a mask, of the topological orders next to these.
// It returns a bound on what any ranking earns, and whether the one found is proven to be a best one. Cost: O(n²).
func (w *Workspace) Start(rank []int32) (bound float64, optimal bool, err error) {
	x, ranks, err := w.reduced(rank)
	if err != nil {
		return 0, false, err
	}
	bound, optimal = x.startAll(ranks)
	w.expand(rank, ranks)
	return bound, optimal, nil
}

func (w *Workspace) startAll(rank []int32) (bound float64, optimal bool) {
	w.decompose()
	optimal = true
	for lo, hi := range w.graph.Components() {
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
// returned; rank is unspecified then. Under a mask, no step leaves the rankings that it allows.
func (w *Workspace) Search(rank []int32, poll func() error) (bound float64, optimal bool, err error) {
	x, ranks, err := w.reduced(rank)
	if err != nil {
		return 0, false, err
	}
	bound, optimal, err = x.search(ranks, poll)
	w.expand(rank, ranks)
	return bound, optimal, err
}

func (w *Workspace) search(rank []int32, poll func() error) (bound float64, optimal bool, err error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	w.decompose()
	optimal = true
	for lo, hi := range w.graph.Components() {
		if w.poll.Stopped() {
			break
		}
		part := w.order[lo:hi]
		bound += w.between(part, w.order[hi:])
		if len(part) <= searchExact {
			bound += w.solve(rank, part)
			continue
		}
		most := w.pairwise(part)
		bound += most
		optimal = w.searchPart(rank, part, most) && optimal
	}
	return bound, optimal, w.poll.Err()
}

func mustHoldRanks(rank []int32, n int) {
	if len(rank) != n {
		panic(fmt.Sprintf("weak: rank has length %d, want %d", len(rank), n))
	}
}

// decompose writes the items to w.order, component after component.
func (w *Workspace) decompose() {
	n := w.n
	w.graph.Reset(n)
	for u := range n {
		for v := range n {
			if u != v && !w.prefers(u, v) {
				w.graph.Add(v, u)
			}
		}
	}
	w.graph.ComponentsTo(w.order)
	w.ranks = 0
}

// between returns the sum of the gains of the first items placed before the second.
func (w *Workspace) between(first, second []int32) float64 {
	return between(w.gain, w.n, first, second)
}

// between returns the sum of gain[u,v], of an n×n matrix, over the first items u and the second v.
func between(gain []float64, n int, first, second []int32) float64 {
	var sum float64
	for _, u := range first {
		r := gain[int(u)*n : (int(u)+1)*n]
		for _, v := range second {
			sum += r[v]
		}
	}
	return sum
}

// pairwise returns what the pairs of the items earn when each takes its best choice.
func (w *Workspace) pairwise(items []int32) float64 {
	var sum float64
	for i, u := range items {
		for _, v := range items[i+1:] {
			at, back := int(u)*w.n+int(v), int(v)*w.n+int(u)
			sum += mostOf(w.gain[at], w.gain[back], choices(w.may, at))
		}
	}
	return sum
}

// solve gives the items, at most MaxComponent, the next ranks in a best ranking of them and returns what it earns.
func (w *Workspace) solve(rank []int32, items []int32) float64 {
	if len(items) >= leastBounded {
		return w.solveBounded(rank, items)
	}
	return w.solveTabled(rank, items)
}
