package tours

import (
	"slices"

	"combpred/core/slicex"
)

// longestSegment is the most vertices that one move takes to another place of the ring.
const longestSegment = 3

// improve changes the ring by local moves until none earns more than the threshold. Cost: O(n²) for each sweep.
func (w *Workspace) improve() {
	w.listIdle()
	for moved := true; moved && !w.poll.Stopped(); {
		moved = w.insert()
		moved = w.drop() || moved
		moved = w.exchange() || moved
		moved = w.shift() || moved
		moved = w.reverse() || moved
	}
}

// listIdle lists the vertices that the ring does not visit.
func (w *Workspace) listIdle() {
	w.spare = slicex.Grow(w.spare, w.n)
	clear(w.spare)
	for _, u := range w.ring {
		w.spare[u] = 1
	}
	w.idle = slicex.Grow(w.idle, w.n)[:0]
	for u, visited := range w.spare {
		if visited == 0 && w.rules.status[u] != Never {
			w.idle = append(w.idle, int32(u))
		}
	}
}

// insert visits idle vertices where that earns the most.
func (w *Workspace) insert() (moved bool) {
	for q := 0; q < len(w.idle) && len(w.ring) < w.rules.most && !w.poll.Stopped(); q++ {
		v := w.idle[q]
		to, most := -1, w.threshold
		for i, a := range w.ring {
			b := w.ring[next(i, len(w.ring))]
			if e := w.at(a, v) + w.at(v, b) - w.at(a, b); e > most {
				to, most = i+1, e
			}
		}
		if to < 0 {
			continue
		}
		w.ring = slices.Insert(w.ring, to, v)
		w.idle = slices.Delete(w.idle, q, q+1)
		q--
		moved = true
	}
	return moved
}

// drop leaves vertices out where their neighbours earn more without.
func (w *Workspace) drop() (moved bool) {
	for i := 0; i < len(w.ring) && len(w.ring) > w.rules.least; i++ {
		a, v, b := w.around(i)
		if w.fixed(v) || w.at(a, b)-w.at(a, v)-w.at(v, b) <= w.threshold {
			continue
		}
		w.ring = slices.Delete(w.ring, i, i+1)
		w.idle = append(w.idle, v)
		i--
		moved = true
	}
	return moved
}

// exchange visits idle vertices in the places of others.
func (w *Workspace) exchange() (moved bool) {
	for i := range w.ring {
		a, v, b := w.around(i)
		if w.poll.Stopped() {
			break
		}
		if w.fixed(v) {
			continue
		}
		with, most := -1, w.at(a, v)+w.at(v, b)+w.threshold
		for q, x := range w.idle {
			if e := w.at(a, x) + w.at(x, b); e > most {
				with, most = q, e
			}
		}
		if with >= 0 {
			w.ring[i], w.idle[with] = w.idle[with], v
			moved = true
		}
	}
	return moved
}

// shift takes segments of up to longestSegment vertices to the places where they earn the most, either way round.
func (w *Workspace) shift() (moved bool) {
	for length := 1; length <= min(longestSegment, len(w.ring)-2); length++ {
		for i := range w.ring {
			if w.poll.Stopped() {
				return false
			}
			moved = w.shiftSegment(i, length) || moved
		}
	}
	return moved
}

// shiftSegment rotates the ring so that the segment of the given length at place i comes first, and moves it.
func (w *Workspace) shiftSegment(i, length int) bool {
	k := len(w.ring)
	w.spare = slicex.Grow(w.spare, k)
	ring := w.spare
	copy(ring[copy(ring, w.ring[i:]):], w.ring[:i])
	head, tail := ring[0], ring[length-1]
	var along, against float64
	for j := range length - 1 {
		along += w.at(ring[j], ring[j+1])
		against += w.at(ring[j+1], ring[j])
	}
	before, behind := ring[k-1], ring[length]
	freed := w.at(before, head) + w.at(tail, behind) - w.at(before, behind)
	to, turned, most := -1, false, freed+w.threshold
	for j := length; j < k-1; j++ {
		p, q := ring[j], ring[j+1]
		gap := w.at(p, q)
		if e := w.at(p, head) + w.at(tail, q) - gap; e > most {
			to, turned, most = j, false, e
		}
		if e := w.at(p, tail) + w.at(head, q) - gap + against - along; e > most {
			to, turned, most = j, true, e
		}
	}
	if e := w.at(before, tail) + w.at(head, behind) - w.at(before, behind) + against - along; e > most {
		to, turned = k-1, true // it stays in its place and is turned round
	}
	if to < 0 {
		return false
	}
	if turned {
		slices.Reverse(ring[:length])
	}
	n := copy(w.ring, ring[length:to+1])
	n += copy(w.ring[n:], ring[:length])
	copy(w.ring[n:], ring[to+1:])
	return true
}

// reverse turns stretches of the ring round, and the whole of it.
func (w *Workspace) reverse() (moved bool) {
	w.sum()
	for i := range w.ring {
		for !w.poll.Stopped() && w.reverseFrom(i) {
			w.sum()
			moved = true
		}
	}
	return moved
}

// reverseFrom makes the best reversal of a stretch behind place i, or of all but that stretch, if one is worth it.
// Reversing all but one vertex reverses the tour. The sums along the ring must be up to date.
func (w *Workspace) reverseFrom(i int) bool {
	k := len(w.ring)
	a := w.ring[i]
	to, rest, most := -1, false, w.threshold
	for j := i + 1; j < k; j++ {
		c, b, d := w.ring[i+1], w.ring[j], w.ring[next(j, k)]
		along, against := w.forward[j]-w.forward[i+1], w.backward[j]-w.backward[i+1]
		outAlong := w.forward[k] - (w.forward[j+1] - w.forward[i])
		outAgainst := w.backward[k] - (w.backward[j+1] - w.backward[i])
		now := w.at(a, c) + w.at(b, d)
		if e := w.at(a, b) + w.at(c, d) + against - along - now; e > most {
			to, rest, most = j, false, e
		}
		if e := w.at(b, a) + w.at(d, c) + outAgainst - outAlong - now; e > most {
			to, rest, most = j, true, e
		}
	}
	if to < 0 {
		return false
	}
	slices.Reverse(w.ring[i+1 : to+1])
	if rest {
		slices.Reverse(w.ring)
	}
	return true
}

// sum fills forward[i] with what the ring earns up to place i, and backward[i] with the same for its reverse.
func (w *Workspace) sum() {
	k := len(w.ring)
	w.forward, w.backward = slicex.Grow(w.forward, k+1), slicex.Grow(w.backward, k+1)
	w.forward[0], w.backward[0] = 0, 0
	for i, u := range w.ring {
		v := w.ring[next(i, k)]
		w.forward[i+1] = w.forward[i] + w.at(u, v)
		w.backward[i+1] = w.backward[i] + w.at(v, u)
	}
}

// around returns the vertex at place i of the ring between its neighbours.
func (w *Workspace) around(i int) (before, at, behind int32) {
	k := len(w.ring)
	return w.ring[(i+k-1)%k], w.ring[i], w.ring[next(i, k)]
}

// fixed reports whether every tour must visit a vertex.
func (w *Workspace) fixed(v int32) bool { return w.rules.status[v] == Always }
