package weak

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

const (
	// MaxSummed is the largest number of items over whose rankings with ties a Distribution sums: 3^16 steps,
	// some hundredths of a second.
	MaxSummed = 16
	// leastSum is the least sum of weights of at most 1 that is trusted: products are lost as they fall below the least
	// number, 2e-308, but as there are fewer than 1e16 rankings, they change a sum of this size by less than 1e-40 of it.
	leastSum = 1e-250
	// negligible bounds the logarithms of terms that are left out beside the largest of a sum.
	negligible = -100
)

// Distribution is the Gibbs distribution over the rankings of a few items, ties allowed: the probability of a ranking is
// proportional to exp of what it earns, h[u,v] for each item u before an item v and t[u,v] for each pair that is tied.
//
// With sums[S] what all ways to rank the other items before those of S weigh together, sums[S] = Σ over the block B directly
// before S, a non-empty set of other items, of sums[S∪B]·exp(t within B + h from B to S): the recursion of Workspace with
// sums in the place of maxima. The terms are the conditional probabilities of that block, which marginals and samples need.
//
// Weights are numbers of at most 1: the gains of a pair are taken relative to the largest of them. Where all rankings then
// weigh too little to be told from 0, as the best choices of the pairs contradict each other by much, a first pass finds
// best[S], the logarithm of the largest weight in sums[S], and a second one adds up exp of what terms differ from it. The
// zero value is ready for use.
type Distribution struct {
	m           int
	before, tie []float64 // gains: m×m, and for u < v
	mask        []Choices // m×m, or empty
	weight      []float64 // exp of the gains, relative to the largest of each pair
	logs        bool      // whether rows and within are logarithms
	rows        []float64 // rows[s·m + u]: what u weighs before the items of s
	within      []float64 // what a block weighs
	best        []float64 // where there are logarithms
	sums        []float64
	reach       []float64 // the probability that the items of a set are the last
	blocks      []float64 // the probability that a set is a block
	list        blockList // the blocks of the set at hand
	terms       []float64 // what each weighs before that set, with all that may come before it
	counts      []uint64
	poll        parallel.Poll
}

// blockList lists the blocks that may be directly before a set, all subsets of some items, by eight that differ in the first
// three of these.
type blockList struct {
	items   [MaxSummed]uint32 // as bits
	weights [MaxSummed]float64
	n       int        // the number of items
	width   int        // 8, or the number of subsets of fewer than three items
	inner   [8]uint32  // the subsets of the first three
	parts   [8]float64 // what they weigh before the set, ties aside
	outer   []uint32   // the subsets of the others
	first   []float64
}

// Reset begins a distribution on m items, at most MaxSummed, and returns two m×m matrices by rows for the caller to fill with
// finite numbers: the gains of u before v, whose diagonal is 0, and those of ties, of which the entries u < v are read. The
// matrices are Sum's to change.
func (d *Distribution) Reset(m int) (before, tie []float64) {
	d.m = m
	d.before, d.tie = slicex.Grow(d.before, m*m), slicex.Grow(d.tie, m*m)
	d.mask = d.mask[:0]
	return d.before, d.tie
}

// Restrict returns the m×m mask of the distribution by rows, of which the entries u < v are read. Every pair may stand in any
// way, which the caller is to change before Sum or Count. Without this call there is no mask. It holds until the next Reset.
func (d *Distribution) Restrict() []Choices {
	d.mask = allowAll(d.mask, d.m)
	return d.mask
}

// Sum returns ln Σ exp(what a ranking earns) over all rankings that the mask allows, or ErrNone where there are none.
// The other methods but Count need it to be called first. An error of poll, which may be nil, ends the work and is
// returned. Cost: 3^m steps, 2^m (m+5) float64s; less where the mask decides which of two items is first.
func (d *Distribution) Sum(poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	base, err := d.center()
	if err != nil {
		return 0, err
	}
	m := d.m
	d.rows, d.within, d.sums = slicex.Grow(d.rows, m<<m), slicex.Grow(d.within, 1<<m), slicex.Grow(d.sums, 1<<m)
	d.terms = slicex.Grow(d.terms, max(8, 1<<m))
	d.list.outer, d.list.first = slicex.Grow(d.list.outer, len(d.terms)/8), slicex.Grow(d.list.first, len(d.terms)/8)
	d.weight = slicex.Grow(d.weight, 2*m*m)
	for i, g := range d.before {
		d.weight[i], d.weight[m*m+i] = math.Exp(g), math.Exp(d.tie[i])
	}
	d.logs = false
	d.tabulate(d.weight[:m*m], d.weight[m*m:])
	d.recurse()
	if d.sums[0] >= leastSum || d.poll.Err() != nil {
		return base + math.Log(d.sums[0]), d.poll.Err()
	}
	total, err := d.sumLogs()
	return base + total, err
}

