// Package relation has relations on the elements 0..n−1 of a set, one bit for each ordered pair, and what follows from them:
// transitive closures, orders that agree with them, cycles and components.
//
// # Conventions
//
// Rows are words of 64 bits. Elements come in ascending order wherever nothing else is said. Elements out of range panic.
package relation

import (
	"iter"
	"math/bits"
	"slices"

	"combpred/core/slicex"
)

// Relation is a relation on n elements. Copies share the pairs. The zero value has no elements.
type Relation struct {
	n, words int32 // so small that the compiler keeps copies in registers
	bits     []uint64
}

// New returns the empty relation on n elements.
func New(n int) Relation {
	var r Relation
	r.Reset(n)
	return r
}

// Reset makes the relation the empty one on n elements, in the memory that it has where that suffices.
func (r *Relation) Reset(n int) {
	words := (n + 63) / 64
	r.n, r.words = int32(n), int32(words)
	r.bits = slicex.Grow(r.bits, n*words)
	clear(r.bits)
}

// Set makes the relation equal to another one, in the memory that it has where that suffices.
func (r *Relation) Set(from Relation) {
	r.n, r.words, r.bits = from.n, from.words, append(r.bits[:0], from.bits...)
}

// Len returns the number of elements.
func (r Relation) Len() int { return int(r.n) }

// Clear removes all pairs.
func (r Relation) Clear() { clear(r.bits) }

// Clone returns a relation of the same pairs.
func (r Relation) Clone() Relation {
	r.bits = append([]uint64(nil), r.bits...)
	return r
}

// Add relates a to b.
func (r Relation) Add(a, b int) { r.bits[a*int(r.words)+b>>6] |= 1 << (b & 63) }

// Remove takes back that a is related to b.
func (r Relation) Remove(a, b int) { r.bits[a*int(r.words)+b>>6] &^= 1 << (b & 63) }

// Has reports whether a is related to b.
func (r Relation) Has(a, b int) bool { return r.bits[a*int(r.words)+b>>6]>>(b&63)&1 == 1 }

// Row returns the words of row a: bit b&63 of word b>>6 says whether a is related to b.
func (r Relation) Row(a int) []uint64 { return r.bits[a*int(r.words) : (a+1)*int(r.words)] }

// Related yields the elements that a is related to.
func (r Relation) Related(a int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range r.Row(a) {
			for ; word != 0; word &= word - 1 {
				if !yield(64*w + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Count returns the number of elements that a is related to.
func (r Relation) Count(a int) (count int) {
	for _, word := range r.Row(a) {
		count += bits.OnesCount64(word)
	}
	return count
}

// Common returns the number of elements that both a and b are related to.
func (r Relation) Common(a, b int) (count int) {
	x := r.Row(b)
	for w, word := range r.Row(a) {
		count += bits.OnesCount64(word & x[w])
	}
	return count
}

// Extra returns the first element that b is related to and a is not, or −1.
func (r Relation) Extra(a, b int) int {
	x := r.Row(a)
	for w, word := range r.Row(b) {
		if d := word &^ x[w]; d != 0 {
			return 64*w + bits.TrailingZeros64(d)
		}
	}
	return -1
}

// Include relates a to all elements of a row, of this relation or another one of as many elements.
func (r Relation) Include(a int, row []uint64) {
	own := r.Row(a)
	for w, word := range row {
		own[w] |= word
	}
}

// Unite adds the pairs of another relation on as many elements.
func (r Relation) Unite(other Relation) {
	if other.n != r.n {
		panic("relation: relations on sets of different sizes")
	}
	for k, word := range other.bits {
		r.bits[k] |= word
	}
}

// Transpose returns the relation of a to b for each pair of b and a.
func (r Relation) Transpose() Relation {
	t := New(r.Len())
	for a := range r.Len() {
		for b := range r.Related(a) {
			t.Add(b, a)
		}
	}
	return t
}

// Close makes the relation transitive.
//
// Cost: n/64 for each pair that does not follow from others, and one look at each pair, where there is no cycle, otherwise O(n³/64).
func (r Relation) Close() {
	if order, acyclic := r.Order(); acyclic {
		direct := make([]uint64, r.words)
		for k := r.Len() - 1; k >= 0; k-- { // what follows an element is complete before it is included
			a := order[k]
			row := r.Row(a)
			copy(direct, row)
			clear(row)
			for w, word := range direct {
				for word &^= row[w]; word != 0; word &^= row[w] {
					b := 64*w + bits.TrailingZeros64(word)
					r.Add(a, b)
					r.Include(a, r.Row(b))
				}
			}
		}
		return
	}
	for via := range r.Len() { // Warshall (1962)
		for a := range r.Len() {
			if r.Has(a, via) {
				r.Include(a, r.Row(via))
			}
		}
	}
}

// Gap returns the first elements a, b and c of which a is related to b and b to c, but not a to c, and whether there are any: the relation
// is not transitive then. Cost: n/64 for each pair.
func (r Relation) Gap() (a, b, c int, found bool) {
	for a := range r.Len() {
		for b := range r.Related(a) {
			if c := r.Extra(a, b); c >= 0 {
				return a, b, c, true
			}
		}
	}
	return 0, 0, 0, false
}

// Reflexive returns the first element that is related to itself, or −1. In a transitive relation it is the first one on a cycle.
func (r Relation) Reflexive() int {
	for a := range r.Len() {
		if r.Has(a, a) {
			return a
		}
	}
	return -1
}

// Order returns the elements in an order that has a before b where a is related to b, and whether there is one. Cost: O(n²/64) and one
// look at each pair.
func (r Relation) Order() (order []int, acyclic bool) {
	waits := make([]int, r.n) // for how many elements that come before
	for a := range r.Len() {
		for b := range r.Related(a) {
			waits[b]++
		}
	}
	order = make([]int, 0, r.n)
	for a, w := range waits {
		if w == 0 {
			order = append(order, a)
		}
	}
	for k := 0; k < len(order); k++ {
		for b := range r.Related(order[k]) {
			if waits[b]--; waits[b] == 0 {
				order = append(order, b)
			}
		}
	}
	return order, len(order) == r.Len()
}

// Cycle returns elements each of which is related to the next, as few as possible, or nil where there is no cycle: the first one is at
// the end once more. Cost: O(n³/64) where there is a cycle, otherwise that of Order.
func (r Relation) Cycle() (cycle []int) {
	if _, acyclic := r.Order(); acyclic {
		return nil
	}
	from := make([]int, r.n) // the element before one on a shortest way
	var left open
	for a := range r.Len() {
		left.reset(r.Len())
		queue := []int{a}
		for k := 0; k < len(queue) && left.has(a); k++ {
			for b := left.last(r.Row(queue[k])); b >= 0; b = left.last(r.Row(queue[k])) {
				left.take(b)
				from[b] = queue[k]
				queue = append(queue, b)
			}
		}
		if left.has(a) {
			continue
		}
		path := []int{a}
		for b := from[a]; b != a; b = from[b] {
			path = append(path, b)
		}
		if path = append(path, a); cycle == nil || len(path) < len(cycle) {
			cycle = path
		}
	}
	slices.Reverse(cycle)
	return cycle
}
