package extensions

import (
	"math/bits"

	"combpred/core/fault"
)

// MostElements bounds partial orders: at this size the relation fills half a megabyte.
const MostElements = 1 << 11

// Poset is a strict partial order on the elements 0..n−1. It is immutable.
type Poset struct {
	n     int
	words int
	after []uint64 // n rows of words each: bit v of row u says that u comes before v
	sets  [][]int  // the connected components, each in an order that is a linear extension
}

// New returns the partial order in which u comes before v for every pair (u, v), and what follows from that. A pair of
// equal elements, an element out of range, or relations that form a cycle are an error that names them.
// Cost: O(n³/64).
func New(n int, pairs [][2]int32) (*Poset, error) {
	if n < 1 || n > MostElements {
		return nil, fault.Value("there are %d elements, must be between 1 and %d", n, MostElements)
	}
	p := &Poset{n: n, words: (n + 63) / 64}
	p.after = make([]uint64, n*p.words)
	for i, pair := range pairs {
		u, v := int(pair[0]), int(pair[1])
		switch {
		case u < 0 || u >= n || v < 0 || v >= n:
			return nil, fault.Value("pair %d is (%d, %d), elements must be between 0 and %d", i, u, v, n-1)
		case u == v:
			return nil, fault.Value("pair %d puts element %d before itself", i, u)
		}
		p.row(u)[v>>6] |= 1 << (v & 63)
	}
	if u := p.finish(); u >= 0 {
		return nil, fault.Value("the relations lead from element %d back to it", u)
	}
	return p, nil
}

// finish adds what follows from the relations, and finds the components. It returns an element that comes before itself,
// or −1 where there is none.
func (p *Poset) finish() int {
	for w := range p.n { // Warshall (1962)
		for u := range p.n {
			if p.Before(u, w) {
				for k, word := range p.row(w) {
					p.row(u)[k] |= word
				}
			}
		}
	}
	for u := range p.n {
		if p.Before(u, u) {
			return u
		}
	}
	p.sets = p.components()
	return -1
}

// Len returns the number of elements.
func (p *Poset) Len() int { return p.n }

// Before reports whether u comes before v in every extension.
func (p *Poset) Before(u, v int) bool { return p.row(u)[v>>6]>>(v&63)&1 == 1 }

func (p *Poset) row(u int) []uint64 { return p.after[u*p.words : (u+1)*p.words] }

// components returns the connected components, with elements in the order of how many come after them, most first: a
// linear extension.
func (p *Poset) components() [][]int {
	root := make([]int, p.n)
	for u := range root {
		root[u] = u
	}
	find := func(u int) int {
		for root[u] != u {
			root[u] = root[root[u]]
			u = root[u]
		}
		return u
	}
	later := make([][]int, p.n+1) // elements by how many come after them
	for u := range p.n {
		count := 0
		for k, word := range p.row(u) {
			count += bits.OnesCount64(word)
			for ; word != 0; word &= word - 1 {
				root[find(k*64+bits.TrailingZeros64(word))] = find(u)
			}
		}
		later[count] = append(later[count], u)
	}
	number := map[int]int{}
	var sets [][]int
	for count := p.n; count >= 0; count-- {
		for _, u := range later[count] {
			k, known := number[find(u)]
			if !known {
				k = len(sets)
				number[find(u)] = k
				sets = append(sets, nil)
			}
			sets[k] = append(sets[k], u)
		}
	}
	return sets
}
