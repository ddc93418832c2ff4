package structure

import (
	"errors"
	"slices"

	"combpred/core/fault"
)

// pairTerms are the keys of sets of edges, arcs or cells.
func pairTerms(of, second string) []Term {
	return []Term{
		{Key: RequiredKey, Form: Pairs, Of: of, Second: second},
		{Key: ForbiddenKey, Form: Pairs, Of: of, Second: second},
	}
}

var (
	edgeTerms = pairTerms("vertices", "")
	cellTerms = pairTerms("items", "columns")
	pathTerms = append(pairTerms("vertices", ""), Term{Key: LengthKey, Form: Count, Of: "arcs that a path takes"})
)

var (
	_ Restricter = graphs{}
	_ Restricter = hereditaryGraphs{}
	_ Restricter = spanningTrees{}
	_ Restricter = (*paths)(nil)
	_ Restricter = assignments{}
)

// refusing reads conditions and refuses those that contradict each other as the engine of a space sees it at once. The engine serves the
// part of the space that they leave.
func refusing(s maskable, read func([]Condition) (Restriction, error)) func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (Restriction, error) {
		r, err := read(conditions)
		if err != nil || r.Mask.AllowsAll() {
			return r, err
		}
		r.engine, err = s.under(&r.Mask)
		if named, is := errors.AsType[contradiction](err); is {
			return Restriction{}, named.error
		}
		return r, nil
	}
}

// restrictEdges holds outputs, whose ψ marks their edges or arcs, to required and forbidden ones. Cost: that of numbering them all,
// once.
func restrictEdges(terms []Term, c Cells, names Names) func([]Condition) (Restriction, error) {
	number, what := map[[2]int]int{}, "arc"
	if c.Kind == "edges" {
		what = "edge"
	}
	for u, v := range c.At {
		i := len(number)
		number[[2]int{u, v}] = i
	}
	of := func(e [2]int) (int, bool) {
		i, known := number[e]
		if !known && what == "edge" {
			i, known = number[[2]int{e[1], e[0]}]
		}
		return i, known
	}
	return func(conditions []Condition) (r Restriction, err error) {
		h, err := readConditions(terms, conditions, c.Items, 0, names)
		if err != nil {
			return r, err
		}
		var numbers [2][]int
		for side, key := range [2]Key{RequiredKey, ForbiddenKey} {
			for _, e := range h[key].pairs {
				i, known := of(e)
				if !known {
					return r, fault.Value("'%v' holds %s, which is no %s of the graph; leave it out", key, names.pair(e[0], e[1]), what)
				}
				numbers[side] = append(numbers[side], i)
			}
		}
		if i, both := common(numbers[0], numbers[1]); both {
			e := h[RequiredKey].pairs[slices.Index(numbers[0], i)]
			return r, fault.Value("the %s %s is required and forbidden; %s", what, names.pair(e[0], e[1]), dropOne)
		}
		r.Mask = NewMask()
		r.Mask.Size = h.size(LengthKey)
		r.Mask.require(len(number), numbers[0])
		r.Mask.forbid(len(number), numbers[1])
		return r, nil
	}
}
