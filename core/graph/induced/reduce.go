package induced

import "combpred/core/slicex"

// mostRounds bounds the rounds of reduction: later ones decide little, and none is needed.
const mostRounds = 16

// state is what reduction knows of a vertex.
type state byte

const (
	open state = iota // not decided
	out
	in
	placed // not decided, and assigned to a component
)

// reduce decides vertices by persistency until none can be, marks those that are put in, and splits the rest into
// components. Cost: O(n²) for each of at most mostRounds rounds.
func (w *Workspace) reduce(chosen []bool) {
	n := w.n
	w.linear = slicex.Grow(w.linear, n)
	w.state = slicex.Grow(w.state, n)
	clear(w.linear)
	clear(w.state)
	clear(chosen)
	w.decideFixed(chosen)
	for round, again := 0, true; again && round < mostRounds; round++ {
		again = false
		for u := range int32(n) {
			if w.state[u] != open {
				continue
			}
			gain, loss := w.linear[u], w.linear[u]
			for v, weight := range w.row(u) {
				if w.state[v] == open {
					gain += max(0, weight)
					loss += min(0, weight)
				}
			}
			switch {
			case gain <= 0:
				w.state[u] = out
			case loss >= 0:
				w.state[u] = in
				w.putIn(u, chosen)
			default:
				continue
			}
			again = true
		}
	}
	w.split()
}

// decideFixed decides the vertices that Fix has fixed.
func (w *Workspace) decideFixed(chosen []bool) {
	for v, f := range w.fixed {
		switch {
		case f < 0:
			w.state[v] = out
		case f > 0:
			w.state[v] = in
			w.putIn(int32(v), chosen)
		}
	}
}

// putIn chooses a vertex, whose weights become linear terms of the others.
func (w *Workspace) putIn(u int32, chosen []bool) {
	chosen[u] = true
	for v, weight := range w.row(u) {
		w.linear[v] += weight
	}
}

// split gathers the components of the vertices that are open, along non-zero weights, each in ascending order of the
// search from its smallest vertex.
func (w *Workspace) split() {
	w.parts, w.ends = w.parts[:0], w.ends[:0]
	for u := range int32(w.n) {
		if w.state[u] != open {
			continue
		}
		w.state[u] = placed
		w.parts = append(w.parts, u)
		for i := len(w.parts) - 1; i < len(w.parts); i++ {
			for v, weight := range w.row(w.parts[i]) {
				if weight != 0 && w.state[v] == open {
					w.state[v] = placed
					w.parts = append(w.parts, int32(v))
				}
			}
		}
		w.ends = append(w.ends, int32(len(w.parts)))
	}
}

// components yields the bounds of each component in parts.
func (w *Workspace) components() func(yield func(lo, hi int) bool) {
	return func(yield func(lo, hi int) bool) {
		lo := 0
		for _, end := range w.ends {
			if !yield(lo, int(end)) {
				return
			}
			lo = int(end)
		}
	}
}
