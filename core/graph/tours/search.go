package tours

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// improvement is the smallest gain worth a move, as a fraction of the most that the arcs of a tour could earn. It keeps
	// rounding errors from making the search cycle, so that it ends.
	improvement = 1e-12
	// mostStarts and mostRounds bound the number of local optima that are visited, and effort their number times n².
	mostStarts, mostRounds, effort = 16, 400, 1 << 17
	// excursion is the number of rounds from one return to the best tour to the next.
	excursion = 10
)

// Start writes the best of the tours from which Search begins to tour, its smallest vertex first, and returns its length.
// Without a mask these are tours of three vertices and come with their reverses, so that antisymmetric gains never earn
// less than 0, half-way between the worst and the best. Errors are those of Search. Cost: O(n²) for each of at most 16
// vertices, with a mask for each vertex that is visited, too.
func (w *Workspace) Start(tour []int32, poll func() error) (int, error) {
	return w.search(tour, poll, false)
}

// starts returns from how many vertices the search begins: 16, and fewer for many vertices.
func (w *Workspace) starts() int { return min(w.n, mostStarts, w.visits()) }

// visits returns how many local optima the search visits at most.
func (w *Workspace) visits() int { return max(1, effort/(w.n*w.n)) }

// Search writes a good tour within the mask to tour, its smallest vertex first, and returns its length. The same problem
// gives the same tour. It earns no less than that of Start. It returns ErrNone if it is plain that the mask leaves no tour,
// and ErrNotFound if none is found, which cannot happen where the mask forbids no arcs but by requiring others. An error of
// poll, which may be nil and is called every O(n) steps, ends the search and is returned; tour is unspecified then.
//
// A local optimum is reached by single moves: visit one more vertex, leave one out, exchange one for another, take a
// short segment to another place or turn it round, reverse a stretch or the whole. Local search begins at the best tours
// of three vertices through each of up to 16 vertices, and then in up to 400 rounds at random changes of the last
// optimum; every tenth round changes the best one (iterated local search). There are fewer rounds from 18 vertices on,
// and one start only from 257 on. Cost: O(n²) for each sweep over the moves, a few sweeps for each local optimum.
//
// With a mask it begins at what the mask requires, one other vertex, and greedily inserted ones up to the smallest number.
// Vertices that are required stay, the number of vertices keeps to its bounds, and arcs that the mask forbids cost more than
// everything else can earn.
func (w *Workspace) Search(tour []int32, poll func() error) (int, error) {
	return w.search(tour, poll, true)
}

func (w *Workspace) search(tour []int32, poll func() error, improve bool) (int, error) {
	w.checkTour(tour)
	if err := w.prepare(); err != nil {
		return 0, err
	}
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	w.readMask()
	w.threshold = improvement * float64(w.n) * w.largest()
	starts := w.starts()
	if w.mask != nil {
		w.steer()
		defer func() { copy(w.gain, w.unpenalised) }()
		starts = max(1, min(len(w.plan.nodes), starts))
	}
	length, most := 0, 0.0
	visit := func() (within bool) {
		if improve {
			w.improve()
		}
		within = w.mask.admits(w.ring, w.n)
		if value := w.Value(w.ring); within && (length == 0 || value > most) {
			length, most = copy(tour, w.ring), value
		}
		return within
	}
	within := false
	for i := range starts {
		if w.mask != nil {
			w.beginWithin(i)
		} else {
			w.begin(i)
		}
		within = visit()
		if w.poll.Stopped() {
			return 0, w.poll.Err()
		}
	}
	rounds := 0
	if improve {
		rounds = min(mostRounds, w.visits()-starts)
	}
	rng := rand.New(rand.NewPCG(1, 1)) // any fixed stream
	for round := range rounds {
		if length > 0 && (round%excursion == 0 || !within) {
			w.ring = append(w.ring[:0], tour[:length]...)
		}
		w.change(rng)
		within = visit()
		if w.poll.Stopped() {
			return 0, w.poll.Err()
		}
	}
	if length == 0 {
		return 0, ErrNotFound
	}
	fromSmallest(tour[:length])
	return length, nil
}

// fromSmallest rotates a tour so that its smallest vertex comes first.
func fromSmallest(tour []int32) { rotate(tour, slices.Index(tour, slices.Min(tour))) }

// Low returns what some tour earns that earns little, whatever the mask says: an upper bound on the least that one earns.
// Cost: O(n²).
func (w *Workspace) Low() float64 {
	mask := w.mask
	w.mask = nil
	w.readMask()
	defer func() { w.mask = mask }()
	w.threshold = improvement * float64(w.n) * w.largest()
	w.negate()
	w.begin(0)
	w.listIdle()
	w.insert()
	w.exchange()
	w.negate()
	return w.Value(w.ring)
}

func (w *Workspace) negate() {
	for i, g := range w.gain {
		w.gain[i] = -g
	}
}

// begin puts the best tour of three vertices through a given one into the ring.
func (w *Workspace) begin(v int) {
	var best [leastVisits]int32
	most := math.Inf(-1)
	for b := range w.n {
		if b > leastVisits && w.poll.Stopped() {
			break // a tour has been found by then
		}
		for c := range w.n {
			if b == v || c == v || b == c || w.anchored && v != 0 && b != 0 && c != 0 {
				continue
			}
			if e := w.gain[v*w.n+b] + w.gain[b*w.n+c] + w.gain[c*w.n+v]; e > most {
				best, most = [leastVisits]int32{int32(v), int32(b), int32(c)}, e
			}
		}
	}
	w.ring = append(w.ring[:0], best[:]...)
}

// change makes the ring another tour at random: two neighbouring stretches swap places, or a few vertices come and go.
func (w *Workspace) change(rng *rand.Rand) {
	k := len(w.ring)
	if k > leastVisits && rng.IntN(2) == 0 {
		rotate(w.ring, rng.IntN(k))
		i := 1 + rng.IntN(k-2)
		rotate(w.ring[:i+1+rng.IntN(k-1-i)], i)
		return
	}
	w.listIdle()
	if w.rules.least == w.rules.most {
		w.changeMembers(rng)
		return
	}
	for range 1 + rng.IntN(3) {
		if len(w.idle) > 0 && len(w.ring) < w.rules.most && rng.IntN(2) == 0 {
			q := rng.IntN(len(w.idle))
			w.ring = slices.Insert(w.ring, rng.IntN(len(w.ring)), w.idle[q])
			w.idle = slices.Delete(w.idle, q, q+1)
		} else if i := rng.IntN(len(w.ring)); len(w.ring) > w.rules.least && !w.fixed(w.ring[i]) {
			w.ring = slices.Delete(w.ring, i, i+1)
		}
	}
}

// rotate moves the first i vertices behind the others.
func rotate(tour []int32, i int) {
	slices.Reverse(tour[:i])
	slices.Reverse(tour[i:])
	slices.Reverse(tour)
}

// largest returns the largest |gain| of going between two different vertices.
func (w *Workspace) largest() float64 {
	var most float64
	for u := range w.n {
		for v, g := range w.gain[u*w.n : (u+1)*w.n] {
			if v != u {
				most = max(most, math.Abs(g))
			}
		}
	}
	return most
}
