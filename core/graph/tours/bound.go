package tours

import (
	"math"
	"slices"

	"combpred/core/slicex"
)

// Bound returns a bound on what any tour within the mask earns; −Inf says that there is none. Cost: O(n²).
//
// What a tour earns is the sum over its vertices of the gain of reaching each, or of leaving each, or of half of both,
// when the neighbours on the two sides differ. So it is at most the sum of the largest such gains of its vertices, and
// at most the sum of the positive ones among all vertices and of as many others as every tour needs. The smallest of the
// three bounds is returned.
func (w *Workspace) Bound() float64 {
	if w.prepare() != nil {
		return math.Inf(-1)
	}
	w.readMask()
	w.potential = slicex.Grow(w.potential, 3*w.n)
	reached, left, both := w.potential[:w.n], w.potential[w.n:2*w.n], w.potential[2*w.n:]
	for v := range w.n {
		var in, out twoBest
		in.reset()
		out.reset()
		for u := range w.n {
			if u != v && w.usable(int32(u), int32(v)) {
				in.add(w.gain[u*w.n+v], u)
			}
			if u != v && w.usable(int32(v), int32(u)) {
				out.add(w.gain[v*w.n+u], u)
			}
		}
		reached[v], left[v] = in.first, out.first
		both[v] = (in.first + out.first) / 2
		if in.from == out.from {
			both[v] = max(in.first+out.second, in.second+out.first) / 2
		}
	}
	return min(w.most(reached), w.most(left), w.most(both))
}

// most returns the most that the visited vertices contribute when every tour visits those that it must, as many as it must
// and no more than it may. The contributions are put in another order.
func (w *Workspace) most(contribution []float64) (sum float64) {
	u := &w.rules
	others := contribution[:0]
	must := 0
	for v, c := range contribution {
		switch u.status[v] {
		case Always:
			sum += c
			must++
		case Free:
			others = append(others, c)
		}
	}
	slices.Sort(others)
	for i, c := range slices.Backward(others) {
		if visited := must + len(others) - i; visited <= u.least || c > 0 && visited <= u.most {
			sum += c
		}
	}
	return sum
}

// twoBest keeps the two largest of a sequence of gains, and the vertex of the largest.
type twoBest struct {
	first, second float64
	from          int
}

func (b *twoBest) reset() { b.first, b.second, b.from = math.Inf(-1), math.Inf(-1), -1 }

func (b *twoBest) add(gain float64, from int) {
	switch {
	case gain > b.first:
		b.first, b.second, b.from = gain, b.first, from
	case gain > b.second:
		b.second = gain
	}
}
