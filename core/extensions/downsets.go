package extensions

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// MostDownsets bounds the table of the downsets of one component, of 24 bytes each.
const MostDownsets = 1 << 22

// wide is a number of 128 bits.
type wide struct{ high, low uint64 }

func (w wide) add(v wide) (sum wide, overflow bool) {
	low, carry := bits.Add64(w.low, v.low, 0)
	high, carry := bits.Add64(w.high, v.high, carry)
	return wide{high, low}, carry != 0
}

// minus subtracts a number that is not larger.
func (w wide) minus(v wide) wide {
	low, borrow := bits.Sub64(w.low, v.low, 0)
	high, _ := bits.Sub64(w.high, v.high, borrow)
	return wide{high, low}
}

func (w wide) less(v wide) bool { return w.high < v.high || w.high == v.high && w.low < v.low }

// below draws a uniform number below w, which must not be 0: as many bits as w has, until they form one.
func (w wide) below(rng *rand.Rand) wide {
	if w.high == 0 {
		return wide{0, rng.Uint64N(w.low)}
	}
	unused := bits.LeadingZeros64(w.high)
	for {
		if v := (wide{rng.Uint64() >> unused, rng.Uint64()}); v.less(w) {
			return v
		}
	}
}

// downsets is the table of all downsets of a component, by their sizes.
type downsets struct {
	ideals
	sets   [][]uint64 // ascending
	counts [][]wide   // of their extensions
}

// newDownsets lists and counts. Cost: O(n) for each downset.
func newDownsets(p *Poset, elements []int, poll func() error) (*downsets, error) {
	n := len(elements)
	lattice, err := newIdeals(p, elements)
	if err != nil {
		return nil, err
	}
	d := &downsets{ideals: *lattice, sets: [][]uint64{{0}}, counts: [][]wide{{{0, 1}}}}
	for total, k := 1, 0; k < n; k++ {
		next, err := d.larger(d.sets[k], total, MostDownsets, poll)
		if err != nil {
			return nil, err
		}
		total += len(next)
		counts := make([]wide, len(next))
		overflow := false
		err = d.steps(d.sets[k], next, poll, func(from, to int) {
			sum, carry := counts[to].add(d.counts[k][from])
			counts[to], overflow = sum, overflow || carry
		})
		if err != nil {
			return nil, err
		}
		if overflow {
			return nil, &LimitError{n, "their number has more than 128 bits"}
		}
		d.sets, d.counts = append(d.sets, next), append(d.counts, counts)
	}
	return d, nil
}

// sample writes a uniform extension to dst, elements by their numbers in the component. Cost: O(n² log MostDownsets).
func (d *downsets) sample(dst []int32, rng *rand.Rand) {
	n := len(d.before)
	set, count := d.sets[n][0], d.counts[n][0]
	for size := n; size > 0; size-- {
		left := count.below(rng)
		for rest := set; ; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest)
			if d.after[i]&set != 0 {
				continue
			}
			smaller := set &^ (1 << i)
			at, _ := slices.BinarySearch(d.sets[size-1], smaller)
			c := d.counts[size-1][at]
			if left.less(c) {
				dst[size-1] = int32(i)
				set, count = smaller, c
				break
			}
			left = left.minus(c)
		}
	}
}
