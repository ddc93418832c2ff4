package tours

import (
	"math"
	"math/rand/v2"
	"slices"

	"combpred/core/slicex"
)

// rules are what local search and bounds read out of a mask.
type rules struct {
	least, most int
	status      []int8  // of vertices: Always for those at the ends of required arcs, too
	out, in     []int32 // where every tour goes from a vertex, and where it comes from; −1 where the mask leaves that open
	links       []int32 // see plan
}

// readMask reads the mask, of which there must be one, or not, and whose tours must be arranged.
func (w *Workspace) readMask() {
	u := &w.rules
	u.least, u.most = w.mask.limits(w.n)
	u.status = slicex.Grow(u.status, w.n)
	clear(u.status)
	if w.anchored {
		u.status[0] = Always
	}
	if w.mask == nil {
		return
	}
	u.links = w.plan.links
	u.out, u.in = slicex.Grow(u.out, w.n), slicex.Grow(u.in, w.n)
	for v := range int32(w.n) {
		u.out[v], u.in[v] = -1, -1
		if s := w.mask.vertex(v); s != Free {
			u.status[v] = s
		}
	}
	for v := range int32(w.n) {
		for _, x := range u.links[2*v : 2*v+2] {
			if x < 0 {
				continue
			}
			u.status[v] = Always
			if !w.mask.passes(x, v, w.n) {
				u.out[v], u.in[x] = x, v
			}
		}
	}
}

// usable reports whether a tour may go from one vertex to another, as far as the mask says so of the two alone.
func (w *Workspace) usable(from, to int32) bool {
	if w.mask == nil {
		return true
	}
	u := &w.rules
	takes := func(v, other int32) bool { // unless both neighbours are required, and are others
		a, b := u.links[2*v], u.links[2*v+1]
		return b < 0 || a == other || b == other
	}
	return w.mask.arc(from, to, w.n) != Never && u.status[from] >= 0 && u.status[to] >= 0 &&
		(u.out[from] < 0 || u.out[from] == to) && (u.in[to] < 0 || u.in[to] == from) && takes(from, to) && takes(to, from)
}

// steer makes arcs that the mask forbids cost more than what tours can differ by, and those that must be used EitherWay earn as
// much, so that local search comes to the tours within the mask, and stays there. All gains are scaled to 1 at most, so that no sum of
// penalties overflows.
func (w *Workspace) steer() {
	w.unpenalised = append(w.unpenalised[:0], w.gain...)
	_, exponent := math.Frexp(w.largest())
	w.threshold = math.Ldexp(w.threshold, -exponent)
	for i, g := range w.gain {
		w.gain[i] = math.Ldexp(g, -exponent)
	}
	penalty := 4 * float64(w.n)
	for u := range int32(w.n) {
		for v := range int32(w.n) {
			switch at := int(u)*w.n + int(v); {
			case u == v:
			case !w.usable(u, v):
				w.gain[at] -= penalty
			case w.mask.linked(u, v, w.n):
				w.gain[at] += penalty
			}
		}
	}
}

// beginWithin puts a tour into the ring that visits what the mask requires, and as few others as it allows; the start is the
// number of one that is visited if there is room.
func (w *Workspace) beginWithin(start int) {
	w.ring = w.ring[:0]
	var rest []int32
	for i := range w.plan.nodes {
		if x := &w.plan.nodes[i]; len(x.path) > 1 && (x.rival < 0 || x.rival > int32(i)) {
			w.ring = append(w.ring, x.path...)
		}
	}
	for i := range w.plan.nodes {
		switch x := &w.plan.nodes[i]; {
		case len(x.path) > 1:
		case x.required:
			w.place(x.first())
		default:
			rest = append(rest, x.first())
		}
	}
	if len(rest) > 0 {
		rotate(rest, start%len(rest))
	}
	for i := 0; len(w.ring) < w.rules.least && len(rest) > 0; i++ {
		best, most := 0, math.Inf(-1)
		for j, v := range rest {
			if _, gain := w.gap(v); gain > most {
				best, most = j, gain
			}
			if i == 0 {
				break // the start
			}
		}
		w.place(rest[best])
		rest = slices.Delete(rest, best, best+1)
	}
}

// place visits a vertex where that earns the most.
func (w *Workspace) place(v int32) {
	at, _ := w.gap(v)
	w.ring = slices.Insert(w.ring, at, v)
}

// gap returns where a vertex earns the most in the ring, and how much that is.
func (w *Workspace) gap(v int32) (at int, gain float64) {
	gain = math.Inf(-1)
	for i, a := range w.ring {
		b := w.ring[next(i, len(w.ring))]
		e := w.at(a, v) + w.at(v, b)
		if a != b {
			e -= w.at(a, b)
		}
		if e > gain {
			at, gain = i+1, e
		}
	}
	return at, gain
}

// changeMembers exchanges a few vertices at random for idle ones at random places.
func (w *Workspace) changeMembers(rng *rand.Rand) {
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(w.ring))
		if len(w.idle) == 0 || w.fixed(w.ring[i]) {
			continue
		}
		q := rng.IntN(len(w.idle))
		v := w.ring[i]
		w.ring = slices.Delete(w.ring, i, i+1)
		w.ring = slices.Insert(w.ring, rng.IntN(len(w.ring)), w.idle[q])
		w.idle[q] = v
	}
}
