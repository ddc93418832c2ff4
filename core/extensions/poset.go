package extensions

import (
	"combpred/core/fault"
	"combpred/core/relation"
)

// MostElements bounds partial orders: at this size the relation fills half a megabyte.
const MostElements = 1 << 11

// Poset is a strict partial order on the elements 0..n−1. It is immutable.
type Poset struct {
	after relation.Relation // of u to v where u comes before v
	sets  [][]int           // the connected components, each in an order that is a linear extension
}

// New returns the partial order in which u comes before v for every pair (u, v), and what follows from that. A pair of
// equal elements, an element out of range, or relations that form a cycle are an error that names them.
// Cost: n/64 for each pair that follows; O(n³/64) at most.
func New(n int, pairs [][2]int32) (*Poset, error) {
	if n < 1 || n > MostElements {
		return nil, fault.Value("there are %d elements, must be between 1 and %d", n, MostElements)
	}
	p := &Poset{after: relation.New(n)}
	for i, pair := range pairs {
		u, v := int(pair[0]), int(pair[1])
		switch {
		case u < 0 || u >= n || v < 0 || v >= n:
			return nil, fault.Value("pair %d is (%d, %d), elements must be between 0 and %d", i, u, v, n-1)
		case u == v:
			return nil, fault.Value("pair %d puts element %d before itself", i, u)
		}
		p.after.Add(u, v)
	}
	if u := p.finish(); u >= 0 {
		return nil, fault.Value("the relations lead from element %d back to it", u)
	}
	return p, nil
}

// finish adds what follows from the relations, and finds the components. It returns an element that comes before itself,
// or −1 where there is none.
func (p *Poset) finish() int {
	p.after.Close()
	if u := p.after.Reflexive(); u >= 0 {
		return u
	}
	p.sets = p.components()
	return -1
}

// Len returns the number of elements.
func (p *Poset) Len() int { return p.after.Len() }

// Before reports whether u comes before v in every extension.
func (p *Poset) Before(u, v int) bool { return p.after.Has(u, v) }

// components returns the connected components, with elements in the order of how many come after them, most first: a
// linear extension.
func (p *Poset) components() [][]int {
	n, joined := p.Len(), p.after.Weak()
	later := make([][]int, n+1) // elements by how many come after them
	for u := range n {
		count := p.after.Count(u)
		later[count] = append(later[count], u)
	}
	number := map[int]int{}
	var sets [][]int
	for count := n; count >= 0; count-- {
		for _, u := range later[count] {
			k, known := number[joined[u]]
			if !known {
				k = len(sets)
				number[joined[u]] = k
				sets = append(sets, nil)
			}
			sets[k] = append(sets[k], u)
		}
	}
	return sets
}
