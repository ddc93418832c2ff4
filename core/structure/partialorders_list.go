package structure

import (
	"iter"
	"math/bits"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// The partial orders on k items, one more than k−1, extend those on the first k−1: the new item is put after the items of
// a set closed downwards and before those of a set closed upwards, all of the first before all of the second. So the
// orders form a tree, level k of which is kept as one number for each order.

// orderLevel lists the partial orders on k items in an order that runs through those on k−1 items, extending each.
type orderLevel struct {
	ends  []int32  // ends[i] is the end of the extensions of order i on k−1 items
	codes []uint16 // how each order extends: a digit of base 3 for each old item, 0 unrelated, 1 before, 2 after the new
	near  []int32  // near[j]: the order on k−1 items that number j·nearStep extends
}

// nearStep is about the mean number of extensions of an order on 6 items, so that finding what an order extends takes a
// few comparisons.
const nearStep = 32

// extended returns the number of the order on k−1 items that order i extends.
func (l orderLevel) extended(i int) int {
	j := l.near[i/nearStep]
	for int(l.ends[j]) <= i {
		j++
	}
	return int(j)
}

// orderLevels are the levels of 2 to maxListed items, built when they are first needed: that of 7 items in about a second,
// and kept in 13 MB.
var orderLevels [maxListed + 1]struct {
	mu    sync.Mutex // of building
	built atomic.Pointer[orderLevel]
}

// levelOf returns the level of k items, and the error of a poll that ends its being built.
func levelOf(k int, poll func() error) (orderLevel, error) {
	l := &orderLevels[k]
	if built := l.built.Load(); built != nil {
		return *built, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if built := l.built.Load(); built != nil {
		return *built, nil
	}
	level, err := buildLevel(k, poll)
	if err == nil {
		l.built.Store(&level)
	}
	return level, err
}

// builtLevel is levelOf without a poll.
func builtLevel(k int) orderLevel {
	level, _ := levelOf(k, nil)
	return level
}

// ordersPerPoll is the number of orders that are extended between polls: a few milliseconds.
const ordersPerPoll = 512

func buildLevel(k int, poll func() error) (orderLevel, error) {
	l := orderLevel{ends: make([]int32, 0, listedOrders(k-1)), codes: make([]uint16, 0, listedOrders(k))}
	var err error
	extender{n: k - 1}.list(0, func(e *extender) {
		if err == nil && len(l.ends)%ordersPerPoll == 0 {
			err = polled(poll)
		}
		if err != nil {
			return
		}
		e.extensions(k-1, func(before, after uint8) { l.codes = append(l.codes, ternary(before, after)) })
		for len(l.near)*nearStep < len(l.codes) {
			l.near = append(l.near, int32(len(l.ends)))
		}
		l.ends = append(l.ends, int32(len(l.codes)))
	})
	return l, err
}

// Facts has what a list makes possible. The rate was measured.
func (p listedPartialOrders) Facts() Facts {
	f := p.countedPartialOrders.Facts()
	f.Prepare, f.Sums = p.prepare, sumsOf(p.partitionCost)
	f.Sums.Rate = 5e9
	return f
}

// prepare builds the levels.
func (p listedPartialOrders) prepare(poll func() error) error {
	for k := 2; k <= p.n; k++ {
		if _, err := levelOf(k, poll); err != nil {
			return err
		}
	}
	return nil
}

// listedOrders returns the number of partial orders on n items, between 2 and maxListed.
func listedOrders(n int) int { return listedCounts[n] }

var listedCounts = [maxListed + 1]int{0: 1, 1: 1, 2: 3, 3: 19, 4: 219, 5: 4231, 6: 130023, 7: 6129859}

// extender walks through the partial orders on the items below n.
type extender struct {
	n        int
	up, down [maxListed]uint8 // items after and before each
}

// list calls visit with each partial order on n items that extends the present one on the first k. The order is the same
// in each call.
func (e extender) list(k int, visit func(*extender)) {
	if k == e.n {
		visit(&e)
		return
	}
	e.extensions(k, func(before, after uint8) {
		next := e
		next.up[k], next.down[k] = after, before
		for x := before; x != 0; x &= x - 1 {
			next.up[bits.TrailingZeros8(x)] |= 1 << k
		}
		for x := after; x != 0; x &= x - 1 {
			next.down[bits.TrailingZeros8(x)] |= 1 << k
		}
		next.list(k+1, visit)
	})
}

// extensions calls visit with the sets of items that item k may be put after, and before.
func (e *extender) extensions(k int, visit func(before, after uint8)) {
	for before := range 1 << k {
		common := uint8(1)<<k - 1 // after every item of the set
		closed := true
		for x := uint8(before); x != 0; x &= x - 1 {
			i := bits.TrailingZeros8(x)
			closed = closed && e.down[i]&^uint8(before) == 0
			common &= e.up[i]
		}
		if !closed {
			continue
		}
		for after := uint8(0); ; after = (after - common) & common { // the subsets of common, ascending
			if e.closedUp(after) {
				visit(uint8(before), after)
			}
			if after == common {
				break
			}
		}
	}
}

func (e *extender) closedUp(set uint8) bool {
	for x := set; x != 0; x &= x - 1 {
		if e.up[bits.TrailingZeros8(x)]&^set != 0 {
			return false
		}
	}
	return true
}

// ternary returns the number with the digit 1 for the items of the first set and 2 for those of the second.
func ternary(before, after uint8) (code uint16) {
	power := uint16(1)
	for i := range maxListed {
		code += power * (uint16(before>>i&1) + 2*uint16(after>>i&1))
		power *= 3
	}
	return code
}

// All lists the orders level by level, in the order of the tree.
func (p listedPartialOrders) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, p.len())
		for i := range listedOrders(p.n) {
			p.orderTo(y, i)
			if !yield(y) {
				return
			}
		}
	}
}

// Sample draws the number of an order in the list.
func (p listedPartialOrders) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), p.len())
	p.orderTo(dst, rng.IntN(listedOrders(p.n)))
}

// orderTo writes order number i of the list to y. Cost: O(1) on each level.
func (p partialOrders) orderTo(y []int32, i int) {
	for k := p.n; k >= 2; k-- {
		level := builtLevel(k)
		code := level.codes[i]
		for item := range k - 1 {
			y[p.pair(item, k-1)] = [3]int32{0, 1, -1}[code%3]
			code /= 3
		}
		i = level.extended(i)
	}
}
