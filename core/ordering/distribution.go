package ordering

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"combpred/core/logsum"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// MaxSummed is the largest number of items over whose orders a Distribution sums: its tables have 2^MaxSummed entries.
const MaxSummed = maxSubsets

const (
	// mostEasy bounds what an order may earn beyond the one that the items are numbered by so that numbers are in range for
	// certain: see Distribution.
	mostEasy = 300
	// mostSum bounds the logarithms of the sums where that is checked afterwards.
	mostSum = 600
	// leastNumber is the logarithm of the smallest normal number, rounded towards 0.
	leastNumber = -708
	// negligible is the logarithm of a share that is lost in rounding, with that of the number of terms to spare.
	negligible = -50
)

// Distribution is the Gibbs distribution over the orders of a few items: the probability of an order is proportional to exp
// of what it earns, the sum of g[u,v] over the pairs of an item u before an item v.
//
// With sums[S] what the orders of the items of S weigh together, sums[S] = Σ over v in S of sums[S∖v]·Π_{u∈S} exp
// g[u,v], v being last: the recursion of the best order with sums in the place of maxima (Held and Karp, 1962). The terms
// are the conditional probabilities of the last item given the set of the first, which marginals and samples need.
//
// Weights are relative to that of the order in which the items are numbered. That one weighs 1 among the items of each set,
// so that no sum is below 1, and a weight that is too small for a number is too small to count unless it meets a sum that
// is nearly too large for one. Where no order can earn mostEasy more, that cannot be, and the items keep their numbers.
// Otherwise they are numbered by a good order, and the sums are taken again in logarithms if they have left their range.
//
// The zero value is ready for use.
type Distribution struct {
	sets     subsets
	gain     []float64 // m×m
	before   *Partial
	order    []int32 // the items as they are numbered
	base     float64 // what that order earns
	logs     bool    // whether sums, and the steps of sets, are logarithms
	sums     []float64
	reach    []float64 // the probability that the items of a set are the first, or that divided by its sum
	pairs    []float64
	searched Workspace
	poll     parallel.Poll
}

// Reset begins a distribution on m items, at most MaxSummed, and returns its m×m matrix of gains by rows, for the caller to fill
// with finite numbers. The diagonal is never read.
func (d *Distribution) Reset(m int) []float64 {
	d.before = nil
	d.sets.reset(m)
	d.gain = slicex.Grow(d.gain, m*m)
	return d.gain
}

// Require leaves only the orders in which items stand as in a partial order of the same items, until the next Reset. It is
// not copied and must not change before Sum has returned.
func (d *Distribution) Require(before *Partial) {
	mustFit(before, d.sets.m)
	d.before = before
}

func mustFit(before *Partial, n int) {
	if before.Len() != n {
		panic(fmt.Sprintf("ordering: %d items are required to stand as in an order of %d", n, before.Len()))
	}
}

// Sum returns ln Σ exp(what an order earns) over all orders. The other methods need it to be called first. An error of
// poll, which may be nil and is called every 2^10 sets, ends the work and is returned. Cost: O(m 2^m), 2^m float64s; with
// requirements O(m) for each order ideal.
func (d *Distribution) Sum(poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	m := d.sets.m
	d.sums = slicex.Grow(d.sums, 1<<m)
	d.order = slicex.Grow(d.order, m)
	for i := range d.order {
		d.order[i] = int32(i)
	}
	if d.before != nil {
		d.numberAllowed()
	}
	if d.load() <= mostEasy {
		d.sumNumbers()
		return d.base + math.Log(d.sums[1<<m-1]), d.poll.Err()
	}
	d.renumber()
	if d.load() <= mostEasy {
		d.sumNumbers()
	} else if !d.sumInRange() {
		d.load()
		d.sumLogs()
		return d.base + d.sums[1<<m-1], d.poll.Err()
	}
	return d.base + math.Log(d.sums[1<<m-1]), d.poll.Err()
}