// sumLogs is Sum with logarithms, after center.
func (d *Distribution) sumLogs() (float64, error) {
	d.logs = true
	d.tabulate(d.before, d.tie)
	d.maximize()
	if math.IsInf(d.best[0], -1) && d.poll.Err() == nil {
		return 0, ErrNone
	}
	d.recurse()
	return d.best[0] + math.Log(d.sums[0]), d.poll.Err()
}

// center takes the largest gain that a pair may have off all of them, makes those that it may not have −Inf, and returns what
// it has taken off all rankings.
func (d *Distribution) center() (base float64, err error) {
	m := d.m
	if len(d.mask) > 0 && !complete(d.mask, m) {
		return 0, ErrNone
	}
	for v := range m {
		d.before[v*m+v], d.tie[v*m+v] = 0, 0
		for u := range v {
			forth, back, tie := &d.before[u*m+v], &d.before[v*m+u], &d.tie[u*m+v]
			if len(d.mask) > 0 {
				c := d.mask[u*m+v]
				for _, option := range [3]struct {
					choice Choices
					gain   *float64
				}{{MayPrecede, forth}, {MayLevel, tie}, {MayFollow, back}} {
					if c&option.choice == 0 {
						*option.gain = math.Inf(-1)
					}
				}
			}
			most := max(*forth, *back, *tie)
			base += most
			*forth, *back, *tie = *forth-most, *back-most, *tie-most
			d.tie[v*m+u] = *tie
		}
	}
	return base, nil
}

// tabulate fills rows and within, given what each pair weighs.
func (d *Distribution) tabulate(before, tie []float64) {
	m, unit := d.m, 1.0
	if d.logs {
		unit = 0
	}
	for u := range m {
		d.rows[u] = unit
	}
	d.within[0] = unit
	for s := 1; s < 1<<m; s++ {
		v := bits.TrailingZeros(uint(s))
		rest := s & (s - 1)
		from, to := d.rows[rest*m:][:m], d.rows[s*m:][:m]
		block, ties := d.within[rest], tie[v*m:][:m]
		if d.logs {
			for u := range to {
				to[u] = from[u] + before[u*m+v]
			}
			for x := uint(rest); x != 0; x &= x - 1 {
				block += ties[bits.TrailingZeros(x)]
			}
		} else {
			for u := range to {
				to[u] = from[u] * before[u*m+v]
			}
			for x := uint(rest); x != 0; x &= x - 1 {
				block *= ties[bits.TrailingZeros(x)]
			}
		}
		d.within[s] = block
	}
	d.within[0] = d.nothing() // no items are no block
}

// nothing is what weighs nothing.
func (d *Distribution) nothing() float64 {
	if d.logs {
		return math.Inf(-1)
	}
	return 0
}

// listBlocks lists the blocks before the items of s.
func (d *Distribution) listBlocks(s int) {
	l, row, nothing := &d.list, d.rows[s*d.m:][:d.m], d.nothing()
	l.n = 0
	for x := (uint32(1)<<d.m - 1) &^ uint32(s); x != 0; x &= x - 1 {
		if w := row[bits.TrailingZeros32(x)]; w != nothing {
			l.items[l.n], l.weights[l.n] = x&-x, w
			l.n++
		}
	}
	l.width = 1 << min(l.n, 3)
	a, b, c := l.items[0], l.items[1], l.items[2]
	u, v, w := l.weights[0], l.weights[1], l.weights[2]
	l.inner[1], l.inner[2], l.inner[3] = a, b, a|b
	if d.logs {
		l.parts[0], l.parts[1], l.parts[2], l.parts[3] = 0, u, v, u+v
	} else {
		l.parts[0], l.parts[1], l.parts[2], l.parts[3] = 1, u, v, u*v
	}
	if l.n > 2 {
		for k, set := range l.inner[:4] {
			l.inner[4+k] = set | c
			if d.logs {
				l.parts[4+k] = l.parts[k] + w
			} else {
				l.parts[4+k] = l.parts[k] * w
			}
		}
	}
	l.outer, l.first = l.outer[:1], l.first[:1]
	l.outer[0], l.first[0] = 0, l.parts[0]
	for i := 3; i < l.n; i++ {
		n, item, w := len(l.outer), l.items[i], l.weights[i]
		l.outer, l.first = l.outer[:2*n], l.first[:2*n]
		sets, products := l.outer[n:][:n], l.first[n:][:n]
		for k, b := range l.outer[:n] {
			sets[k] = b | item
			if d.logs {
				products[k] = l.first[k] + w
			} else {
				products[k] = l.first[k] * w
			}
		}
	}
}

