package ordering

import (
	"math/bits"
	"math/rand/v2"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// closureWork bounds the items before and behind a new relation, by their product, and so the cost of weighing it.
	closureWork = 256
	// partialKicks and partialWork bound the number of times that the search starts again from a disturbed order: by
	// their number, and by the number of relations they weigh.
	partialKicks = 400
	partialWork  = 1 << 20
)

// PartialWorkspace holds one instance of the problem to find a partial order of n elements whose related pairs earn as
// much as possible in all, and the scratch to search for one. The gains form an n×n matrix g: having u before v earns
// g[u,v], leaving the two unrelated earns 0. The zero value is ready for use. It is not safe for concurrent use.
type PartialWorkspace struct {
	n         int
	gain      []float64
	linear    Workspace
	order     []int32
	now, best Partial
	value     float64 // of now
	threshold float64
	active    []bool // elements whose relations are to be weighed
	next      []bool // those of the next sweep
	between   []int
	work      int // relations weighed
	poll      parallel.Poll
}

// Reset begins an instance of n elements and returns its n×n gain matrix by rows, for the caller to fill: finite, the
// diagonal 0.
func (w *PartialWorkspace) Reset(n int) []float64 {
	w.n = n
	w.gain = slicex.Grow(w.gain, n*n)
	w.order = slicex.Grow(w.order, n)
	w.active, w.next = slicex.Grow(w.active, n), slicex.Grow(w.next, n)
	return w.gain
}

// Start finds the partial order from which Search is never below, to be read until the next call, and returns it with what
// it earns: the better of the order without relations, which earns 0, and a total order that earns at least Σ (g[u,v] +
// g[v,u])/2 over the pairs. Cost: O(n²).
func (w *PartialWorkspace) Start() (*Partial, float64) {
	w.total(func() { w.linear.Start(w.order) })
	if w.value > 0 {
		return &w.now, w.value
	}
	w.best.Reset(w.n)
	return &w.best, 0
}

// Search finds a good partial order, to be read until the next call, and returns it with what it earns. It improves two
// starts, the order without relations, which earns 0, and a total order that earns at least Σ (g[u,v] + g[v,u])/2 over the
// pairs, by adding, removing and reversing relations, with all that these imply, until none of these gains. Then it takes
// the better result, changes the relations of a few random elements and improves again, keeping the better. It ends early
// where most, a bound on what any order earns, is reached. The random numbers are the same in every call. An error of
// poll, which may be nil and is called for every row of pairs, ends the search and is returned. Cost: O(n²) a sweep over
// the pairs for each start, and a bounded number of steps after that.
func (w *PartialWorkspace) Search(most float64, poll func() error) (*Partial, float64, error) {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	if w.poll.Stopped() {
		return nil, 0, w.poll.Err()
	}
	n := w.n
	w.scale()
	w.now.Reset(n)
	w.value = 0
	w.activateAll()
	w.improve()
	w.best.Set(&w.now)
	value := w.value
	var err error
	w.total(func() { _, _, err = w.linear.Search(w.order, poll) })
	if err != nil {
		return nil, 0, err
	}
	w.activateAll()
	w.improve()
	if w.value > value {
		w.best.Set(&w.now)
		value = w.value
	}
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	w.work = 0
	for kick := 0; kick < partialKicks && w.work < partialWork && value < most-w.threshold && !w.poll.Stopped(); kick++ {
		w.now.Set(&w.best)
		w.value = value
		clear(w.active)
		for range 2 + rng.IntN(3) {
			if kick%2 == 0 || rng.IntN(2) == 0 {
				w.isolate(rng.IntN(n))
			}
			if kick%2 == 1 {
				w.relate(rng.IntN(n), rng.IntN(n))
			}
		}
		w.improve()
		if w.value > value+w.threshold {
			w.best.Set(&w.now)
			value = w.value
		}
	}
	return &w.best, value, w.poll.Err()
}

// scale sets the threshold below which a gain counts as rounding.
func (w *PartialWorkspace) scale() {
	var sum float64
	for _, g := range w.gain[:w.n*w.n] {
		sum += max(g, -g)
	}
	w.threshold = improvement * sum
}

// total sets the order to the total one that find leaves in w.order, for the skew-symmetric part of the gains in w.linear.
// Their symmetric part is the same for all total orders.
func (w *PartialWorkspace) total(find func()) {
	n := w.n
	skew := w.linear.Reset(n)
	for u := range n {
		for v := range n {
			skew[u*n+v] = (w.gain[u*n+v] - w.gain[v*n+u]) / 2
		}
	}
	find()
	w.now.Reset(n)
	w.value = 0
	for i, u := range w.order {
		for _, v := range w.order[i+1:] {
			w.now.Add(int(u), int(v))
			w.value += w.gain[int(u)*n+int(v)]
		}
	}
}

