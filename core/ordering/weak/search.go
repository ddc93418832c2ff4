package weak

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// improvement is the smallest gain worth a move, as a fraction of the sum of all |gains|. It keeps rounding errors from making the
	// search cycle, so that it ends.
	improvement = 1e-12
	// kicks is the number of times that local search starts again from a disturbed ranking.
	kicks = 150
	// kickWork bounds the kicks of large components: their number times m² stays below it.
	kickWork = 1 << 22
)

// localSearch is the scratch of the local search.
type localSearch struct {
	now, best ranking
	gain      []float64
	may       []Choices // n×n, or empty
	held      []bool    // under a mask; see hold
	n         int
	threshold float64
	into, out []float64 // gains of one item after, and before, the items of each block
	score     []float64
	visit     []int32
	poll      *parallel.Poll
	bars      blockBars
}

// searchPart gives the items the next ranks by local search and reports whether the ranking earns most, a bound. It
// starts from the best of the order by row sums, its reverse and the tie of all, and improves it by moving one item, or
// by merging, exchanging or splitting places, until no such move gains; then it moves a few items at random and improves
// again, keeping the better. The random numbers are the same in every call. Cost: O(m²) a sweep.
func (w *Workspace) searchPart(rank []int32, items []int32, most float64) (optimal bool) {
	s := w.searched(items, most, min(kicks, kickWork/(len(items)*len(items))))
	w.rankBy(&s.best, rank)
	return s.best.value >= most-s.threshold
}

// searched returns the search for the best ranking of the items, after so many attempts to leave a local optimum, or fewer where most is
// reached.
func (w *Workspace) searched(items []int32, most float64, attempts int) *localSearch {
	s := w.begin(items)
	s.improve()
	s.best.set(&s.now)
	rng := rand.New(rand.NewPCG(1, uint64(len(items))))
	for range attempts {
		if s.best.value >= most-s.threshold || s.poll.Stopped() {
			break
		}
		s.now.set(&s.best)
		for range 2 + rng.IntN(3) {
			s.kick(rng)
		}
		s.improve()
		if s.now.value > s.best.value+s.threshold {
			s.best.set(&s.now)
		}
	}
	return s
}

// begin readies the search for the items at their start.
func (w *Workspace) begin(items []int32) *localSearch {
	s := w.searchOf(items)
	s.start(items)
	return s
}

func (w *Workspace) searchOf(items []int32) *localSearch {
	s := &w.seek
	s.gain, s.may, s.n, s.poll = w.gain, w.may, w.n, &w.poll
	s.threshold = improvement * w.magnitude(items)
	if len(s.may) > 0 {
		s.hold(items)
	}
	return s
}

// Improve moves items, and merges, exchanges and splits places, as long as that gains (Cohen-Boulakia, Denise and Hamel,
// 2011, start so from every ranking that is to be aggregated), and writes the result to rank, which holds any numbers, compared
// by their order. Under a mask, one that it does not allow is first replaced by a topological order next to it. An error of
// poll, which may be nil and is called every O(n) steps, ends it and is returned; rank is unspecified then. Cost: O(n²) a
// sweep.
func (w *Workspace) Improve(rank []int32, poll func() error) error {
	x, ranks, err := w.reduced(rank)
	if err != nil {
		return err
	}
	if x != w {
		for u, class := range w.class[:w.n] {
			ranks[class] = rank[u] // that of any item: they must be tied
		}
	}
	err = x.improve(ranks, poll)
	w.expand(rank, ranks)
	return err
}

func (w *Workspace) improve(rank []int32, poll func() error) error {
	w.poll.Reset(poll)
	defer w.poll.Reset(nil)
	for u := range w.order {
		w.order[u] = int32(u)
	}
	s := w.searchOf(w.order)
	s.score = slicex.Grow(s.score, s.n)
	r := &s.now
	r.items, r.ends = append(r.items[:0], w.order...), r.ends[:0]
	slices.SortFunc(r.items, func(u, v int32) int { return cmp.Or(cmp.Compare(rank[u], rank[v]), cmp.Compare(u, v)) })
	for i, u := range r.items {
		if i+1 == len(r.items) || rank[r.items[i+1]] != rank[u] {
			r.ends = append(r.ends, int32(i+1))
		}
	}
	s.mend()
	r.value = s.total()
	s.improve()
	w.ranks = 0
	w.rankBy(r, rank)
	return w.poll.Err()
}

