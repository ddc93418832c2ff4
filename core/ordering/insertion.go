package ordering

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"combpred/core/slicex"
)

// improvement is the smallest gain worth a move, as a fraction of the sum of all |gains|. It keeps rounding errors from
// making the search cycle, so that it ends.
const improvement = 1e-12

const (
	// kicks is the number of times that the search starts again from a disturbed order.
	kicks = 400
	// kickWork bounds the kicks of large components: their number times m² stays below it.
	kickWork = 1 << 22
)

// searchPart rearranges the items into a good order by iterated local search and returns a bound on what any order of
// them earns: it inserts single items where they earn most until no such move gains, then moves a few at random and
// inserts again, going on from the better order. The random numbers are the same in every call. Cost: O(m²) a sweep.
func (w *Workspace) searchPart(items []int32) (bound float64) {
	bound = w.most(items)
	w.start(items)
	threshold := improvement * w.magnitude(items)
	w.insert(items, threshold)
	m := len(items)
	w.localBest = append(w.localBest[:0], items...)
	most := w.Value(items)
	rng := rand.New(rand.NewPCG(3, uint64(m)))
	for range min(kicks, kickWork/(m*m)) {
		if w.poll.Stopped() {
			break
		}
		for range 2 + rng.IntN(3) {
			from, to := rng.IntN(m), rng.IntN(m)
			first, last := w.room(items, from)
			shift(items, from, min(max(to, first), last))
		}
		w.insert(items, threshold)
		if value := w.Value(items); value > most+threshold {
			most = value
			copy(w.localBest, items)
		} else {
			copy(items, w.localBest)
		}
	}
	return bound
}

// shift takes the item at one place to another one, those between moving up by one.
func shift(items []int32, from, to int) {
	u := items[from]
	if to < from {
		copy(items[to+1:from+1], items[to:from])
	} else {
		copy(items[from:to], items[from+1:to+1])
	}
	items[to] = u
}

// start sorts the items by the sum of their gains against the others, largest first, which is the order of their Borda
// scores, or the other way round where that earns more: the result earns at least 0. Where items are required before
// others, it comes as near to both as that allows.
func (w *Workspace) start(items []int32) {
	w.score = slicex.Grow(w.score, w.n)
	for _, u := range items {
		r := w.gain[int(u)*w.n : (int(u)+1)*w.n]
		var sum float64
		for _, v := range items {
			sum += r[v]
		}
		w.score[u] = sum
	}
	if w.before != nil {
		w.hold(items)
		slices.Sort(items)
		w.sortAllowed(items, 1)
		w.localBest = append(w.localBest[:0], items...)
		w.sortAllowed(items, -1)
		if w.Value(items) <= w.Value(w.localBest) {
			copy(items, w.localBest)
		}
		return
	}
	slices.SortFunc(items, func(u, v int32) int {
		if c := cmp.Compare(w.score[v], w.score[u]); c != 0 {
			return c
		}
		return cmp.Compare(u, v)
	})
	if w.Value(items) < 0 {
		slices.Reverse(items)
	}
}

// insert moves single items to their best places, of those that are allowed, until no move earns more than threshold.
// Moving u to before v, with all items between them, earns twice the gains of u against each item it passes. Cost: O(n²) for
// each sweep.
func (w *Workspace) insert(items []int32, threshold float64) {
	for moved := true; moved; {
		moved = false
		for i, u := range items {
			if w.poll.Stopped() {
				return
			}
			r := w.gain[int(u)*w.n : (int(u)+1)*w.n]
			first, last := w.room(items, i)
			to, most := i, threshold/2
			var sum float64
			for j := i - 1; j >= first; j-- {
				sum += r[items[j]]
				if sum > most {
					to, most = j, sum
				}
			}
			sum = 0
			for j := i + 1; j <= last; j++ {
				sum -= r[items[j]]
				if sum > most {
					to, most = j, sum
				}
			}
			if to != i {
				shift(items, i, to)
				moved = true
			}
		}
	}
}
