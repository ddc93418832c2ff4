package weak

import "combpred/core/slicex"

// Restrict returns the n×n mask of the instance by rows, of which the entries u < v are read. Every pair may stand in any way,
// which the caller is to change. Without this call there is no mask. It holds until the next Reset, and for one call of Exact,
// Start, Search or Improve, each of which returns ErrNone where, and only where, the mask leaves no ranking.
//
// Whether it leaves one is decided by the pairs that must not be v before u, as arcs from u to v (van Beek, 1992, on the point
// algebra): items on a cycle of arcs are tied in every ranking, so that all their pairs must be free to be. Then any
// topological order of these classes is a ranking that the mask allows. Each class becomes one item, and what arcs imply
// along paths becomes part of the mask.
func (w *Workspace) Restrict() []Choices {
	w.may = allowAll(w.may, w.n)
	return w.may
}

// reduced returns a workspace whose items are those that must be tied, as one each, and room for their ranks: the workspace
// itself and rank where there are none. Cost: O(n²) and O(n/64) for each pair that must not be one way around.
func (w *Workspace) reduced(rank []int32) (*Workspace, []int32, error) {
	n := w.n
	mustHoldRanks(rank, n)
	if len(w.may) == 0 {
		return w, rank, nil
	}
	if !complete(w.may, n) {
		return nil, nil, ErrNone
	}
	w.arcs()
	classes := w.graph.ComponentsTo(w.order)
	if classes == n {
		w.imply()
		return w, rank, nil
	}
	w.class = slicex.Grow(w.class, n)
	class := int32(0)
	for lo, hi := range w.graph.Components() {
		for i, u := range w.order[lo:hi] {
			w.class[u] = class
			for _, v := range w.order[lo+i+1 : hi] {
				if w.may[int(u)*n+int(v)]&MayLevel == 0 {
					return nil, nil, ErrNone
				}
			}
		}
		class++
	}
	x := w.merge(classes)
	x.arcs()
	x.graph.ComponentsTo(x.order)
	x.imply()
	w.ranks = 0
	w.classRank = slicex.Grow(w.classRank, x.n)
	return x, w.classRank, nil
}

// arcs makes the graph that of the pairs of which the second item must not be before the first.
func (w *Workspace) arcs() {
	w.graph.Reset(w.n)
	for at, c := range w.may {
		if u, v := at/w.n, at%w.n; u != v && c&MayFollow == 0 {
			w.graph.Add(u, v)
		}
	}
}

// merge loads the instance of k classes. Pairs of theirs keep a choice: those from one class to another may all be before
// if none is an arc backwards.
func (w *Workspace) merge(k int) *Workspace {
	if w.merged == nil {
		w.merged = new(Workspace)
	}
	x := w.merged
	gain := x.Reset(k)
	clear(gain)
	mask := x.Restrict()
	for u := range w.n {
		for v := range w.n {
			if a, b := int(w.class[u]), int(w.class[v]); a != b {
				gain[a*k+b] += w.gain[u*w.n+v]
				mask[a*k+b] &= w.may[u*w.n+v]
			}
		}
	}
	for a := range k {
		mask[a*k+a] = MayLevel
	}
	return x
}

// imply completes a mask whose arcs have no cycle, given a topological order of them, by what follows along paths: an item
// that is before another or tied with it is not behind it, and is not tied with it if the mask says so for two items on the
// way.
func (w *Workspace) imply() {
	n := w.n
	w.reach.Reset(n)
	w.strict.Reset(n)
	for i := n - 1; i >= 0; i-- {
		u := int(w.order[i])
		may := w.may[u*n:][:n]
		for v, c := range may {
			if v != u && c&MayFollow == 0 {
				w.reach.Add(u, v)
				w.reach.Include(u, w.reach.Row(v))
			}
		}
		for v := range w.reach.Related(u) {
			if may[v]&MayLevel == 0 {
				w.strict.Add(u, v)
				w.strict.Include(u, w.reach.Row(v))
				continue
			}
			w.strict.Include(u, w.strict.Row(v))
		}
		for v := range w.reach.Related(u) {
			may[v] &^= MayFollow
			if w.strict.Has(u, v) {
				may[v] &^= MayLevel
			}
			w.may[v*n+u] = may[v].reversed()
		}
	}
}

// expand writes the ranks of the items, given those of what reduced has returned.
func (w *Workspace) expand(rank, of []int32) {
	if len(rank) == 0 || &rank[0] == &of[0] {
		return
	}
	for u := range rank {
		rank[u] = of[w.class[u]]
	}
}

// prefers reports whether u before v is a best choice for the two.
func (w *Workspace) prefers(u, v int) bool {
	h, back := w.gain[u*w.n+v], w.gain[v*w.n+u]
	if len(w.may) == 0 {
		return h >= 0 && h >= back
	}
	c := w.may[u*w.n+v]
	return c&MayPrecede != 0 && (h >= 0 || c&MayLevel == 0) && (h >= back || c&MayFollow == 0)
}

// mostOf returns what a pair earns at its best choice.
func mostOf(forth, back float64, c Choices) float64 {
	switch c {
	case MayAll:
		return max(forth, back, 0)
	case MayPrecede:
		return forth
	case MayLevel:
		return 0
	case MayFollow:
		return back
	case MayPrecede | MayLevel:
		return max(forth, 0)
	case MayFollow | MayLevel:
		return max(back, 0)
	}
	return max(forth, back)
}

// choices returns those of a pair, given a mask that may be empty.
func choices(may []Choices, at int) Choices {
	if len(may) == 0 {
		return MayAll
	}
	return may[at]
}
