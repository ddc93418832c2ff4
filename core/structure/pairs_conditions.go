package structure

import (
	"errors"
	"fmt"
	"strings"

	"combpred/core/fault"
	"combpred/core/ordering"
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

// restrictOrder holds rankings, whose ψ of length d begins with the signs of the pairs, to which label is first, which is last, and which
// stands before which other.
func (p pairs) restrictOrder(d int, conditions []Condition, names Names) (r Restriction, err error) {
	h, err := readConditions(orderTerms, conditions, p.n, 0, names)
	if err != nil {
		return r, err
	}
	first, last := h.one(FirstKey), h.one(LastKey)
	var before [][2]int32
	if first >= 0 && first == last {
		return r, fault.Value("label %s is 'first' and 'last'; %s", names.of(first), dropOne)
	}
	for _, b := range h[BeforeKey].pairs {
		u, v := b[0], b[1]
		before = append(before, [2]int32{int32(u), int32(v)})
		switch {
		case u == v:
			return r, fault.Value("'before' holds %s, a label before itself; leave it out", names.pair(u, u))
		case v == first:
			return r, fault.Value("'before' puts label %s in front of label %s, which is 'first'; %s", names.of(u), names.of(v), dropOne)
		case u == last:
			return r, fault.Value("'before' puts label %s behind label %s, which is 'last'; %s", names.of(v), names.of(u), dropOne)
		}
	}
	if len(before) > 1 {
		_, err = ordering.NewRequirement(p.n, before)
	}
	if cycle, ok := errors.AsType[*ordering.CycleError](err); ok {
		return r, fault.Value("'before' has a cycle, %s; leave a pair out", shownCircle(cycle, "label", names))
	}
	r.Mask = NewMask()
	precede := func(u, v int) { r.Mask.Limit(d, p.pair(u, v), only(int8(sign(u < v)))) }
	for _, b := range h[BeforeKey].pairs {
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

// shownCircle shows items of which each is required before the next, the first once more at the end.
func shownCircle(cycle *ordering.CycleError, noun string, names Names) string {
	var shown []string
	for _, u := range append(cycle.Items, cycle.Items[0]) {
		shown = append(shown, noun+" "+names.of(u))
	}
	return strings.Join(shown, " before ")
}

// orderedPairs are the pairs of items of which a mask leaves one of the possible values that says which item is before the other.
type orderedPairs struct {
	pairs
	entries  []Values
	possible Values
	noun     string
	names    Names
}

// order returns the order that the pairs require, with what follows from all together. Its error, an ErrNone, says how they contradict
// each other.
func (o orderedPairs) order() (*ordering.Partial, error) {
	before := relation.New(o.n)
	pair := 0
	for u, v := range itemPairs(o.n) {
		switch o.entries[pair] & o.possible {
		case 0:
			return nil, contradiction{fault.Value("the conditions leave %ss %s and %s no order; leave one of them out", o.noun,
				o.names.of(u), o.names.of(v))}
		case Plus:
			before.Add(u, v)
		case Minus:
			before.Add(v, u)
		}
		pair++
	}
	order, ok := ordering.NewPartial(before)
	if !ok {
		return nil, inCircle{o}
	}
	return order, nil
}

// inCircle is an ErrNone that says which of the pairs form a cycle. That is found out if it is read: lists of the best outputs meet many.
type inCircle struct{ of orderedPairs }

func (c inCircle) Unwrap() error { return ErrNone }

func (c inCircle) Error() string {
	var before [][2]int32
	pair := 0
	for u, v := range itemPairs(c.of.n) {
		switch c.of.entries[pair] & c.of.possible {
		case Plus:
			before = append(before, [2]int32{int32(u), int32(v)})
		case Minus:
			before = append(before, [2]int32{int32(v), int32(u)})
		}
		pair++
	}
	_, err := ordering.NewRequirement(c.of.n, before)
	cycle, _ := errors.AsType[*ordering.CycleError](err)
	return fmt.Sprintf("the conditions put %s; leave one of them out", shownCircle(cycle, c.of.noun, c.of.names))
}
