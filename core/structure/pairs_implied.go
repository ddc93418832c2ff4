package structure

import "combpred/core/relation"

// Implier is implemented by spaces in which values of some entries of ψ follow from those of others.
type Implier interface {
	// Implied completes required values of entries of ψ, 0 where nothing is required, by the values −1 and 1 that follow from them.
	// Values that contradict each other are left as they are.
	Implied(values []int8)
}

var (
	_ Implier = permutations{}
	_ Implier = weakOrders{}
)

// chained makes the order that signs of pairs require transitive. A local search
// can then always repair a ranking that violates some of them: among the violated pairs it takes one whose labels are closest, and
// puts the label that must come first directly in front of the other.
//
// Cost: O(d) and n/64 for each pair that is required, O(n³/64) where they contradict each other.
func (p pairs) chained(values []int8) {
	order := relation.New(p.n)
	for u := range p.n {
		for v := u + 1; v < p.n; v++ {
			switch values[p.pair(u, v)] {
			case 1:
				order.Add(u, v)
			case -1:
				order.Add(v, u)
			}
		}
	}
	order.Close()
	if order.Reflexive() >= 0 {
		return // the pairs form a cycle
	}
	for u := range p.n {
		for v := range order.Related(u) {
			values[p.pair(u, v)] = int8(sign(u < v))
		}
	}
}