func (w *PartialWorkspace) activateAll() {
	for u := range w.active {
		w.active[u] = true
	}
}

// improve sweeps over the pairs with an active element until no change of a relation gains more than the threshold.
// Changes make their elements active.
func (w *PartialWorkspace) improve() {
	for moved := true; moved; {
		moved = false
		clear(w.next)
		for u := range w.n {
			if w.poll.Stopped() {
				return
			}
			for v := range w.n {
				if u == v || !w.active[u] && !w.active[v] || w.now.Before(v, u) {
					continue
				}
				w.work++
				changed := false
				if w.now.Before(u, v) {
					changed = w.drop(u, v, false) || w.drop(u, v, true)
				} else {
					changed = w.add(u, v, 0)
				}
				if changed {
					w.next[u], w.next[v] = true, true
					moved = true
				}
			}
		}
		w.active, w.next = w.next, w.active
	}
}

// add puts u before v, with all relations that follow, if they earn more than the threshold beyond what was paid.
func (w *PartialWorkspace) add(u, v int, paid float64) bool {
	p := &w.now
	if (p.In.Count(u)+1)*(p.Out.Count(v)+1) > closureWork && !p.CanAdd(u, v) {
		return false
	}
	earned := w.earned(u, v)
	for a := range p.In.Related(u) {
		earned += w.earned(a, v)
	}
	if earned <= paid+w.threshold {
		return false
	}
	p.Close(u, v)
	w.value += earned
	return true
}

// earned returns what the relations of a to v, and to all after v, earn, as far as they are new.
func (w *PartialWorkspace) earned(a, v int) (sum float64) {
	p := &w.now
	present, row := p.Out.Row(a), w.gain[a*w.n:(a+1)*w.n]
	if !p.Before(a, v) {
		sum = row[v]
	}
	for i, word := range p.Out.Row(v) {
		for word &^= present[i]; word != 0; word &= word - 1 {
			sum += row[64*i+bits.TrailingZeros64(word)]
			w.work++
		}
	}
	return sum
}

// drop takes back that u is before v, or reverses it, where that gains. What lies between the two must leave one of them:
// u loses its relations to v and all between, or, with upper, v loses its to u and all between.
func (w *PartialWorkspace) drop(u, v int, upper bool) bool {
	p := &w.now
	first := v
	if upper {
		first = u
	}
	w.between = append(w.between[:0], first)
	for i, word := range p.Out.Row(u) {
		for word &= p.In.Row(v)[i]; word != 0; word &= word - 1 {
			w.between = append(w.between, 64*i+bits.TrailingZeros64(word))
		}
	}
	w.work += len(w.between)
	var cost float64
	for _, x := range w.between {
		a, b := ends(u, v, x, upper)
		cost += w.gain[a*w.n+b]
	}
	if cost >= -w.threshold && w.gain[v*w.n+u] <= 0 {
		return false // a reversal that earns nothing by itself is not worth weighing
	}
	for _, x := range w.between {
		p.Remove(ends(u, v, x, upper))
	}
	w.value -= cost
	if w.add(v, u, max(cost, 0)) || cost < -w.threshold {
		for _, x := range w.between {
			w.next[x] = true
		}
		return true
	}
	for _, x := range w.between {
		p.Add(ends(u, v, x, upper))
	}
	w.value += cost
	return false
}

// ends returns the relation with x that is lost when u and v are separated.
func ends(u, v, x int, upper bool) (before, after int) {
	if upper {
		return x, v
	}
	return u, x
}

// isolate removes all relations of u.
func (w *PartialWorkspace) isolate(u int) {
	for a := range w.now.In.Related(u) {
		w.value -= w.gain[a*w.n+u]
		w.active[a] = true
	}
	for b := range w.now.Out.Related(u) {
		w.value -= w.gain[u*w.n+b]
		w.active[b] = true
	}
	w.now.Isolate(u)
	w.active[u] = true
}

// relate puts u before v with all relations that follow, unless the two are related.
func (w *PartialWorkspace) relate(u, v int) {
	if u == v || w.now.Before(u, v) || w.now.Before(v, u) {
		return
	}
	w.value += w.earned(u, v)
	for a := range w.now.In.Related(u) {
		w.value += w.earned(a, v)
		w.active[a] = true
	}
	for b := range w.now.Out.Related(v) {
		w.active[b] = true
	}
	w.now.Close(u, v)
	w.active[u], w.active[v] = true, true
}
