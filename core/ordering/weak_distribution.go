package ordering

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/parallel"
)

const (
	// MaxTiedSummed is the largest number of items over whose rankings with ties a WeakDistribution sums: 3^16 steps,
	// some hundredths of a second.
	MaxTiedSummed = 16
	// leastTied is the least sum of weights of at most 1 that is trusted: products are lost as they fall below the least
	// number, 2e-308, but as there are fewer than 1e16 rankings, they change a sum of this size by less than 1e-40 of it.
	leastTied = 1e-250
	// negligibleTied bounds the logarithms of terms that are left out beside the largest of a sum.
	negligibleTied = -100
)

// WeakDistribution is the Gibbs distribution over the rankings of a few items, ties allowed: the probability of a ranking is
// proportional to exp of what it earns, h[u,v] for each item u before an item v and t[u,v] for each pair that is tied.
//
// With sums[S] what all ways to rank the other items before those of S weigh together, sums[S] = Σ over the block B directly
// before S, a non-empty set of other items, of sums[S∪B]·exp(t within B + h from B to S): the recursion of WeakWorkspace with
// sums in the place of maxima. The terms are the conditional probabilities of that block, which marginals and samples need.
//
// Weights are numbers of at most 1: the gains of a pair are taken relative to the largest of them. Where all rankings then
// weigh too little to be told from 0, as the best choices of the pairs contradict each other by much, a first pass finds
// best[S], the logarithm of the largest weight in sums[S], and a second one adds up exp of what terms differ from it. The
// zero value is ready for use.
type WeakDistribution struct {
	m           int
	before, tie []float64     // gains: m×m, and for u < v
	mask        []PairChoices // m×m, or empty
	weight      []float64     // exp of the gains, relative to the largest of each pair
	logs        bool          // whether rows and within are logarithms
	rows        []float64     // rows[s·m + u]: what u weighs before the items of s
	within      []float64     // what a block weighs
	best        []float64     // where there are logarithms
	sums        []float64
	reach       []float64 // the probability that the items of a set are the last
	blocks      []float64 // the probability that a set is a block
	sets        []int32   // the blocks of the set at hand
	first       []float64 // what each weighs before that set, ties aside
	terms       []float64 // and with all that may come before it, ties and all
	counts      []uint64
	poll        parallel.Poll
}

// Reset begins a distribution on m items, at most MaxTiedSummed, and returns two m×m matrices by rows for the caller to fill with
// finite numbers: the gains of u before v, whose diagonal is 0, and those of ties, of which the entries u < v are read. The
// matrices are Sum's to change.
func (d *WeakDistribution) Reset(m int) (before, tie []float64) {
	d.m = m
	d.before, d.tie = grow(d.before, m*m), grow(d.tie, m*m)
	d.mask = d.mask[:0]
	return d.before, d.tie
}

// Restrict returns the m×m mask of the distribution by rows, of which the entries u < v are read. Every pair may stand in any
// way, which the caller is to change before Sum or Count. Without this call there is no mask. It holds until the next Reset.
func (d *WeakDistribution) Restrict() []PairChoices {
	d.mask = allowAll(d.mask, d.m)
	return d.mask
}

// Sum returns ln Σ exp(what a ranking earns) over all rankings that the mask allows, or ErrNoneAllowed where there are none.
// The other methods but Count need it to be called first. An error of poll, which may be nil, ends the work and is
// returned. Cost: 3^m steps, 2^m (m+5) float64s; less where the mask decides which of two items is first.
func (d *WeakDistribution) Sum(poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	base, err := d.center()
	if err != nil {
		return 0, err
	}
	m := d.m
	d.rows, d.within, d.sums = grow(d.rows, m<<m), grow(d.within, 1<<m), grow(d.sums, 1<<m)
	d.sets, d.first, d.terms = grow(d.sets, 1<<m), grow(d.first, 1<<m), grow(d.terms, 1<<m)
	d.weight = grow(d.weight, 2*m*m)
	for i, g := range d.before {
		d.weight[i], d.weight[m*m+i] = math.Exp(g), math.Exp(d.tie[i])
	}
	d.logs = false
	d.tabulate(d.weight[:m*m], d.weight[m*m:])
	d.recurse()
	if d.sums[0] >= leastTied || d.poll.Err() != nil {
		return base + math.Log(d.sums[0]), d.poll.Err()
	}
	total, err := d.sumLogs()
	return base + total, err
}