// load fills the steps with gains, and base. It returns a bound on what an order earns beyond the one that the items are
// numbered by.
func (d *Distribution) load() (most float64) {
	m := d.sets.m
	d.base = 0
	for i, u := range d.order {
		row := d.sets.step[i*m:][:i]
		for j := range row {
			v := d.order[j]
			forth, back := d.gain[int(v)*m+int(u)], d.gain[int(u)*m+int(v)]
			row[j] = back - forth
			d.base += forth
			most += max(row[j], 0)
		}
	}
	return most
}

// numberAllowed numbers the items by an order that is allowed, which costs less than a good one: by how many are required before each, as
// more are before an item than before any that is required before it.
func (d *Distribution) numberAllowed() {
	var before [MaxSummed]int
	for v := range d.order {
		for _, word := range d.before.In.Row(v) {
			before[v] += bits.OnesCount64(word)
		}
	}
	slices.SortStableFunc(d.order, func(u, v int32) int { return before[u] - before[v] })
	d.require()
}

// require takes over what stands before what, given the order of the items.
func (d *Distribution) require() {
	d.sets.required = false
	clear(d.sets.preds[:])
	if d.before != nil {
		d.sets.require(d.before, d.order)
	}
}

// renumber numbers the items by a good order that is allowed.
func (d *Distribution) renumber() {
	m, w := d.sets.m, &d.searched
	gain := w.Reset(m)
	for u := range m {
		gain[u*m+u] = 0
		for v := range u {
			g := (d.gain[u*m+v] - d.gain[v*m+u]) / 2
			gain[u*m+v], gain[v*m+u] = g, -g
		}
	}
	w.before = d.before
	w.start(d.order)
	w.insert(d.order, improvement*w.magnitude(d.order))
	d.require()
}

// sumInRange fills sums with numbers and reports whether they can be trusted. A product of steps behind which item v comes
// may be too small for a number at the end, or on the way and then grow by what the steps above 1 multiply to. It counts if
// its product with a sum does, which is possible only if that sum is large.
func (d *Distribution) sumInRange() bool {
	m, limit := d.sets.m, float64(mostSum)
	for v := range m {
		var above, below float64
		for u := v + 1; u < m; u++ {
			s := d.sets.step[u*m+v]
			above, below = above+max(s, 0), below+min(s, 0)
		}
		if above > -leastNumber {
			return false
		}
		if below < leastNumber {
			limit = min(limit, negligible-leastNumber-above)
		}
	}
	if limit <= 0 {
		return false
	}
	d.sumNumbers()
	if d.poll.Err() != nil {
		return true
	}
	var largest float64
	for _, t := range d.sets.tops {
		for _, x := range d.sets.block(d.sums, int(t)) {
			if !(x <= math.MaxFloat64) {
				return false
			}
			largest = max(largest, x)
		}
	}
	return math.Log(largest) <= limit
}

// sumNumbers fills sums with numbers.
func (d *Distribution) sumNumbers() {
	l := &d.sets
	d.logs = false
	for u := range l.m {
		for v, s := range l.step[u*l.m:][:u] {
			l.step[u*l.m+v] = math.Exp(s)
		}
	}
	l.list()
	l.tabulate(multiplying)
	for i, top := range l.tops {
		if i%16 == 0 && d.poll.Stopped() {
			return
		}
		d.sumBlock(i, int(top))
	}
}

// sumBlock fills the sums of the i-th block listed.
func (d *Distribution) sumBlock(i, t int) {
	l := &d.sets
	block, row := l.block(d.sums, t), l.outer[t*l.m:][:l.m]
	clear(block)
	if t == 0 {
		block[0] = 1
	}
	for x := l.maximal[i]; x != 0; x &= x - 1 {
		v := bits.TrailingZeros32(x)
		floats.AddScaled(block, row[l.low+v], l.block(d.sums, t&^(1<<v)))
	}
	if l.full(i) {
		sumWithin(block, row, l.inner, l.step, l.m)
		return
	}
	ideals := l.ideals[i]
	for b, sum := range block {
		if ideals>>b&1 == 0 {
			block[b] = 0
			continue
		}
		for x := uint(b); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			sum += block[b&^(1<<v)] * (row[v] * l.inner[v<<l.low|b])
		}
		block[b] = sum
	}
}

