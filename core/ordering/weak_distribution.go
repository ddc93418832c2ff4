package ordering

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/parallel"
)

const (
	// MaxTiedSummed is the largest number of items over whose rankings with ties a WeakDistribution sums: 3^16 steps,
	// some tenths of a second.
	MaxTiedSummed = 16
	// mostDirectTied bounds the sum of the magnitudes of the gains, as mostDirect does; a step multiplies weights of a pair
	// up to thrice.
	mostDirectTied = 200
)

// WeakDistribution is the Gibbs distribution over the rankings of a few items, ties allowed: the probability of a ranking is
// proportional to exp of what it earns, h[u,v] for each item u before an item v and t[u,v] for each pair that is tied.
//
// With sums[S] what the rankings of the items of S weigh together, sums[S] = Σ over the first block B, a non-empty part of
// S, of sums[S∖B]·exp(t within B + h from B to S∖B): the recursion of WeakWorkspace with sums in the place of maxima. The
// terms are the conditional probabilities of the first block, which marginals and samples need. Weights are numbers where
// the gains are small and logarithms where they are not. The zero value is ready for use.
type WeakDistribution struct {
	m           int
	logs        bool
	before, tie []float64 // gains: m×m, and for u < v
	rows        []float64 // rows[s·m + u]: the product over v in s of exp h[u,v]
	within      []float64 // what a block weighs, divided by the products that rows has within it
	first       []float64 // scratch of blocks
	terms       []float64 // the terms of sums[S], by the number of B among the subsets of S
	sums        []float64
	reach       []float64 // the probability that the items of a set are the last
	blocks      []float64 // the probability that a set is a block
	poll        parallel.Poll
}

// Reset begins a distribution on m items, at most MaxTiedSummed, and returns two m×m matrices by rows for the caller to fill with
// finite numbers: the gains of u before v, whose diagonal is 0, and those of ties, of which the entries u < v are read.
func (d *WeakDistribution) Reset(m int) (before, tie []float64) {
	d.m = m
	d.before, d.tie = grow(d.before, m*m), grow(d.tie, m*m)
	return d.before, d.tie
}

// Sum returns ln Σ exp(what a ranking earns) over all rankings. The other methods need it to be called first. An error of
// poll, which may be nil, ends the work and is returned. Cost: 3^m steps, 2^m (m+4) float64s.
func (d *WeakDistribution) Sum(poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	d.prepare()
	d.sums[0] = 1
	if d.logs {
		d.sums[0] = 0
	}
	for s := 1; s < len(d.sums); s++ {
		if s%32 == 0 && d.poll.Stopped() {
			return 0, d.poll.Err()
		}
		terms := d.blocksOf(s)
		if d.logs {
			d.sums[s] = logsum.Of(terms)
			continue
		}
		var sum float64
		for _, w := range terms {
			sum += w
		}
		d.sums[s] = sum
	}
	total := d.sums[len(d.sums)-1]
	if !d.logs {
		total = math.Log(total)
	}
	return total, nil
}

// blocksOf returns the terms of sums[s], block by block in ascending order.
func (d *WeakDistribution) blocksOf(s int) []float64 {
	rows := d.rows[s*d.m : (s+1)*d.m]
	terms := d.terms[:0]
	if d.logs {
		d.first[0] = 0
		for b := s & -s; ; b = (b - s) & s {
			f := d.first[b&(b-1)] + rows[bits.TrailingZeros(uint(b))]
			d.first[b] = f
			terms = append(terms, d.sums[s&^b]+(f+d.within[b]))
			if b == s {
				return terms
			}
		}
	}
	d.first[0] = 1
	for b := s & -s; ; b = (b - s) & s {
		f := d.first[b&(b-1)] * rows[bits.TrailingZeros(uint(b))]
		d.first[b] = f
		terms = append(terms, d.sums[s&^b]*(f*d.within[b]))
		if b == s {
			return terms
		}
	}
}

// prepare decides on logarithms and fills rows and within.
func (d *WeakDistribution) prepare() {
	m := d.m
	var total float64
	for u := range m {
		for v := range u {
			total += max(math.Abs(d.before[u*m+v]), math.Abs(d.before[v*m+u]), math.Abs(d.tie[v*m+u]))
		}
	}
	d.logs = !(total <= mostDirectTied)
	d.rows, d.within = grow(d.rows, m<<m), grow(d.within, 1<<m)
	d.first, d.terms, d.sums = grow(d.first, 1<<m), grow(d.terms, 1<<m), grow(d.sums, 1<<m)
	clear(d.rows[:m])
	d.within[0] = 0
	for s := 1; s < 1<<m; s++ {
		v := bits.TrailingZeros(uint(s))
		rest := s & (s - 1)
		from, to := d.rows[rest*m:][:m], d.rows[s*m:][:m]
		for u := range to {
			to[u] = from[u] + d.before[u*m+v]
		}
		sum := d.within[rest]
		for x := uint(rest); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x) // v is the smallest
			sum += d.tie[v*m+u] - (d.before[u*m+v] + d.before[v*m+u])
		}
		d.within[s] = sum
	}
	if !d.logs {
		for i, x := range d.rows {
			d.rows[i] = math.Exp(x)
		}
		for i, x := range d.within {
			d.within[i] = math.Exp(x)
		}
	}
}

