package structure

import (
	"slices"
	"strings"

	"combpred/core/fault"
)

// orderTerms are the keys of rankings.
var orderTerms = []Term{
	{Key: FirstKey, Form: One, Of: "labels"},
	{Key: LastKey, Form: One, Of: "labels"},
	{Key: BeforeKey, Form: Pairs, Of: "labels"},
}

var (
	_ Restricter = permutations{}
	_ Restricter = (*weakOrders)(nil)
)

// restrictOrder holds rankings, whose ψ of length d begins with the signs of the pairs, to which label is first, which is last, and which
// stands before which other.
func (p pairs) restrictOrder(d int, given []Condition, names Names) (r Restriction, err error) {
	h, err := readConditions(orderTerms, given, p.n, 0, names)
	if err != nil {
		return r, err
	}
	first, last, before := h.one(FirstKey), h.one(LastKey), h[BeforeKey].pairs
	if first >= 0 && first == last {
		return r, fault.Value("label %s is 'first' and 'last'; %s", names.of(first), dropOne)
	}
	for _, b := range before {
		u, v := b[0], b[1]
		switch {
		case u == v:
			return r, fault.Value("'before' holds %s, a label before itself; leave it out", names.pair(u, u))
		case v == first:
			return r, fault.Value("'before' puts label %s in front of label %s, which is 'first'; %s", names.of(u), names.of(v), dropOne)
		case u == last:
			return r, fault.Value("'before' puts label %s behind label %s, which is 'last'; %s", names.of(v), names.of(u), dropOne)
		}
	}
	if cycle := cycleIn(p.n, before); cycle != nil {
		shown := make([]string, len(cycle))
		for i, u := range cycle {
			shown[i] = "label " + names.of(u)
		}
		return r, fault.Value("'before' has a cycle, %s; leave a pair out", strings.Join(shown, " before "))
	}
	r.Mask = NewMask()
	precede := func(u, v int) { r.Mask.Limit(d, p.pair(u, v), only(int8(sign(u < v)))) }
	for _, b := range before {
		precede(b[0], b[1])
	}
	for v := range p.n {
		if first >= 0 && v != first {
			precede(first, v)
		}
		if last >= 0 && v != last {
			precede(v, last)
		}
	}
	return r, nil
}

// cycleIn returns a cycle of arcs between n vertices, its first vertex once more at its end, or nil where there is none. Cost: O(n)
// beside that of the arcs.
func cycleIn(n int, arcs [][2]int) []int {
	if len(arcs) == 0 {
		return nil
	}
	heads := make([][]int, n)
	for _, a := range arcs {
		heads[a[0]] = append(heads[a[0]], a[1])
	}
	const open, done = 1, 2
	state := make([]int8, n)
	var path []int
	var visit func(v int) bool
	visit = func(v int) bool {
		path = append(path, v)
		state[v] = open
		for _, w := range heads[v] {
			if state[w] == open {
				path = append(path[slices.Index(path, w):], w)
				return true
			}
			if state[w] == 0 && visit(w) {
				return true
			}
		}
		path = path[:len(path)-1]
		state[v] = done
		return false
	}
	for v := range n {
		if state[v] == 0 && visit(v) {
			return path
		}
	}
	return nil
}