// recurse fills sums.
func (d *Distribution) recurse() {
	all := len(d.sums) - 1
	d.sums[all] = 1
	for s := all - 1; s >= 0; s-- {
		if s%32 == 0 && d.poll.Stopped() {
			return
		}
		d.sums[s] = d.blocksBefore(s)
	}
}

// maximize fills best.
func (d *Distribution) maximize() {
	d.best = slicex.Grow(d.best, len(d.sums))
	all := len(d.best) - 1
	d.best[all] = 0
	for s := all - 1; s >= 0; s-- {
		if s%32 == 0 && d.poll.Stopped() {
			return
		}
		most := math.Inf(-1)
		d.listBlocks(s)
		for i, set := range d.list.outer {
			for k, b := range d.list.inner[:d.list.width] {
				b |= set
				most = max(most, d.list.first[i]+d.list.parts[k]+d.within[b]+d.best[s|int(b)])
			}
		}
		d.best[s] = most
	}
}

// blocksBefore lists the blocks before the items of s, and the terms of sums[s], relative to exp best[s] where there are
// logarithms, in terms. It returns their sum. It is what the time goes into.
func (d *Distribution) blocksBefore(s int) (sum float64) {
	d.listBlocks(s)
	if d.logs {
		return d.logTerms(s)
	}
	l, within, sums := &d.list, d.within, d.sums[:len(d.within)]
	if l.width < 8 {
		for k, b := range l.inner[:l.width] {
			t := l.parts[k] * within[b] * sums[uint32(s)|b]
			d.terms[k] = t
			sum += t
		}
		return sum
	}
	p, o := &l.parts, &l.inner
	for i, set := range l.outer {
		f, t := l.first[i], (*[8]float64)(d.terms[8*i:])
		before := set | uint32(s)
		t[0] = f * p[0] * within[set] * sums[before]
		t[1] = f * p[1] * within[set|o[1]] * sums[before|o[1]]
		t[2] = f * p[2] * within[set|o[2]] * sums[before|o[2]]
		t[3] = f * p[3] * within[set|o[3]] * sums[before|o[3]]
		t[4] = f * p[4] * within[set|o[4]] * sums[before|o[4]]
		t[5] = f * p[5] * within[set|o[5]] * sums[before|o[5]]
		t[6] = f * p[6] * within[set|o[6]] * sums[before|o[6]]
		t[7] = f * p[7] * within[set|o[7]] * sums[before|o[7]]
		sum += (t[0] + t[1]) + (t[2] + t[3]) + ((t[4] + t[5]) + (t[6] + t[7]))
	}
	return sum
}

func (d *Distribution) logTerms(s int) (sum float64) {
	l, best := &d.list, d.best[s]
	for i, set := range l.outer {
		t := (*[8]float64)(d.terms[8*i:])
		for k, b := range l.inner[:l.width] {
			b |= set
			t[k] = 0
			if e := l.first[i] + l.parts[k] + d.within[b] + d.best[s|int(b)] - best; e > negligible { // not of NaN, −Inf less −Inf
				t[k] = math.Exp(e) * d.sums[s|int(b)]
			}
			sum += t[k]
		}
	}
	return sum
}

// PairsTo writes the probability that u is before v to before[u,v], an m×m matrix by rows, and that the pair is tied to
// tie[u,v]: exactly 0 where no ranking has the pair so, and exactly 1 where all have.
//
// Let q(S,B) be the probability that the items of S are the last and those of the block B directly before them. An item u
// before v is in a block B before a set S with v in it: for each S the q of the blocks with u in them are added up by
// halving the list of the blocks, item by item. A tie is a block with both in it. Cost: O(3^m).
func (d *Distribution) PairsTo(before, tie []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	d.reach, d.blocks = slicex.Grow(d.reach, len(d.sums)), slicex.Grow(d.blocks, len(d.sums))
	clear(d.reach)
	clear(d.blocks)
	clear(before)
	d.reach[0] = 1
	for s := range len(d.reach) - 1 {
		if s%32 == 0 && d.poll.Stopped() {
			return d.poll.Err()
		}
		if d.reach[s] == 0 {
			continue
		}
		scale := d.reach[s] / d.sums[s]
		d.blocksBefore(s)
		for i, set := range d.list.outer {
			q := (*[8]float64)(d.terms[8*i:])
			for k, b := range d.list.inner[:d.list.width] {
				b |= set
				q[k] *= scale
				d.reach[s|int(b)] += q[k]
				d.blocks[b] += q[k]
			}
		}
		if s > 0 {
			d.addBefore(before, s, d.terms)
		}
	}
	d.tiesTo(before, tie)
	return nil
}

