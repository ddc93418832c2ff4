package tours

import (
	"math"
	"math/bits"
)

// Exact writes a tour of largest gain to tour, its smallest vertex first, and returns its length. Ties are broken in a
// fixed way; without any gain the tour is 0, 1, 2. It returns a *SizeError beyond MaxVertices vertices. Cost: O(2^n n²)
// time and 2^(n-1)(n-1) float64s of memory.
//
// The tours are grouped by their smallest vertex, the root, which leaves half as many subsets from one root to the next;
// an anchored problem has the root 0 only.
func (w *Workspace) Exact(tour []int32) (int, error) {
	w.checkTour(tour)
	if w.n > MaxVertices {
		return 0, &SizeError{Size: w.n}
	}
	roots := 1
	if !w.anchored {
		roots = w.n - leastVisits + 1
	}
	length, most := 0, math.Inf(-1)
	for root := range roots {
		value, subset, last := w.tabulate(root)
		if value > most || length == 0 {
			length, most = w.unwind(tour, root, subset, last), value
		}
	}
	return length, nil
}

// tabulate fills the table for the tours with a given root, and returns the most that one earns, its other vertices and
// the last of them. Subsets and vertices are numbered from the vertex behind the root on.
//
// Dynamic programming over subsets (Held and Karp, 1962; Bellman, 1962): with table[S,v] the most that a path from the
// root through all of S earns when it ends in v, table[S,v] = max over u in S∖v of table[S∖v,u] + gain[u,v]. The tour is
// free to stop at any S, so the maximum is taken over all of them. Cost: O(2^m m²) for m vertices behind the root.
func (w *Workspace) tabulate(root int) (most float64, subset, last int) {
	m := w.load(root)
	w.table = grow(w.table, m<<m)
	table := w.table
	most = math.Inf(-1)
	for s := 1; s < 1<<m; s++ {
		entry := table[s*m : (s+1)*m]
		if s&(s-1) == 0 {
			v := bits.TrailingZeros(uint(s))
			entry[v] = w.open[v]
			continue
		}
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			rest := s &^ (1 << v)
			e := reach(table[rest*m:(rest+1)*m], w.into[v*m:(v+1)*m], rest)
			entry[v] = e
			if closed := e + w.closing[v]; closed > most || closed == most && s == subset {
				most, subset, last = closed, s, v
			}
		}
	}
	return most, subset, last
}

// load copies the gains of the m vertices behind the root and returns m. into[v,u] is the gain of going from u to v.
func (w *Workspace) load(root int) (m int) {
	m = w.n - root - 1
	w.into = grow(w.into, m*m)
	w.open, w.closing = grow(w.open, m), grow(w.closing, m)
	copy(w.open, w.gain[root*w.n+root+1:(root+1)*w.n])
	for u := range m {
		from := w.gain[(root+1+u)*w.n:][:w.n]
		w.closing[u] = from[root]
		for v, g := range from[root+1:] {
			w.into[v*m+u] = g
		}
	}
	return m
}

// reach returns the most that a path earns when it goes on from a vertex of s to one more. It is what the time goes
// into: max compiles to code without branches, which would be mispredicted half of the time.
func reach(from, into []float64, s int) float64 {
	value := math.Inf(-1)
	into = into[:len(from)]
	for x := uint(s); x != 0; x &= x - 1 {
		u := bits.TrailingZeros(x)
		value = max(value, from[u]+into[u])
	}
	return value
}

// unwind writes the tour whose value the table holds, and returns its length.
func (w *Workspace) unwind(tour []int32, root, subset, last int) int {
	m := w.n - root - 1
	length := bits.OnesCount(uint(subset)) + 1
	tour[0] = int32(root)
	for place := length - 1; place > 0; place-- {
		tour[place] = int32(root + 1 + last)
		subset &^= 1 << last
		from, into := w.table[subset*m:], w.into[last*m:]
		value := math.Inf(-1)
		for x := uint(subset); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x)
			if e := from[u] + into[u]; e > value {
				value, last = e, u
			}
		}
	}
	return length
}
