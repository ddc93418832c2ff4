package ordering

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// CycleError says that items are required to stand in a circle: each before the next, and the last before the first.
type CycleError struct{ Items []int32 }

func (e *CycleError) Error() string {
	return fmt.Sprintf("ordering: items %v are each required before the next, and the last before the first", e.Items)
}

// NewRequirement returns the partial order of n items in which the first of each pair is before the second, and what
// follows from that by transitivity. It returns a *CycleError that names a cycle where there is one. Cost: O(n²) for each
// pair that does not follow from those before it, at most.
func NewRequirement(n int, pairs [][2]int32) (*Partial, error) {
	p := new(Partial)
	p.Reset(n)
	for i, pair := range pairs {
		u, v := int(pair[0]), int(pair[1])
		if min(u, v) < 0 || max(u, v) >= n {
			return nil, fault.Value("item %d is required before item %d, but items are 0 to %d", u, v, n-1)
		}
		if u == v || p.Before(v, u) {
			return nil, &CycleError{pathTo(pair[1], pair[0], n, pairs[:i])}
		}
		if !p.Before(u, v) {
			p.Close(u, v)
		}
	}
	return p, nil
}

// pathTo returns a shortest path from one item to another that there is along the pairs.
func pathTo(from, to int32, n int, pairs [][2]int32) []int32 {
	after := make([]int32, n) // the next item on a path to the last one
	for i := range after {
		after[i] = -1
	}
	after[to] = to
	queue := []int32{to}
	for i := 0; after[from] < 0; i++ {
		for _, pair := range pairs {
			if pair[1] == queue[i] && after[pair[0]] < 0 {
				after[pair[0]] = pair[1]
				queue = append(queue, pair[0])
			}
		}
	}
	path := []int32{from}
	for u := from; u != to; {
		u = after[u]
		path = append(path, u)
	}
	return path
}

// Count returns the number of orders of the items of a partial order, at most MaxSummed, that agree with it. An error of
// poll, which may be nil, ends the work and is returned. Cost: O(m) for each order ideal, 2^m uint64s.
func (p *Partial) Count(poll func() error) (uint64, error) {
	if p.n > MaxSummed {
		return 0, &SizeError{Size: p.n, Limit: MaxSummed}
	}
	items := make([]int32, p.n)
	for i := range items {
		items[i] = int32(i)
	}
	p.sortTopologically(items)
	var l subsets
	l.reset(p.n)
	l.require(p, items)
	l.list()
	var stop parallel.Poll
	stop.Reset(poll)
	counts := make([]uint64, 1<<p.n)
	for i, t := range l.tops {
		if i%16 == 0 && stop.Stopped() {
			return 0, stop.Err()
		}
		for x := l.ideals[i]; x != 0; x &= x - 1 {
			s := int(t)<<l.low | bits.TrailingZeros64(x)
			if s == 0 {
				counts[s] = 1
			}
			for y := l.lasts(s); y != 0; y &= y - 1 {
				counts[s] += counts[s&^(1<<bits.TrailingZeros(y))]
			}
		}
	}
	return counts[1<<p.n-1], nil
}

// sortTopologically sorts items so that each comes behind those before it, of which it has more before it than they have.
func (p *Partial) sortTopologically(items []int32) {
	slices.SortStableFunc(items, func(u, v int32) int { return size(p.lower(int(u))) - size(p.lower(int(v))) })
}

// Require leaves only the orders in which items stand as in a partial order of the same items, until the next Reset. It is
// not copied and must not change in the meantime.
func (w *Workspace) Require(before *Partial) {
	mustFit(before, w.n)
	w.before = before
}

// room returns the first and the last place that the item at a place can be moved to, those between moving up by one. start
// must have been called for the items.
func (w *Workspace) room(items []int32, at int) (first, last int) {
	u := int(items[at])
	if w.before == nil || !w.held[u] {
		return 0, len(items) - 1
	}
	for first = at; first > 0 && !w.before.Before(int(items[first-1]), u); first-- {
	}
	for last = at; last < len(items)-1 && !w.before.Before(u, int(items[last+1])); last++ {
	}
	return first, last
}

// hold finds the items that are required before or behind another one of them, so that room need not look around for others.
func (w *Workspace) hold(items []int32) {
	w.held = grow(w.held, w.n)
	for _, u := range items {
		w.held[u] = false
	}
	for _, u := range items {
		for _, v := range items {
			if w.before.Before(int(u), int(v)) {
				w.held[u], w.held[v] = true, true
			}
		}
	}
}

// sortAllowed puts next, again and again, the item of the largest score, times sign, of those for which all items are there
// that are required before it. Among equal ones it is the first. Cost: O(m²).
func (w *Workspace) sortAllowed(items []int32, sign float64) {
	w.waiting = grow(w.waiting, w.n)
	for _, u := range items {
		w.waiting[u] = 0
		for _, v := range items {
			if w.before.Before(int(v), int(u)) {
				w.waiting[u]++
			}
		}
	}
	for place := range items {
		most, at := math.Inf(-1), -1
		for i, u := range items[place:] {
			if score := sign * w.score[u]; w.waiting[u] == 0 && (score > most || at < 0) {
				most, at = score, place+i
			}
		}
		shift(items, at, place)
		for _, v := range items[place+1:] {
			if w.before.Before(int(items[place]), int(v)) {
				w.waiting[v]--
			}
		}
	}
}
