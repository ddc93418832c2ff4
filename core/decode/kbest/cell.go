package kbest

import (
	"slices"

	"combpred/core/structure"
)

// bits are a set of values of an entry of ψ.
type bits = structure.Values

func bit(value int8) bits { return 1 << (value + 1) }

// several reports whether there is more than one value.
func several(b bits) bool { return b&(b-1) != 0 }

// cell is a cell of the partition of the space, whose best output has been listed.
type cell struct {
	domains []bits // the values that each entry may take
	psi     []int8 // of the best output
}

// candidate is the best output of a cell that is not listed yet.
type candidate struct {
	value  float64
	number int
	parent int // cell; −1 for the whole space
	at     int // which of its parts
	psi    []int8
	parts  []int32
}

// candidates are a heap, the largest value first.
type candidates []candidate

func (c candidate) before(o candidate) bool {
	return c.value > o.value || c.value == o.value && c.number < o.number
}

func (h candidates) Len() int           { return len(h) }
func (h candidates) Less(i, j int) bool { return h[i].before(h[j]) }
func (h candidates) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *candidates) Push(x any)        { *h = append(*h, x.(candidate)) }
func (h *candidates) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = candidate{}
	*h = (*h)[:last]
	return x
}

// free returns the entries that may take more than one value in a cell.
func free(domains []bits) (entries []int) {
	for e, d := range domains {
		if several(d) {
			entries = append(entries, e)
		}
	}
	return entries
}

// child returns the domains of the part in which free entry number at changes and those before it do not.
func (c cell) child(at int, free []int) []bits {
	domains := slices.Clone(c.domains)
	for _, e := range free[:at] {
		domains[e] = bit(c.psi[e])
	}
	domains[free[at]] &^= bit(c.psi[free[at]])
	return domains
}
