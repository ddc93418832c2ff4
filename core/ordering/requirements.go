package ordering

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/relation"
	"combpred/core/slicex"
)

// CycleError says that items are required to stand in a circle: each before the next, and the last before the first.
type CycleError struct{ Items []int }

func (e *CycleError) Error() string {
	return fmt.Sprintf("ordering: items %v are each required before the next, and the last before the first", e.Items)
}

// NewRequirement returns the partial order of n items in which the first of each pair is before the second, and what
// follows from that by transitivity. It returns a *CycleError that names a shortest cycle where there is one.
func NewRequirement(n int, pairs [][2]int32) (*Partial, error) {
	before := relation.New(n)
	for _, pair := range pairs {
		u, v := int(pair[0]), int(pair[1])
		if min(u, v) < 0 || max(u, v) >= n {
			return nil, fault.Value("item %d is required before item %d, but items are 0 to %d", u, v, n-1)
		}
		before.Add(u, v)
	}
	if cycle := before.Cycle(); cycle != nil {
		return nil, &CycleError{cycle[:len(cycle)-1]}
	}
	p, _ := NewPartial(before)
	return p, nil
}

// Summands returns the elements in as many groups as there can be so that all of a group are before all of the next: the
// terms of an ordinal sum. Cost: O(n²/64).
func (p *Partial) Summands() [][]int32 {
	items := make([]int32, p.Len())
	for i := range items {
		items[i] = int32(i)
	}
	p.sortTopologically(items)
	var groups [][]int32
	from, related := 0, 0 // pairs of one of the first items and one of the others that it is before
	for i, u := range items {
		related += p.Out.Count(int(u)) - p.In.Count(int(u)) // all before u are among the first
		if related == (i+1)*(len(items)-i-1) {
			groups, from = append(groups, items[from:i+1]), i+1
		}
	}
	return groups
}

// Among returns the order of some elements alone, numbered as they are listed.
func (p *Partial) Among(items []int32) *Partial {
	before := relation.New(len(items))
	for i, u := range items {
		for j, v := range items {
			if p.Before(int(u), int(v)) {
				before.Add(i, j)
			}
		}
	}
	return &Partial{relation.Both{Out: before, In: before.Transpose()}}
}

// Count returns the number of orders of the items of a partial order, at most MaxSummed, that agree with it. An error of
// poll, which may be nil, ends the work and is returned. Cost: O(m) for each order ideal, 2^m uint64s.
func (p *Partial) Count(poll func() error) (uint64, error) {
	if p.Len() > MaxSummed {
		return 0, &SizeError{Size: p.Len(), Limit: MaxSummed}
	}
	items := make([]int32, p.Len())
	for i := range items {
		items[i] = int32(i)
	}
	p.sortTopologically(items)
	var l subsets
	l.reset(p.Len())
	l.require(p, items)
	l.list()
	var stop parallel.Poll
	stop.Reset(poll)
	counts := make([]uint64, 1<<p.Len())
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
	return counts[1<<p.Len()-1], nil
}

// sortTopologically sorts items so that each comes behind those before it, of which it has more before it than they have.
func (p *Partial) sortTopologically(items []int32) {
	slices.SortStableFunc(items, func(u, v int32) int { return p.In.Count(int(u)) - p.In.Count(int(v)) })
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
	w.held = slicex.Grow(w.held, w.n)
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
	w.waiting = slicex.Grow(w.waiting, w.n)
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