// probabilitiesOf returns the probabilities of the first blocks given that the items of s are the last, times scale.
func (d *WeakDistribution) probabilitiesOf(s int, scale float64) []float64 {
	q := d.blocksOf(s)
	if d.logs {
		for i, x := range q {
			q[i] = scale * logsum.Share(x, d.sums[s])
		}
		return q
	}
	scale /= d.sums[s]
	for i := range q {
		q[i] *= scale
	}
	return q
}

// PairsTo writes the probability that u is before v to before[u,v], an m×m matrix by rows, and that the pair is tied to
// tie[u,v].
//
// Let q(S,B) be the probability that exactly the items of S∖B are behind those of the block B. An item u before v, or tied
// with it, is in a block B of a set S with v in it: for each S the q of the blocks with u in them are added up by halving
// the list of its subsets, item by item. A tie is a block with both in it. Cost: O(3^m).
func (d *WeakDistribution) PairsTo(before, tie []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	m := d.m
	d.reach, d.blocks = grow(d.reach, 1<<m), grow(d.blocks, 1<<m)
	clear(d.reach)
	clear(d.blocks)
	clear(before)
	d.reach[len(d.reach)-1] = 1
	for s := len(d.reach) - 1; s > 0; s-- {
		if s%32 == 0 && d.poll.Stopped() {
			return d.poll.Err()
		}
		if d.reach[s] == 0 {
			continue
		}
		q := d.probabilitiesOf(s, d.reach[s])
		i := 0
		for b := s & -s; ; b = (b - s) & s {
			d.reach[s&^b] += q[i]
			d.blocks[b] += q[i]
			i++
			if b == s {
				break
			}
		}
		d.addFirst(before, s, q)
	}
	d.separate(before, tie)
	return nil
}

// addFirst adds the probability that u is in the first block of s to before[u,v] for all v in s, given those of the
// blocks. q has no entry for the empty set, and is used up.
func (d *WeakDistribution) addFirst(before []float64, s int, q []float64) {
	items := make([]int, 0, MaxTiedSummed)
	for x := uint(s); x != 0; x &= x - 1 {
		items = append(items, bits.TrailingZeros(x))
	}
	for k := len(items) - 1; k >= 0; k-- {
		// The subsets with item k are the half from number 2^k on, which is entry 2^k − 1.
		half := 1 << k
		var sum float64
		for i, w := range q[half-1 : 2*half-1] {
			sum += w
			if i > 0 {
				q[i-1] += w
			}
		}
		row := before[items[k]*d.m:][:d.m]
		for _, v := range items {
			row[v] += sum
		}
	}
}

// separate takes the ties off the probabilities of u before v or tied with it.
func (d *WeakDistribution) separate(before, tie []float64) {
	m := d.m
	for bit := 1; bit < len(d.blocks); bit <<= 1 { // sums over supersets (Yates, 1937)
		for base := 0; base < len(d.blocks); base += 2 * bit {
			for i, w := range d.blocks[base+bit : base+2*bit] {
				d.blocks[base+i] += w
			}
		}
	}
	for u := range m {
		for v := range m {
			both := d.blocks[1<<u|1<<v]
			tie[u*m+v] = min(both, 1)
			before[u*m+v] = min(max(before[u*m+v]-both, 0), 1)
		}
		before[u*m+u] = 0
	}
}

// DrawTo writes the ranks of a random ranking, 1 for the first place, drawn block by block. Not for several goroutines at
// once. Cost: 2^m for the first block, less for the others.
func (d *WeakDistribution) DrawTo(rank []int32, rng *rand.Rand) {
	place := int32(0)
	for s := len(d.sums) - 1; s > 0; {
		place++
		q := d.probabilitiesOf(s, 1)
		rest, chosen, i := rng.Float64(), 0, 0
		for b := s & -s; ; b = (b - s) & s {
			if q[i] > 0 {
				chosen = b // the last one where rounding leaves a rest
				if rest -= q[i]; rest < 0 {
					break
				}
			}
			i++
			if b == s {
				break
			}
		}
		for x := uint(chosen); x != 0; x &= x - 1 {
			rank[bits.TrailingZeros(x)] = place
		}
		s &^= chosen
	}
}