// rankBy gives the items of a ranking the next ranks.
func (w *Workspace) rankBy(found *ranking, rank []int32) {
	lo := 0
	for _, end := range found.ends {
		w.ranks++
		for _, u := range found.items[lo:end] {
			rank[u] = w.ranks
		}
		lo = int(end)
	}
}

// magnitude returns the sum of |h| over the ordered pairs of the items.
func (w *Workspace) magnitude(items []int32) float64 {
	var sum float64
	for _, u := range items {
		for _, v := range items {
			sum += max(w.gain[int(u)*w.n+int(v)], -w.gain[int(u)*w.n+int(v)])
		}
	}
	return sum
}

// start sets the ranking to the best of three.
func (s *localSearch) start(items []int32) {
	s.score = slicex.Grow(s.score, s.n)
	r := &s.now
	r.items = append(r.items[:0], items...)
	r.ends = r.ends[:0]
	for i, u := range items {
		s.score[u] = between(s.gain, s.n, items[i:i+1], items) - s.against(u, items)
		r.ends = append(r.ends, int32(i+1))
	}
	slices.SortFunc(r.items, func(u, v int32) int {
		return cmp.Or(cmp.Compare(s.score[v], s.score[u]), cmp.Compare(u, v))
	})
	if len(s.may) == 0 {
		forth := s.strict(r.items)
		slices.Reverse(r.items)
		back := s.strict(r.items)
		if forth >= max(back, 0) {
			slices.Reverse(r.items)
		}
		r.value = max(forth, back)
	} else {
		s.startMasked()
	}
	if r.value < 0 && s.all(items, items, MayLevel) {
		r.ends = append(r.ends[:0], int32(len(items)))
		r.value = 0
	}
}

// against returns the sum of the gains of the items placed before u.
func (s *localSearch) against(u int32, items []int32) float64 {
	var sum float64
	for _, v := range items {
		sum += s.gain[int(v)*s.n+int(u)]
	}
	return sum
}

// strict returns what the items earn in their order without ties.
func (s *localSearch) strict(items []int32) float64 {
	var sum float64
	for i := range items {
		sum += between(s.gain, s.n, items[i:i+1], items[i+1:])
	}
	return sum
}

// improve applies moves until none gains more than the threshold.
func (s *localSearch) improve() {
	for moved := true; moved; {
		moved = false
		s.visit = append(s.visit[:0], s.now.items...)
		for _, u := range s.visit {
			if s.poll.Stopped() {
				return
			}
			moved = s.move(u) || moved
		}
		moved = s.adjacent() || moved
		moved = s.split() || moved
	}
}

// move puts u where it earns most: on the place of other items, or on one of its own between two places.
func (s *localSearch) move(u int32) bool {
	r := &s.now
	k := len(r.ends)
	s.into, s.out = slicex.Grow(s.into, k), slicex.Grow(s.out, k)
	row := s.gain[int(u)*s.n : (int(u)+1)*s.n]
	own, at, lo := 0, 0, 0
	var value float64 // of u alone before the blocks seen so far
	for j, end := range r.ends {
		var into, out float64
		for i, v := range r.items[lo:end] {
			if v == u {
				own, at = j, lo+i
				continue
			}
			into += s.gain[int(v)*s.n+int(u)]
			out += row[v]
		}
		s.into[j], s.out[j] = into, out
		value += out
		lo = int(end)
	}
	alone := blockLen(r.ends, own) == 1
	masked, barred := len(s.may) > 0 && s.held[u], 0
	var current float64
	to, most, join := -1, value, false // to = −1: before the first block; otherwise on block to, or after it
	if masked {
		if barred = s.bars.count(s, u); barred > 0 {
			most = math.Inf(-1)
		}
	}
	for j := range k {
		tied := value - s.out[j]
		value = tied + s.into[j]
		mayJoin, mayFollow := true, true
		if masked {
			mayJoin, mayFollow, barred = s.bars.at(j, barred)
		}
		if j == own {
			current = tied
		}
		if tied > most && mayJoin && !(alone && j == own) {
			to, most, join = j, tied, true
		}
		if value > most && mayFollow {
			to, most, join = j, value, false
		}
	}
	if most <= current+s.threshold {
		return false
	}
	r.place(at, own, alone, to, join)
	r.value += most - current
	return true
}