// addBefore adds the probability that u is in the block before the items of s to before[u,v] for all v in s, given those of
// the blocks, which are used up.
func (d *Distribution) addBefore(before []float64, s int, q []float64) {
	m := d.m
	for i := d.list.n - 1; i >= 0; i-- {
		half := 1 << i
		lower, upper := q[:half], q[half:2*half] // the same blocks without and with item i
		var sum float64
		for k, p := range upper {
			sum += p
			lower[k] += p
		}
		row := before[bits.TrailingZeros32(d.list.items[i])*m:][:m]
		for x := uint(s); x != 0; x &= x - 1 {
			row[bits.TrailingZeros(x)] += sum
		}
	}
}

// tiesTo finds the probabilities of ties and makes those of each pair add up to 1.
func (d *Distribution) tiesTo(before, tie []float64) {
	m := d.m
	for bit := 1; bit < len(d.blocks); bit <<= 1 { // sums over supersets (Yates, 1937)
		for base := 0; base < len(d.blocks); base += 2 * bit {
			for i, w := range d.blocks[base+bit : base+2*bit] {
				d.blocks[base+i] += w
			}
		}
	}
	for v := range m {
		tie[v*m+v] = 1
		for u := range v {
			forth, back, both := before[u*m+v], before[v*m+u], d.blocks[1<<u|1<<v]
			sum := forth + back + both
			before[u*m+v], before[v*m+u] = forth/sum, back/sum
			tie[u*m+v], tie[v*m+u] = both/sum, both/sum
		}
	}
}

// DrawTo writes the ranks of a random ranking, 1 for the first place, drawn block by block from the last one on. Not for
// several goroutines at once. Cost: 2^m for the last block, less for the others.
func (d *Distribution) DrawTo(rank []int32, rng *rand.Rand) {
	last := int32(0)
	for s := 0; s < len(d.sums)-1; last++ {
		d.blocksBefore(s)
		at := logsum.PickWeight(d.terms[:1<<d.list.n], rng)
		chosen := int(d.list.outer[at/8] | d.list.inner[at%8])
		for x := uint(chosen); x != 0; x &= x - 1 {
			rank[bits.TrailingZeros(x)] = last
		}
		s |= chosen
	}
	for u, place := range rank {
		rank[u] = last - place
	}
}

// Count returns the number of rankings that the mask allows, by the recursion of Sum in whole numbers. Gains are not read, and
// Sum need not be called. Cost: as for Sum.
func (d *Distribution) Count(poll func() error) (uint64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	m := d.m
	if len(d.mask) > 0 && !complete(d.mask, m) {
		return 0, nil
	}
	var precede, level [MaxSummed]int // the items that each may be before, and tied with
	for i := range m * m {
		c := MayAll
		if len(d.mask) > 0 {
			c = d.mask[i]
		}
		if c&MayPrecede != 0 {
			precede[i/m] |= 1 << (i % m)
		}
		if c&MayLevel != 0 {
			level[i/m] |= 1 << (i % m)
		}
	}
	all := 1<<m - 1
	tied := make([]bool, 1<<m) // whether a set may be a block
	tied[0] = true
	for b := 1; b <= all; b++ {
		rest := b & (b - 1)
		tied[b] = tied[rest] && rest&^level[bits.TrailingZeros(uint(b))] == 0
	}
	d.counts = slicex.Grow(d.counts, 1<<m)
	d.counts[all] = 1
	for s := all - 1; s >= 0; s-- {
		if s%32 == 0 && d.poll.Stopped() {
			return 0, d.poll.Err()
		}
		items := 0
		for x := uint(all &^ s); x != 0; x &= x - 1 {
			if s&^precede[bits.TrailingZeros(x)] == 0 {
				items |= int(x & -x)
			}
		}
		var sum uint64
		for b := items & -items; b != 0; b = (b - items) & items {
			if tied[b] {
				sum += d.counts[s|b]
			}
		}
		d.counts[s] = sum
	}
	return d.counts[0], nil
}