// sumLogs is Sum with logarithms, after center.
func (d *WeakDistribution) sumLogs() (float64, error) {
	d.logs = true
	d.tabulate(d.before, d.tie)
	d.maximize()
	if math.IsInf(d.best[0], -1) && d.poll.Err() == nil {
		return 0, ErrNoneAllowed
	}
	d.recurse()
	return d.best[0] + math.Log(d.sums[0]), d.poll.Err()
}

// center takes the largest gain that a pair may have off all of them, makes those that it may not have −Inf, and returns what
// it has taken off all rankings.
func (d *WeakDistribution) center() (base float64, err error) {
	m := d.m
	if len(d.mask) > 0 && !complete(d.mask, m) {
		return 0, ErrNoneAllowed
	}
	for v := range m {
		d.before[v*m+v], d.tie[v*m+v] = 0, 0
		for u := range v {
			forth, back, tie := &d.before[u*m+v], &d.before[v*m+u], &d.tie[u*m+v]
			if len(d.mask) > 0 {
				c := d.mask[u*m+v]
				for _, option := range [3]struct {
					choice PairChoices
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
func (d *WeakDistribution) tabulate(before, tie []float64) {
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
}

// recurse fills sums.
func (d *WeakDistribution) recurse() {
	all := len(d.sums) - 1
	d.sums[all] = 1
	for s := all - 1; s >= 0; s-- {
		if s%32 == 0 && d.poll.Stopped() {
			return
		}
		_, d.sums[s] = d.blocksBefore(s)
	}
}

// maximize fills best.
func (d *WeakDistribution) maximize() {
	d.best = grow(d.best, len(d.sums))
	all := len(d.best) - 1
	d.best[all] = 0
	for s := all - 1; s >= 0; s-- {
		if s%32 == 0 && d.poll.Stopped() {
			return
		}
		most := math.Inf(-1)
		sets, first := d.sets, d.first
		sets[0], first[0] = 0, 0
		n := 1
		for x := uint(all &^ s); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x)
			w := d.rows[s*d.m+u]
			if math.IsInf(w, -1) {
				continue
			}
			more, products := sets[n:][:n], first[n:][:n]
			for k, b := range sets[:n] {
				b |= 1 << u
				f := first[k] + w
				more[k], products[k] = b, f
				most = max(most, f+d.within[b]+d.best[s|int(b)])
			}
			n *= 2
		}
		d.best[s] = most
	}
}

// blocksBefore lists the blocks that may be directly before the items of s, the empty one first, in sets, and the terms of
// sums[s] in terms, relative to exp best[s] where there are logarithms. It returns their number and their sum.
func (d *WeakDistribution) blocksBefore(s int) (n int, sum float64) {
	if d.logs {
		return d.logBlocksBefore(s)
	}
	sets, first, terms := d.sets, d.first, d.terms
	within, sums, row := d.within, d.sums, d.rows[s*d.m:][:d.m]
	sets[0], first[0], terms[0] = 0, 1, 0
	n = 1
	for x := uint(len(sums)-1) &^ uint(s); x != 0; x &= x - 1 {
		w := row[bits.TrailingZeros(x)]
		if w == 0 {
			continue
		}
		item := int32(x & -x)
		upper, products, to := sets[n:][:n], first[n:][:n], terms[n:][:n]
		for k, b := range sets[:n] {
			b |= item
			f := first[k] * w
			t := f * within[b] * sums[s|int(b)]
			upper[k], products[k], to[k] = b, f, t
			sum += t
		}
		n *= 2
	}
	return n, sum
}

func (d *WeakDistribution) logBlocksBefore(s int) (n int, sum float64) {
	sets, first, terms := d.sets, d.first, d.terms
	row, best := d.rows[s*d.m:][:d.m], d.best[s]
	sets[0], first[0], terms[0] = 0, -best, 0
	n = 1
	if math.IsInf(best, -1) {
		return 1, 0
	}
	for x := uint(len(d.sums)-1) &^ uint(s); x != 0; x &= x - 1 {
		w := row[bits.TrailingZeros(x)]
		if math.IsInf(w, -1) {
			continue
		}
		item := int32(x & -x)
		upper, products, to := sets[n:][:n], first[n:][:n], terms[n:][:n]
		for k, b := range sets[:n] {
			b |= item
			f, t := first[k]+w, 0.0
			if e := f + d.within[b] + d.best[s|int(b)]; e > negligibleTied {
				t = math.Exp(e) * d.sums[s|int(b)]
			}
			upper[k], products[k], to[k] = b, f, t
			sum += t
		}
		n *= 2
	}
	return n, sum
}

// PairsTo writes the probability that u is before v to before[u,v], an m×m matrix by rows, and that the pair is tied to
// tie[u,v]: exactly 0 where no ranking has the pair so, and exactly 1 where all have.
//
// Let q(S,B) be the probability that the items of S are the last and those of the block B directly before them. An item u
// before v is in a block B before a set S with v in it: for each S the q of the blocks with u in them are added up by
// halving the list of the blocks, item by item. A tie is a block with both in it. Cost: O(3^m).
func (d *WeakDistribution) PairsTo(before, tie []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	d.reach, d.blocks = grow(d.reach, len(d.sums)), grow(d.blocks, len(d.sums))
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
		n, _ := d.blocksBefore(s)
		q := d.terms[:n]
		for k, b := range d.sets[:n] {
			q[k] *= scale
			d.reach[s|int(b)] += q[k]
			d.blocks[b] += q[k]
		}
		if s > 0 {
			d.addBefore(before, s, q)
		}
	}
	d.tiesTo(before, tie)
	return nil
}

// addBefore adds the probability that u is in the block before the items of s to before[u,v] for all v in s, given those of
// the blocks, which are used up.
func (d *WeakDistribution) addBefore(before []float64, s int, q []float64) {
	m := d.m
	for half := len(q) / 2; half > 0; half /= 2 {
		lower, upper := q[:half], q[half:2*half] // the same blocks without and with the last item
		var sum float64
		for k, p := range upper {
			sum += p
			lower[k] += p
		}
		row := before[bits.TrailingZeros(uint(d.sets[half]))*m:][:m]
		for x := uint(s); x != 0; x &= x - 1 {
			row[bits.TrailingZeros(x)] += sum
		}
	}
}

// tiesTo finds the probabilities of ties and makes those of each pair add up to 1.
func (d *WeakDistribution) tiesTo(before, tie []float64) {
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
func (d *WeakDistribution) DrawTo(rank []int32, rng *rand.Rand) {
	last := int32(0)
	for s := 0; s < len(d.sums)-1; last++ {
		n, sum := d.blocksBefore(s)
		rest, chosen := rng.Float64()*sum, 0
		for k, t := range d.terms[:n] {
			if t > 0 {
				chosen = int(d.sets[k]) // the last one where rounding leaves a rest
				if rest -= t; rest < 0 {
					break
				}
			}
		}
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
func (d *WeakDistribution) Count(poll func() error) (uint64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	m := d.m
	if len(d.mask) > 0 && !complete(d.mask, m) {
		return 0, nil
	}
	var precede, level [MaxTiedSummed]int // the items that each may be before, and tied with
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
	d.counts = grow(d.counts, 1<<m)
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