// adjacent merges or exchanges neighbouring places where that gains.
func (s *localSearch) adjacent() (moved bool) {
	r := &s.now
	for j := 0; j+1 < len(r.ends); j++ {
		lo, mid, hi := int(r.ends[j])-blockLen(r.ends, j), int(r.ends[j]), int(r.ends[j+1])
		first, second := r.items[lo:mid], r.items[mid:hi]
		forth, back := between(s.gain, s.n, first, second), between(s.gain, s.n, second, first)
		switch {
		case back > max(forth, 0)+s.threshold && s.all(second, first, MayPrecede):
			s.visit = append(s.visit[:0], first...)
			copy(r.items[lo:], second)
			copy(r.items[lo+hi-mid:], s.visit)
			r.ends[j] = int32(lo + hi - mid)
			r.value += back - forth
		case -forth > s.threshold && s.all(first, second, MayLevel):
			r.ends = slices.Delete(r.ends, j, j+1)
			r.value -= forth
			j--
		default:
			continue
		}
		moved = true
	}
	return moved
}

// split cuts places in two where that gains: their items are sorted by how much they would rather be before the others,
// and cut where the first part earns most against the second.
func (s *localSearch) split() (moved bool) {
	r := &s.now
	for j := 0; j < len(r.ends); j++ {
		lo, hi := int(r.ends[j])-blockLen(r.ends, j), int(r.ends[j])
		block := r.items[lo:hi]
		if len(block) < 2 {
			continue
		}
		for i, u := range block {
			s.score[u] = between(s.gain, s.n, block[i:i+1], block) - s.against(u, block)
		}
		slices.SortFunc(block, func(u, v int32) int {
			return cmp.Or(cmp.Compare(s.score[v], s.score[u]), cmp.Compare(u, v))
		})
		var value float64
		cut, most, barred := 0, s.threshold, 0
		for i := range len(block) - 1 {
			value += between(s.gain, s.n, block[i:i+1], block[i+1:]) - s.against(block[i], block[:i])
			if len(s.may) > 0 {
				barred += s.barred(block[i], block[i+1:], MayPrecede) - s.barred(block[i], block[:i], MayFollow)
			}
			if value > most && barred == 0 {
				cut, most = i+1, value
			}
		}
		if cut > 0 {
			r.ends = slices.Insert(r.ends, j, int32(lo+cut))
			r.value += most
			moved = true
		}
	}
	return moved
}

// kick moves an item to a random place.
func (s *localSearch) kick(rng *rand.Rand) {
	r := &s.now
	at := rng.IntN(len(r.items))
	own := 0
	for int(r.ends[own]) <= at {
		own++
	}
	to, join := rng.IntN(len(r.ends)), rng.IntN(2) == 0
	alone := blockLen(r.ends, own) == 1
	if alone && to == own || len(s.may) > 0 && !s.bars.allow(s, r.items[at], to, join) {
		return
	}
	r.place(at, own, alone, to, join)
	r.value = s.total()
}

// total returns what the ranking earns. Cost: O(m²).
func (s *localSearch) total() float64 {
	var sum float64
	lo := 0
	for _, end := range s.now.ends {
		sum += between(s.gain, s.n, s.now.items[lo:end], s.now.items[end:])
		lo = int(end)
	}
	return sum
}
