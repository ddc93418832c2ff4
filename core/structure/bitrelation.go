package structure

import (
	"iter"
	"math/bits"
)

// bitRelation is a relation on n elements, one bit for each ordered pair.
type bitRelation struct {
	words int // uint64s in a row
	bits  []uint64
}

func newBitRelation(n int) bitRelation {
	words := (n + 63) / 64
	return bitRelation{words: words, bits: make([]uint64, n*words)}
}

func (r bitRelation) set(a, b int)      { r.bits[a*r.words+b/64] |= 1 << (b % 64) }
func (r bitRelation) has(a, b int) bool { return r.bits[a*r.words+b/64]>>(b%64)&1 == 1 }
func (r bitRelation) row(a int) []uint64 {
	return r.bits[a*r.words : (a+1)*r.words]
}

// related yields the elements of row a in ascending order.
func (r bitRelation) related(a int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range r.row(a) {
			for ; word != 0; word &= word - 1 {
				if !yield(64*w + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// common returns the number of elements that the rows a and b share.
func (r bitRelation) common(a, b int) int {
	n, x := 0, r.row(b)
	for w, word := range r.row(a) {
		n += bits.OnesCount64(word & x[w])
	}
	return n
}

// extra returns the first element of row b that row a lacks, or -1.
func (r bitRelation) extra(a, b int) int {
	x := r.row(a)
	for w, word := range r.row(b) {
		if d := word &^ x[w]; d != 0 {
			return 64*w + bits.TrailingZeros64(d)
		}
	}
	return -1
}
