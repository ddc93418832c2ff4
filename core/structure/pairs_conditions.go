package structure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"combpred/core/relation"
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

// restrictOrder holds rankings, whose ψ begins with the signs of the pairs, to which label is first, which is last, and which stands
// before which other.
func (p pairs) restrictOrder(given []Condition) (r Restriction, err error) {
	h, err := readConditions(orderTerms, given, p.n, 0)
	if err != nil {
		return r, err
	}
	first, last, before := h.one(FirstKey), h.one(LastKey), h[BeforeKey].pairs
	if first >= 0 && first == last {
		return r, fmt.Errorf("structure: label %d is 'first' and 'last'; %s", first, dropOne)
	}
	for _, b := range before {
		u, v := b[0], b[1]
		switch {
		case u == v:
			return r, fmt.Errorf("structure: 'before' holds (%d, %d), a label before itself; leave it out", u, u)
		case v == first:
			return r, fmt.Errorf("structure: 'before' puts label %d in front of label %d, which is 'first'; %s", u, v, dropOne)
		case u == last:
			return r, fmt.Errorf("structure: 'before' puts label %d behind label %d, which is 'last'; %s", v, u, dropOne)
		}
	}
	if cycle := cycleOf(p.n, before); cycle != nil {
		shown := strings.ReplaceAll(strings.Trim(fmt.Sprint(cycle), "[]"), " ", " before label ")
		return r, fmt.Errorf("structure: 'before' has a cycle, label %s; leave a pair out", shown)
	}
	sign := func(u, v int) EntryCondition {
		value := int8(1)
		if u > v {
			value = -1
		}
		return EntryCondition{p.pair(u, v), value, true}
	}
	for _, b := range before {
		r.Conditions = append(r.Conditions, sign(b[0], b[1]))
	}
	for v := range p.n {
		if first >= 0 && v != first {
			r.Conditions = append(r.Conditions, sign(first, v))
		}
		if last >= 0 && v != last {
			r.Conditions = append(r.Conditions, sign(v, last))
		}
	}
	slices.SortFunc(r.Conditions, func(a, b EntryCondition) int { return cmp.Compare(a.Feature, b.Feature) })
	r.Conditions = slices.Compact(r.Conditions)
	return r, nil
}

// cycleOf returns a cycle of pairs, its first label once more at its end, or nil where there is none.
func cycleOf(n int, pairs [][2]int) []int {
	if len(pairs) == 0 {
		return nil
	}
	r := relation.New(n)
	for _, b := range pairs {
		r.Add(b[0], b[1])
	}
	return r.Cycle()
}
