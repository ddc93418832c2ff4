package tours

import (
	"math"
	"math/rand/v2"
	"slices"
)

// StartWithin writes the best of the tours from which SearchWithin begins to tour. Parameters and results are those of
// SearchWithin. Cost: O(n²) for each vertex that is inserted.
func (w *Workspace) StartWithin(tour []int32, rules *Rules, poll func() error) (length int, bound float64, err error) {
	return w.searchWithin(tour, rules, poll, false)
}

// SearchWithin writes a good tour among those that the rules admit to tour, and returns its length and a bound on what
// any of them earns. It begins with the smallest vertex. The rules must leave a tour. The same problem gives the same
// tour, no worse than that of StartWithin. An error of poll, which may be nil, ends the search and is returned; tour is
// unspecified then.
//
// It is Search with other starts, which obey the rules: the prescribed vertices, one other, and greedily inserted ones
// up to the smallest number. Vertices that are required stay, and the number of vertices does where it is given, so that
// only exchanges and changes of the order are left. Steps that would tear apart the head, the tail or the two cost more
// than everything else can earn. Cost: O(n²) for each sweep over the moves.
func (w *Workspace) SearchWithin(tour []int32, rules *Rules, poll func() error) (length int, bound float64, err error) {
	return w.searchWithin(tour, rules, poll, true)
}

func (w *Workspace) searchWithin(tour []int32, rules *Rules, poll func() error, improve bool) (length int, bound float64, err error) {
	w.checkTour(tour)
	w.check(rules)
	w.poll.Reset(poll)
	w.rules = rules
	w.unpenalised = append(w.unpenalised[:0], w.gain...)
	defer func() {
		w.poll.Reset(nil)
		w.rules = nil
		copy(w.gain, w.unpenalised)
	}()
	w.threshold = improvement * float64(w.n) * w.largest()
	w.penalise(rules)
	bound = w.boundWithin(rules)
	most := 0.0
	visit := func() {
		if improve {
			w.improve()
		}
		if value := w.Value(w.ring); w.joined(rules) && (length == 0 || value > most) {
			length, most = copy(tour, w.ring), value
		}
	}
	free := rules.free(nil, w.n)
	starts := max(1, min(len(free), mostStarts, w.visits()))
	for i := range starts {
		w.beginWithin(rules, free, i)
		visit()
		if w.poll.Stopped() {
			return 0, 0, w.poll.Err()
		}
	}
	rounds := 0
	if improve {
		rounds = min(mostRounds, w.visits()-starts)
	}
	rng := rand.New(rand.NewPCG(1, 1)) // any fixed stream
	for round := range rounds {
		if round%excursion == 0 || !w.joined(rules) {
			w.ring = append(w.ring[:0], tour[:length]...)
		}
		w.change(rng)
		visit()
		if w.poll.Stopped() {
			return 0, 0, w.poll.Err()
		}
	}
	fromSmallest(tour[:length])
	return length, bound, nil
}

// kept reports whether the rules of the search prescribe a vertex.
func (w *Workspace) kept(v int32) bool {
	r := w.rules
	return r != nil && (r.fixed(v) > 0 || contains(r.Head, v) || contains(r.Tail, v))
}

func (w *Workspace) lengthGiven() bool { return w.rules != nil && w.rules.Length > 0 }

// markForbidden marks the vertices that no tour visits under the rules of the search.
func (w *Workspace) markForbidden(mark []int32) {
	if w.rules == nil {
		return
	}
	for v := range mark {
		if u := int32(v); w.rules.fixed(u) < 0 && !w.kept(u) {
			mark[v] = 1
		}
	}
}

// steps yields the steps inside the head, inside the tail and from the tail to the head.
func (r *Rules) steps(yield func(u, v int32)) {
	for i, v := range r.Head {
		if i > 0 {
			yield(r.Head[i-1], v)
		}
	}
	for i, v := range r.Tail {
		next := r.Head[0]
		if i+1 < len(r.Tail) {
			next = r.Tail[i+1]
		}
		yield(v, next)
	}
}

// penalise makes every step that takes the place of a prescribed one cost more than what tours can differ by.
func (w *Workspace) penalise(r *Rules) {
	penalty := 4 * float64(w.n) * w.largest()
	if penalty == 0 {
		penalty = 1
	}
	cost := make([]float64, len(w.gain))
	r.steps(func(u, v int32) {
		for x := range int32(w.n) {
			if x != v {
				cost[int(u)*w.n+int(x)] = penalty
			}
			if x != u {
				cost[int(x)*w.n+int(v)] = penalty
			}
		}
	})
	for i, c := range cost {
		w.gain[i] -= c
	}
}

// joined reports whether the ring makes all prescribed steps.
func (w *Workspace) joined(r *Rules) bool {
	ok := true
	r.steps(func(u, v int32) {
		i := slices.Index(w.ring, u)
		ok = ok && i >= 0 && w.ring[next(i, len(w.ring))] == v
	})
	return ok
}

// beginWithin puts a tour that obeys the rules into the ring; the start is the number of a free vertex that it visits
// if there is room.
func (w *Workspace) beginWithin(r *Rules, free []int32, start int) {
	w.ring = append(append(w.ring[:0], r.Head...), r.Tail...)
	target := leastVisits
	if r.Length > 0 {
		target = r.Length
	}
	required := 0
	for _, v := range free {
		if r.fixed(v) > 0 {
			w.place(v)
			required++
		}
	}
	rest := make([]int32, 0, len(free)-required)
	for i := range free {
		if v := free[(start+i)%len(free)]; r.fixed(v) == 0 {
			rest = append(rest, v)
		}
	}
	for i := 0; len(w.ring) < target; i++ {
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

// boundWithin returns a bound on what a tour earns under the rules, by the reasoning of Bound: what it earns is the sum
// over its vertices of the gain of reaching each, or of leaving each, from or to another vertex that may be visited.
func (w *Workspace) boundWithin(r *Rules) float64 {
	allowed := append(append(r.free(nil, w.n), r.Head...), r.Tail...)
	needed := leastVisits
	if r.Length > 0 {
		needed = r.Length
	}
	sum := func(gain func(v, u int32) float64) (total float64) {
		var others []float64
		left := needed
		for _, v := range allowed {
			most := math.Inf(-1)
			for _, u := range allowed {
				if u != v {
					most = max(most, gain(v, u))
				}
			}
			if w.kept(v) {
				total += most
				left--
			} else {
				others = append(others, most)
			}
		}
		slices.Sort(others)
		for i, c := range slices.Backward(others) {
			if len(others)-i <= left || c > 0 && r.Length == 0 {
				total += c
			}
		}
		return total
	}
	return min(sum(func(v, u int32) float64 { return w.at(u, v) }), sum(func(v, u int32) float64 { return w.at(v, u) }))
}
