package extensions

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// MostDownsets bounds the table of the downsets of one component, of 24 bytes each.
const MostDownsets = 1 << 22

// LimitError says that counting downsets is beyond its size. Coupling from the past is not.
type LimitError struct {
	Elements int    // of the component
	Reason   string // what is too large
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("extensions: counting the linear extensions of %d connected elements: %s; draw by coupling from the past instead",
		e.Elements, e.Reason)
}

// Status is that of the C interface.
func (e *LimitError) Status() int32 { return 2 }

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

func (w wide) big() *big.Int {
	z := new(big.Int).SetUint64(w.high)
	return z.Lsh(z, 64).Or(z, new(big.Int).SetUint64(w.low))
}

// downsets is the table of all downsets of a component, whose elements are numbered along a linear extension.
type downsets struct {
	before, after []uint64   // of each element, as sets
	sets          [][]uint64 // the downsets of each size, ascending
	counts        [][]wide   // of their extensions
}

// setsAtOnce is the number of downsets between polls.
const setsAtOnce = 1 << 12

// newDownsets lists and counts. Cost: for each downset and each element that can be added to it, a search among the
// downsets of the next size.
func newDownsets(p *Poset, elements []int, poll func() error) (*downsets, error) {
	n := len(elements)
	if n > 64 {
		return nil, &LimitError{n, "the table takes up to 64 elements"}
	}
	d := &downsets{before: make([]uint64, n), after: make([]uint64, n)}
	for i, u := range elements {
		for j, v := range elements {
			if p.Before(u, v) {
				d.after[i] |= 1 << j
				d.before[j] |= 1 << i
			}
		}
	}
	d.sets = append(d.sets, []uint64{0})
	d.counts = append(d.counts, []wide{{0, 1}})
	for total, k := 1, 0; k < n; k++ {
		var next []uint64
		tooMany := &LimitError{n, fmt.Sprintf("they have more than %d downsets", MostDownsets)}
		for at, set := range d.sets[k] {
			if at%setsAtOnce == 0 {
				if err := poll(); err != nil {
					return nil, err
				}
			}
			for i := range n {
				if d.canAdd(set, i) {
					next = append(next, set|1<<i)
				}
			}
			if len(next) > 2*MostDownsets {
				if next = compact(next); len(next) > MostDownsets {
					return nil, tooMany
				}
			}
		}
		next = compact(next)
		if total += len(next); total > MostDownsets {
			return nil, tooMany
		}
		counts := make([]wide, len(next))
		for at, set := range d.sets[k] {
			if at%setsAtOnce == 0 {
				if err := poll(); err != nil {
					return nil, err
				}
			}
			for i := range n {
				if !d.canAdd(set, i) {
					continue
				}
				to, _ := slices.BinarySearch(next, set|1<<i)
				sum, overflow := counts[to].add(d.counts[k][at])
				if overflow {
					return nil, &LimitError{n, "their number has more than 128 bits"}
				}
				counts[to] = sum
			}
		}
		d.sets, d.counts = append(d.sets, next), append(d.counts, counts)
	}
	return d, nil
}

func compact(sets []uint64) []uint64 {
	slices.Sort(sets)
	return slices.Compact(sets)
}

// canAdd reports whether a downset lacks element i and has all before it.
func (d *downsets) canAdd(set uint64, i int) bool {
	return set>>i&1 == 0 && d.before[i]&^set == 0
}

// count returns the number of extensions of the component.
func (d *downsets) count() *big.Int { return d.counts[len(d.before)][0].big() }

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