// sumLogs fills sums with logarithms.
func (d *Distribution) sumLogs() {
	l := &d.sets
	d.logs = true
	l.list()
	l.tabulate(adding)
	d.sums[0] = 0 // the empty order weighs 1
	var terms [MaxSummed]float64
	for i, t := range l.tops {
		if i%16 == 0 && d.poll.Stopped() {
			return
		}
		for x := l.ideals[i]; x != 0; x &= x - 1 {
			s := int(t)<<l.low | bits.TrailingZeros64(x)
			if s == 0 {
				continue
			}
			k := 0
			for y := l.lasts(s); y != 0; y &= y - 1 {
				v := bits.TrailingZeros(y)
				terms[k] = d.sums[s&^(1<<v)] + l.added(s, v)
				k++
			}
			d.sums[s] = logsum.Of(terms[:k])
		}
	}
}

// last writes, for each item that may be the last of s, the probability that it is given that they are first, times scale.
// It returns these items.
func (d *Distribution) last(dst *[MaxSummed]float64, s int, scale float64) uint {
	items := d.sets.lasts(s)
	if d.logs {
		for x := items; x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			dst[v] = scale * logsum.Share(d.sums[s&^(1<<v)]+d.sets.added(s, v), d.sums[s])
		}
		return items
	}
	l := &d.sets
	scale /= d.sums[s]
	t, b := s>>l.low, s&(1<<l.low-1)
	row := l.outer[t*l.m:][:l.m]
	for x := items >> l.low << l.low; x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		dst[v] = scale * (d.sums[s&^(1<<v)] * row[v])
	}
	for x := items & (1<<l.low - 1); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		dst[v] = scale * (d.sums[s&^(1<<v)] * (row[v] * l.inner[v<<l.low|b]))
	}
	return items
}

// PairsTo writes the probability that u is before v to p[u,v], an m×m matrix by rows, 0 on its diagonal. Of a pair that is
// required it is exactly 0 or 1.
//
// Item v behind exactly the items of S∖v has the probability q(S,v). Those of all S with u in S add up to that of u before
// v. Those of a block are added up first. Cost: as for Sum.
func (d *Distribution) PairsTo(p []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	l := &d.sets
	m := l.m
	d.reach, d.pairs = slicex.Grow(d.reach, 1<<m), slicex.Grow(d.pairs, m*m)
	clear(d.pairs)
	if d.logs {
		d.shareLogs()
	} else {
		d.shareNumbers()
	}
	if err := d.poll.Err(); err != nil {
		return err
	}
	for i, u := range d.order {
		p[int(u)*m+int(u)] = 0
		for j, q := range d.pairs[i*m:][:i] {
			v := d.order[j]
			q = min(q, 1)
			p[int(u)*m+int(v)], p[int(v)*m+int(u)] = q, 1-q
		}
	}
	return nil
}

// shareNumbers fills pairs where sums are numbers: reach[S] = Σ over v of reach[S∪v]·Π_{u∈S} exp g[u,v], where reach is
// divided by the sum, and a term times the sum of S is q(S∪v,v).
func (d *Distribution) shareNumbers() {
	l := &d.sets
	m, size := l.m, 1<<l.low
	last := len(l.tops) - 1
	for i := last; i >= 0; i-- {
		if i%8 == 0 && d.poll.Stopped() {
			return
		}
		t := int(l.tops[i])
		back, sums, row := l.block(d.reach, t), l.block(d.sums, t), l.outer[t*m:][:m]
		clear(back)
		if i == last {
			back[size-1] = 1 / sums[size-1]
		}
		var behind [MaxSummed]float64
		above := bits.Len(uint(t))
		for x := uint(1<<(m-l.low)-1) &^ uint(t); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			if l.preds[l.low+v]>>l.low&^uint32(t) != 0 {
				continue
			}
			from, w := l.block(d.reach, t|1<<v), row[l.low+v]
			floats.AddScaled(back, w, from)
			if v < above { // otherwise no item of t is above it
				behind[l.low+v] = w * floats.Dot(from, sums)
			}
		}
		if l.full(i) {
			backWithin(back, sums, behind[:], d.pairs, row, l.inner, l.step, m)
		} else {
			d.shareIdeals(l.ideals[i], back, sums, behind[:], row)
		}
		for x := uint(t); x != 0; x &= x - 1 {
			u := l.low + bits.TrailingZeros(x)
			floats.Add(d.pairs[u*m:][:u], behind[:u])
		}
	}
}

