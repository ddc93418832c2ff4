package ordering

import (
	"fmt"
	"math"

	"combpred/core/parallel"
	"combpred/core/relation"
	"combpred/core/slicex"
)

// MaxComponent is the largest strongly connected component that is solved exactly: its table has 2^MaxComponent
// entries.
const MaxComponent = maxSubsets

// searchExact is the largest component that Search solves exactly: there the table costs no more than a local search.
const searchExact = 10

// SizeError says that a component is too large to be solved exactly.
type SizeError struct{ Size, Limit int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("a component of %d items is beyond the limit of exact solution, %d",
		e.Size, e.Limit)
}

// Workspace holds one instance and the scratch to solve it, kept from one instance to the next. The zero value is ready
// for use. It is not safe for concurrent use.
type Workspace struct {
	n         int
	gain      []float64 // n×n
	before    *Partial  // nil without requirements
	graph     relation.Digraph
	sets      subsets   // those of one component
	loss      []float64 // see solve
	score     []float64 // Borda scores
	waiting   []int32   // the items still to come that are required before each
	held      []bool    // see hold
	localBest []int32   // the best order that local search has found
	poll      parallel.Poll
}

// Reset begins an instance of n items and returns its n×n gain matrix by rows, for the caller to fill: skew-symmetric,
// finite.
func (w *Workspace) Reset(n int) []float64 {
	w.n, w.before = n, nil
	w.gain = slicex.Grow(w.gain, n*n)
	return w.gain
}

// Exact writes a best order of the n items to order, items by place. Ties are broken in a fixed way; items without any
// gain come in ascending order. It returns a *SizeError where a component has more than MaxComponent items and then
// leaves order unspecified. Cost: O(n²) and O(m 2^m) for each component of m > 2 items; with requirements, of which
// components take account, O(m) for each order ideal of a component.
func (w *Workspace) Exact(order []int32) error {
	w.decompose(order)
	for lo, hi := range w.graph.Components() {
		if hi-lo > MaxComponent {
			return &SizeError{Size: hi - lo, Limit: MaxComponent}
		}
	}
	for lo, hi := range w.graph.Components() {
		w.solve(order[lo:hi])
	}
	return nil
}

// Start writes an order that earns at least 0, half-way between the worst and the best: components follow one another as
// in some best order, the items of each in the order of their row sums or its reverse, whichever earns more. It returns a
// bound on what any order earns, and whether the order is proven to be a best one. Where items are required before others,
// rows are sorted as far as that is allowed, and an order may earn less than 0. Cost: O(n²).
func (w *Workspace) Start(order []int32) (bound float64, optimal bool) {
	w.decompose(order)
	optimal = true
	for lo, hi := range w.graph.Components() {
		part := order[lo:hi]
		bound += w.between(part, order[hi:])
		if len(part) > 1 {
			optimal = false
			bound += w.most(part)
			w.start(part)
		}
	}
	return bound, optimal
}

// Search writes a good order to order: components of up to 10 items are solved exactly, others by local search from what
// Start gives, which they are never below. It returns a bound on what any order earns, and whether the order is proven to
// be a best one. An error of poll, which may be nil and is called every O(n) steps, ends the search and is returned; order
// is unspecified then. Cost: O(n²) for each sweep.
func (w *Workspace) Search(order []int32, poll func() error) (bound float64, optimal bool, err error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	w.decompose(order)
	optimal = true
	for lo, hi := range w.graph.Components() {
		if w.poll.Stopped() {
			break
		}
		part := order[lo:hi]
		bound += w.between(part, order[hi:])
		if len(part) <= searchExact {
			bound += w.solve(part)
			continue
		}
		optimal = false
		bound += w.searchPart(part)
	}
	return bound, optimal, w.poll.Err()
}

// decompose writes the items to order, component after component. A pair whose order is required makes an arc that way and
// none the other, whatever it gains: that is the same in all orders.
func (w *Workspace) decompose(order []int32) {
	n := w.n
	if len(order) != n {
		panic(fmt.Sprintf("ordering: order has length %d, want %d", len(order), n))
	}
	w.graph.Reset(n)
	for u := range n {
		for v, g := range w.gain[u*n : (u+1)*n] {
			if g > 0 {
				w.graph.Add(u, v)
			}
		}
	}
	if w.before != nil {
		w.graph.Direct(w.before.Both)
	}
	w.graph.ComponentsTo(order)
}

// between returns the sum of the gains of the first items placed before the second.
func (w *Workspace) between(first, second []int32) float64 {
	var sum float64
	for _, u := range first {
		r := w.gain[int(u)*w.n : (int(u)+1)*w.n]
		for _, v := range second {
			sum += r[v]
		}
	}
	return sum
}

// Value returns what an order earns. Cost: O(n²).
func (w *Workspace) Value(order []int32) float64 {
	var sum float64
	for i, u := range order {
		sum += w.between([]int32{u}, order[i+1:])
	}
	return sum
}

// magnitude returns the sum of |g| over the pairs of the items.
func (w *Workspace) magnitude(items []int32) float64 {
	var sum float64
	for i, u := range items {
		r := w.gain[int(u)*w.n : (int(u)+1)*w.n]
		for _, v := range items[i+1:] {
			sum += math.Abs(r[v])
		}
	}
	return sum
}

// most bounds what the orders of the items earn: what is required earns what it gains, other pairs |g| at most.
func (w *Workspace) most(items []int32) float64 {
	sum := w.magnitude(items)
	if w.before == nil {
		return sum
	}
	for _, u := range items {
		for _, v := range items {
			if g := w.gain[int(u)*w.n+int(v)]; g < 0 && w.before.Before(int(u), int(v)) {
				sum += 2 * g
			}
		}
	}
	return sum
}
