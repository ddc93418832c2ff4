package relation

import (
	"math/bits"
	"slices"
)

// Weak returns a number for each element, from 0 on, which those have in common that pairs join, whatever their directions. Numbers are
// in the order of first elements.
func (r Relation) Weak() []int {
	both := r.Transpose()
	both.Unite(r)
	number := make([]int, r.n)
	for a := range number {
		number[a] = -1
	}
	next := 0
	var queue []int
	for a := range number {
		if number[a] >= 0 {
			continue
		}
		number[a], queue = next, append(queue[:0], a)
		for k := 0; k < len(queue); k++ {
			for b := range both.Related(queue[k]) {
				if number[b] < 0 {
					number[b] = next
					queue = append(queue, b)
				}
			}
		}
		next++
	}
	return number
}

// Strong returns the strong components in an order that has one before another where an element of it is related to one of the other.
// Without pairs they come in the order of their elements.
//
// It is Kosaraju's algorithm with the elements that are not visited in a bit set, so that the next neighbour takes n/64 steps. Cost:
// O(n²/64) and one look at each pair.
func (r Relation) Strong() [][]int {
	before := r.Transpose()
	open := newOpen(r.n)
	finished := make([]int, 0, r.n) // in the order in which depth-first search leaves them
	var stack []int
	for a := r.n - 1; a >= 0; a-- {
		if !open.take(a) {
			continue
		}
		stack = append(stack[:0], a)
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			next := open.last(r.Row(top))
			if next < 0 {
				finished, stack = append(finished, top), stack[:len(stack)-1]
				continue
			}
			open.take(next)
			stack = append(stack, next)
		}
	}
	open = newOpen(r.n)
	var components [][]int
	for _, a := range slices.Backward(finished) {
		if !open.take(a) {
			continue
		}
		own := []int{a}
		for k := 0; k < len(own); k++ {
			for next := open.last(before.Row(own[k])); next >= 0; next = open.last(before.Row(own[k])) {
				open.take(next)
				own = append(own, next)
			}
		}
		slices.Sort(own)
		components = append(components, own)
	}
	return components
}

// open are elements that are not visited.
type open []uint64

func newOpen(n int) open {
	o := make(open, (n+63)/64)
	for w := range o {
		o[w] = ^uint64(0)
	}
	if r := n & 63; r != 0 {
		o[len(o)-1] = 1<<r - 1
	}
	return o
}

// take visits an element, and reports whether that was not done before.
func (o open) take(a int) bool {
	was := o[a>>6]>>(a&63)&1 == 1
	o[a>>6] &^= 1 << (a & 63)
	return was
}

// last returns the largest element of a row that is not visited, or −1.
func (o open) last(row []uint64) int {
	for w := len(row) - 1; w >= 0; w-- {
		if x := row[w] & o[w]; x != 0 {
			return 64*w + bits.Len64(x) - 1
		}
	}
	return -1
}
