package ordering

import (
	"cmp"
	"slices"
)

// improvement is the smallest gain worth a move, as a fraction of the sum of all |gains|. It keeps rounding errors from
// sending the search in circles, so that it ends.
const improvement = 1e-12

// searchPart rearranges the items into a good order by local search and returns a bound on what any order of them
// earns.
func (w *Workspace) searchPart(items []int32) (bound float64) {
	bound = w.magnitude(items)
	w.start(items)
	w.insert(items, improvement*bound)
	return bound
}

// start sorts the items by the sum of their gains against the others, largest first, which is the order of their Borda
// scores, or the other way round where that earns more: the result earns at least 0.
func (w *Workspace) start(items []int32) {
	w.score = grow(w.score, w.n)
	for _, u := range items {
		r := w.gain[int(u)*w.n : (int(u)+1)*w.n]
		var sum float64
		for _, v := range items {
			sum += r[v]
		}
		w.score[u] = sum
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

// insert moves single items to their best places until no move earns more than threshold. Moving u to before v, with
// all items between them, earns twice the gains of u against each item it passes. Cost: O(n²) for each sweep.
func (w *Workspace) insert(items []int32, threshold float64) {
	for moved := true; moved; {
		moved = false
		for i, u := range items {
			r := w.gain[int(u)*w.n : (int(u)+1)*w.n]
			to, most := i, threshold/2
			var sum float64
			for j := i - 1; j >= 0; j-- {
				sum += r[items[j]]
				if sum > most {
					to, most = j, sum
				}
			}
			sum = 0
			for j := i + 1; j < len(items); j++ {
				sum -= r[items[j]]
				if sum > most {
					to, most = j, sum
				}
			}
			switch {
			case to < i:
				copy(items[to+1:i+1], items[to:i])
			case to > i:
				copy(items[i:to], items[i+1:to+1])
			default:
				continue
			}
			items[to] = u
			moved = true
		}
	}
}
