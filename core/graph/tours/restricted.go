package tours

import (
	"fmt"
	"math"
)

// StatesError says that the tours under some rules are too many to be solved exactly.
type StatesError struct{ Free int }

func (e *StatesError) Error() string {
	return fmt.Sprintf("the sets of the %d free vertices are too many for exact solution: %d states are the limit",
		e.Free, MostStates)
}

// ExactWithin writes a tour of largest gain among those that the rules admit to tour, and returns its length. It begins
// with the rules' head. The rules must leave a tour. Ties are broken in a fixed way. It returns a *StatesError where the
// table would have more than MostStates entries.
//
// Dynamic programming over the sets of free vertices, as in Exact, but in order of their size, so that a given length
// ends it early: with m free vertices of which at most k are visited there are Σ_{i≤k} C(m,i)·i states, each reached
// from at most k−1 others. Without a head, each required vertex begins every tour as well as any other, and the first
// one is taken; without any, the smallest vertex of the tour, one after the other.
func (w *Workspace) ExactWithin(tour []int32, rules *Rules) (int, error) {
	w.checkTour(tour)
	w.check(rules)
	p := &w.paths
	roots := w.chooseEnds(rules)
	length, most := 0, math.Inf(-1)
	for root := range roots {
		if root > 0 {
			p.head[0], p.free = p.free[0], p.free[1:]
		}
		if !w.limits(rules) {
			break // too few vertices are left, here and behind later roots
		}
		if err := p.allocate(); err != nil {
			return 0, err
		}
		w.loadPaths(rules)
		if value, end := p.solve(); value > most || length == 0 {
			most, length = value, p.unwind(tour, end)
		}
	}
	return length, nil
}

// SolvableWithin reports whether ExactWithin solves problems of n vertices under the rules, which must leave a tour: whether
// its table is small enough for the first root, that with most vertices beside it.
func SolvableWithin(n int, rules *Rules) bool {
	w := Workspace{n: n}
	w.chooseEnds(rules)
	if !w.limits(rules) {
		return true
	}
	_, err := w.paths.count()
	return err == nil
}

// chooseEnds sets the head, the tail and the free vertices of the first root and returns the number of roots.
func (w *Workspace) chooseEnds(rules *Rules) (roots int) {
	p := &w.paths
	p.head, p.tail = append(p.head[:0], rules.Head...), append(p.tail[:0], rules.Tail...)
	p.free = rules.free(p.free[:0], w.n)
	if len(p.head) > 0 {
		return 1
	}
	return w.chooseHead(rules)
}

// chooseHead moves a vertex from which all tours can be listed from the free ones to the head, and returns how many
// vertices may take its place in turn.
func (w *Workspace) chooseHead(rules *Rules) (roots int) {
	p := &w.paths
	for i, v := range p.free {
		if rules.fixed(v) > 0 {
			p.head = append(p.head, v)
			p.free = append(p.free[:i], p.free[i+1:]...)
			return 1
		}
	}
	roots = len(p.free)
	p.head, p.free = append(p.head, p.free[0]), p.free[1:]
	return roots
}

// limits sets how many of the free vertices are visited, and reports whether there are enough.
func (w *Workspace) limits(rules *Rules) bool {
	p := &w.paths
	ends := len(p.head) + len(p.tail)
	p.least, p.most = max(0, leastVisits-ends), len(p.free)
	if rules.Length > 0 {
		p.least, p.most = rules.Length-ends, rules.Length-ends
	}
	return p.least <= len(p.free)
}

// loadPaths copies the gains between the free vertices and those at the ends.
func (w *Workspace) loadPaths(rules *Rules) {
	p := &w.paths
	m := len(p.free)
	from, to := p.head[len(p.head)-1], p.head[0]
	if len(p.tail) > 0 {
		to = p.tail[0]
	}
	p.direct = w.at(from, to)
	p.into = grow(p.into, m*m)
	p.open, p.closing = grow(p.open, m), grow(p.closing, m)
	p.required = grow(p.required, m)
	for i, v := range p.free {
		p.open[i], p.closing[i], p.required[i] = w.at(from, v), w.at(v, to), 0
		if rules.fixed(v) > 0 {
			p.required[i] = 1
		}
		for j, u := range p.free {
			p.into[i*m+j] = w.at(u, v)
		}
	}
}