// shareIdeals is backWithin for the entries of a block that are order ideals.
func (d *Distribution) shareIdeals(ideals uint64, back, sums, behind, row []float64) {
	l := &d.sets
	for b := len(back) - 1; b >= 0; b-- {
		if ideals>>b&1 == 0 {
			back[b] = 0
			continue
		}
		for x := uint(len(back)-1) &^ uint(b); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			if ideals>>(b|1<<v)&1 == 0 {
				continue
			}
			w := back[b|1<<v] * (row[v] * l.inner[v<<l.low|b])
			back[b] += w
			w *= sums[b]
			behind[v] += w
			for y := uint(b) >> (v + 1); y != 0; y &= y - 1 {
				d.pairs[(v+1+bits.TrailingZeros(y))*l.m+v] += w
			}
		}
	}
}

// shareLogs fills pairs where sums are logarithms.
func (d *Distribution) shareLogs() {
	l := &d.sets
	d.visit(func(s int, q *[MaxSummed]float64, items uint) {
		for x := items; x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			for y := uint(s) >> (v + 1); y != 0 && q[v] > 0; y &= y - 1 {
				d.pairs[(v+1+bits.TrailingZeros(y))*l.m+v] += q[v]
			}
		}
	})
}

// visit calls each with the sets that may be first, from the largest to the smallest, and the probability that the items of
// a set are first with a certain one of some items as the last of them.
func (d *Distribution) visit(each func(s int, q *[MaxSummed]float64, items uint)) {
	l := &d.sets
	for _, t := range l.tops {
		clear(l.block(d.reach, int(t)))
	}
	d.reach[len(d.reach)-1] = 1
	var q [MaxSummed]float64
	for i := len(l.tops) - 1; i >= 0; i-- {
		if i%8 == 0 && d.poll.Stopped() {
			return
		}
		for ideals := l.ideals[i]; ideals != 0; {
			b := bits.Len64(ideals) - 1
			ideals &^= 1 << b
			s := int(l.tops[i])<<l.low | b
			if d.reach[s] == 0 || s == 0 {
				continue
			}
			items := d.last(&q, s, d.reach[s])
			for x := items; x != 0; x &= x - 1 {
				v := bits.TrailingZeros(x)
				d.reach[s&^(1<<v)] += q[v]
			}
			each(s, &q, items)
		}
	}
}

// PositionsTo writes the probability that item v has r items before it to p[v,r], an m×m matrix by rows: those of item v behind
// exactly the items of S∖v, as in PairsTo, added up over all S of r + 1 items. Cost: as for Sum.
func (d *Distribution) PositionsTo(p []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	m := d.sets.m
	d.reach = slicex.Grow(d.reach, 1<<m)
	clear(p)
	d.visit(func(s int, q *[MaxSummed]float64, items uint) {
		before := bits.OnesCount(uint(s)) - 1
		for x := items; x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			p[int(d.order[v])*m+before] += q[v]
		}
	})
	return d.poll.Err()
}

// DrawTo writes a random order to order, drawing its items from the last to the first. Several goroutines may call it at
// once. Cost: O(m²).
func (d *Distribution) DrawTo(order []int32, rng *rand.Rand) {
	var q [MaxSummed]float64
	s := 1<<d.sets.m - 1
	for place := d.sets.m - 1; place >= 0; place-- {
		items := d.last(&q, s, 1)
		item := logsum.DrawMember(q[:], int(items), rng.Float64())
		order[place] = d.order[item]
		s &^= 1 << item
	}
}
