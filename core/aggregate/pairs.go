package aggregate

import (
	"math/bits"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// Pairs says what rankings prefer, pair by pair: k×k matrices, the diagonal 0.
type Pairs struct {
	Before matrix // the weight of the rankings with u before v
	Tied   matrix // the weight of those with the two tied; without rows: none
}

// Check returns an error unless the weights are finite and at least 0, the diagonal is 0, and their sums cannot overflow.
// Cost: O(k²).
func (w *Pairs) Check() error {
	k := w.Before.Rows
	switch {
	case k < 2 || w.Before.Cols != k:
		return fault.Value("weights of pairs have shape %d×%d, must have k×k with k at least 2", k, w.Before.Cols)
	case w.Tied.Rows != 0 && (w.Tied.Rows != k || w.Tied.Cols != k):
		return fault.Value("the two matrices of weights of pairs differ in shape")
	}
	for u := range k {
		for v := range k {
			x, tied := w.Before.Row(u)[v], w.tied(u, v)
			if !(x >= 0 && tied >= 0) || u == v && (x != 0 || tied != 0) || tied != w.tied(v, u) {
				return fault.At(u, fault.Value("counts of the pair with item %d are %v and %v; they are numbers from 0 on, 0 on the "+
					"diagonal, and those of ties are symmetric", v, x, tied))
			}
			if max(x, tied) > largest/float64(k*k) {
				return fault.At(u, fault.Value("counts of the pair with item %d are %.3g, so that sums of weights may overflow: "+
					"scale them down", v, max(x, tied)))
			}
		}
	}
	return nil
}

// Items returns k.
func (w *Pairs) Items() int { return w.Before.Rows }

func (w *Pairs) tied(u, v int) float64 {
	if w.Tied.Rows == 0 {
		return 0
	}
	return w.Tied.Row(u)[v]
}

// sliceWords bounds the words of bit slices that are made at a time: they stay in a cache of the second level.
const sliceWords = 1 << 15

// CountPairs counts what a profile prefers. Sums are exact where weights are whole numbers, or all the same. It advances
// mon by k for every so many rankings that it counts at a time.
//
// Rankings are compared 64 at a time: for each item, a word for every binary digit of its position holds that digit of 64
// rankings, and two items are compared digit by digit, from the highest one on, in O(log k) operations on words. The
// weights of the rankings in a word of results are then looked up, four at a time. Cost: O(n k² log k / 64), and O(n k²/2)
// additions where weights differ; sorting takes O(n k log k) where positions are no whole numbers.
func CountPairs(p *Profile, workers int, mon *parallel.Monitor) (*Pairs, error) {
	k, n := p.Items(), p.Ranks.Rows
	pairs := &Pairs{linalg.NewMatrix[float64](k, k), linalg.NewMatrix[float64](k, k)}
	c := &counting{profile: p, pairs: pairs, same: p.sameWeight()}
	many := max(1, sliceWords/(k*(bits.Len(uint(k))+1))) // words for each digit of an item
	for lo := 0; lo < n; lo += 64 * many {
		if err := c.slice(lo, min(lo+64*many, n), workers, mon); err != nil {
			return nil, err
		}
		if err := parallel.For(k, 1, workers, mon, func(u, _ int) error { c.count(u); return nil }); err != nil {
			return nil, err
		}
	}
	if c.same > 0 {
		for _, m := range []matrix{pairs.Before, pairs.Tied} {
			for i := range m.Data {
				m.Data[i] *= c.same
			}
		}
	}
	return pairs, nil
}

// sameWeight returns the weight that all rankings have, 0 where they differ.
func (p *Profile) sameWeight() float64 {
	w := p.weight(0)
	for i := range p.Weights {
		if p.Weights[i] != w {
			return 0
		}
	}
	return w
}

// counting is a batch of rankings in bit slices.
type counting struct {
	profile *Profile
	pairs   *Pairs
	same    float64 // the weight of all, or 0; then numbers of rankings are counted

	codes  []int32       // of the batch, a row for each ranking
	words  int           // words of 64 rankings
	digits int           // binary digits of codes
	slices []uint64      // of each item the words of all digits, from the lowest, then the words that say where it is known
	tables [][16]float64 // of every 4 rankings the weights of their subsets
}

// slice prepares rankings lo to hi.
func (c *counting) slice(lo, hi, workers int, mon *parallel.Monitor) error {
	p, k := c.profile, c.profile.Items()
	n := hi - lo
	c.words = (n + 63) / 64
	c.codes = slicex.Grow(c.codes, n*k)
	most := make([]int32, c.words)
	err := parallel.For(c.words, 1, workers, nil, func(w, _ int) error {
		var coder coder
		for i := 64 * w; i < min(64*w+64, n); i++ {
			most[w] = max(most[w], coder.codesTo(c.codes[i*k:(i+1)*k], p.Ranks.Row(lo+i), nil))
		}
		return mon.Err()
	})
	if err != nil {
		return err
	}
	c.digits = 0
	for _, m := range most {
		c.digits = max(c.digits, bits.Len32(uint32(m)))
	}
	c.slices = slicex.Grow(c.slices, k*(c.digits+1)*c.words)
	clear(c.slices)
	if c.same == 0 {
		c.tables = slicex.Grow(c.tables, 16*c.words)
	}
	return parallel.For(c.words, 1, workers, nil, func(w, _ int) error {
		rows := min(64, n-64*w)
		for i := range rows {
			for u, code := range c.codes[(64*w+i)*k:][:k] {
				if code < 0 {
					continue
				}
				item := c.item(u)
				item[c.digits*c.words+w] |= 1 << i
				for x := uint32(code); x != 0; x &= x - 1 {
					item[bits.TrailingZeros32(x)*c.words+w] |= 1 << i
				}
			}
		}
		if c.same == 0 {
			for q := range 16 {
				tabulate(&c.tables[16*w+q], func(bit int) float64 {
					if i := 4*q + bit; i < rows {
						return p.weight(lo + 64*w + i)
					}
					return 0
				})
			}
		}
		return mon.Err()
	})
}

func (c *counting) item(u int) []uint64 {
	size := (c.digits + 1) * c.words
	return c.slices[u*size : (u+1)*size]
}

// tabulate fills table[s] with the sum of the weights of the bits of s.
func tabulate(table *[16]float64, weight func(bit int) float64) {
	table[0] = 0
	for s := 1; s < 16; s++ {
		table[s] = table[s&(s-1)] + weight(bits.TrailingZeros(uint(s)))
	}
}

// count adds up the pairs of u with the items after it.
func (c *counting) count(u int) {
	first := c.item(u)
	known := c.digits * c.words
	for v := u + 1; v < c.profile.Items(); v++ {
		second := c.item(v)
		var before, behind, tied float64
		for w := range c.words {
			equal, less := ^uint64(0), uint64(0)
			for d := known - c.words + w; d >= 0; d -= c.words {
				x, y := first[d], second[d]
				less |= equal &^ x & y
				equal &^= x ^ y
			}
			both := first[known+w] & second[known+w]
			less &= both
			equal &= both
			more := both &^ (less | equal)
			if c.same > 0 {
				before += float64(bits.OnesCount64(less))
				behind += float64(bits.OnesCount64(more))
				tied += float64(bits.OnesCount64(equal))
				continue
			}
			tables := c.tables[16*w : 16*w+16]
			before += weigh(tables, less)
			behind += weigh(tables, more)
			if equal != 0 {
				tied += weigh(tables, equal)
			}
		}
		c.pairs.Before.Row(u)[v] += before
		c.pairs.Before.Row(v)[u] += behind
		c.pairs.Tied.Row(u)[v] += tied
		c.pairs.Tied.Row(v)[u] += tied
	}
}

// weigh returns the weight of a set of 64 rankings.
func weigh(tables [][16]float64, set uint64) (sum float64) {
	for q := range 16 {
		sum += tables[q][set>>(4*q)&15]
	}
	return sum
}
