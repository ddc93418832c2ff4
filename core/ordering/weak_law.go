package ordering

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/polling"
)

const (
	// MaxTiedSummed is the largest number of items over whose rankings with ties a WeakLaw sums: 3^16 steps, some tenths of a
	// second.
	MaxTiedSummed = 16
	// mostDirectTied bounds the sum of the magnitudes of the gains, as mostDirect does; a step multiplies weights of a pair
	// up to thrice.
	mostDirectTied = 200
)

// WeakLaw is the law of the rankings of a few items, ties allowed, in which the probability of a ranking is proportional
// to exp of what it earns: h[u,v] for each item u before an item v and t[u,v] for each pair that is tied.
//
// With sums[S] what the rankings of the items of S weigh together, sums[S] = Σ over the first block B, a non-empty part of
// S, of sums[S∖B]·exp(t within B + h from B to S∖B): the recursion of WeakWorkspace with sums in the place of maxima. The
// terms are the conditional probabilities of the first block, which marginals and samples need. Weights are numbers where
// the gains are small and logarithms where they are not. The zero value is ready for use.
type WeakLaw struct {
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
	poll        polling.Poll
}

// Reset begins a law of m items, at most MaxTiedSummed, and returns two m×m matrices by rows for the caller to fill with
// finite numbers: the gains of u before v, whose diagonal is 0, and those of ties, of which the entries u < v are read.
func (l *WeakLaw) Reset(m int) (before, tie []float64) {
	l.m = m
	l.before, l.tie = grow(l.before, m*m), grow(l.tie, m*m)
	return l.before, l.tie
}

// Sum returns ln Σ exp(what a ranking earns) over all rankings. The other methods need it to be called first. An error of
// poll, which may be nil, ends the work and is returned. Cost: 3^m steps, 2^m (m+4) float64s.
func (l *WeakLaw) Sum(poll func() error) (float64, error) {
	l.poll.Reset(poll)
	defer l.poll.Reset(nil)
	l.prepare()
	l.sums[0] = 1
	if l.logs {
		l.sums[0] = 0
	}
	for s := 1; s < len(l.sums); s++ {
		if s%32 == 0 && l.poll.Stopped() {
			return 0, l.poll.Err()
		}
		terms := l.blocksOf(s)
		if l.logs {
			l.sums[s] = logsum.Of(terms)
			continue
		}
		var sum float64
		for _, w := range terms {
			sum += w
		}
		l.sums[s] = sum
	}
	total := l.sums[len(l.sums)-1]
	if !l.logs {
		total = math.Log(total)
	}
	return total, nil
}

// blocksOf returns the terms of sums[s], block by block in ascending order.
func (l *WeakLaw) blocksOf(s int) []float64 {
	rows := l.rows[s*l.m : (s+1)*l.m]
	terms := l.terms[:0]
	if l.logs {
		l.first[0] = 0
		for b := s & -s; ; b = (b - s) & s {
			f := l.first[b&(b-1)] + rows[bits.TrailingZeros(uint(b))]
			l.first[b] = f
			terms = append(terms, l.sums[s&^b]+(f+l.within[b]))
			if b == s {
				return terms
			}
		}
	}
	l.first[0] = 1
	for b := s & -s; ; b = (b - s) & s {
		f := l.first[b&(b-1)] * rows[bits.TrailingZeros(uint(b))]
		l.first[b] = f
		terms = append(terms, l.sums[s&^b]*(f*l.within[b]))
		if b == s {
			return terms
		}
	}
}

// prepare decides on logarithms and fills rows and within.
func (l *WeakLaw) prepare() {
	m := l.m
	var total float64
	for u := range m {
		for v := range u {
			total += max(math.Abs(l.before[u*m+v]), math.Abs(l.before[v*m+u]), math.Abs(l.tie[v*m+u]))
		}
	}
	l.logs = !(total <= mostDirectTied)
	l.rows, l.within = grow(l.rows, m<<m), grow(l.within, 1<<m)
	l.first, l.terms, l.sums = grow(l.first, 1<<m), grow(l.terms, 1<<m), grow(l.sums, 1<<m)
	clear(l.rows[:m])
	l.within[0] = 0
	for s := 1; s < 1<<m; s++ {
		v := bits.TrailingZeros(uint(s))
		rest := s & (s - 1)
		from, to := l.rows[rest*m:][:m], l.rows[s*m:][:m]
		for u := range to {
			to[u] = from[u] + l.before[u*m+v]
		}
		sum := l.within[rest]
		for x := uint(rest); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x) // v is the smallest
			sum += l.tie[v*m+u] - (l.before[u*m+v] + l.before[v*m+u])
		}
		l.within[s] = sum
	}
	if !l.logs {
		for i, x := range l.rows {
			l.rows[i] = math.Exp(x)
		}
		for i, x := range l.within {
			l.within[i] = math.Exp(x)
		}
	}
}

// probabilitiesOf returns the probabilities of the first blocks given that the items of s are the last, times scale.
func (l *WeakLaw) probabilitiesOf(s int, scale float64) []float64 {
	q := l.blocksOf(s)
	if l.logs {
		for i, x := range q {
			q[i] = scale * logsum.Share(x, l.sums[s])
		}
		return q
	}
	scale /= l.sums[s]
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
func (l *WeakLaw) PairsTo(before, tie []float64, poll func() error) error {
	l.poll.Reset(poll)
	defer l.poll.Reset(nil)
	m := l.m
	l.reach, l.blocks = grow(l.reach, 1<<m), grow(l.blocks, 1<<m)
	clear(l.reach)
	clear(l.blocks)
	clear(before)
	l.reach[len(l.reach)-1] = 1
	for s := len(l.reach) - 1; s > 0; s-- {
		if s%32 == 0 && l.poll.Stopped() {
			return l.poll.Err()
		}
		if l.reach[s] == 0 {
			continue
		}
		q := l.probabilitiesOf(s, l.reach[s])
		i := 0
		for b := s & -s; ; b = (b - s) & s {
			l.reach[s&^b] += q[i]
			l.blocks[b] += q[i]
			i++
			if b == s {
				break
			}
		}
		l.addFirst(before, s, q)
	}
	l.separate(before, tie)
	return nil
}

// addFirst adds the probability that u is in the first block of s to before[u,v] for all v in s, given those of the
// blocks. q has no entry for the empty set, and is used up.
func (l *WeakLaw) addFirst(before []float64, s int, q []float64) {
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
		row := before[items[k]*l.m:][:l.m]
		for _, v := range items {
			row[v] += sum
		}
	}
}

// separate takes the ties off the probabilities of u before v or tied with it.
func (l *WeakLaw) separate(before, tie []float64) {
	m := l.m
	for bit := 1; bit < len(l.blocks); bit <<= 1 { // sums over supersets (Yates, 1937)
		for base := 0; base < len(l.blocks); base += 2 * bit {
			for i, w := range l.blocks[base+bit : base+2*bit] {
				l.blocks[base+i] += w
			}
		}
	}
	for u := range m {
		for v := range m {
			both := l.blocks[1<<u|1<<v]
			tie[u*m+v] = min(both, 1)
			before[u*m+v] = min(max(before[u*m+v]-both, 0), 1)
		}
		before[u*m+u] = 0
	}
}

// DrawTo writes the ranks of a random ranking, 1 for the first place, drawn block by block. Not for several goroutines at
// once. Cost: 2^m for the first block, less for the others.
func (l *WeakLaw) DrawTo(rank []int32, rng *rand.Rand) {
	place := int32(0)
	for s := len(l.sums) - 1; s > 0; {
		place++
		q := l.probabilitiesOf(s, 1)
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
