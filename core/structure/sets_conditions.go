package structure

import "combpred/core/fault"

// memberTerms are the keys of sets of something.
func memberTerms(of string) []Term {
	return []Term{
		{Key: RequiredKey, Form: List, Of: of},
		{Key: ForbiddenKey, Form: List, Of: of},
		{Key: SizeKey, Form: Count, Of: of},
	}
}

var (
	labelTerms  = memberTerms("labels")
	vertexTerms = memberTerms("vertices")
	nodeTerms   = memberTerms("nodes")
)

var (
	_ Restricter = labelSets{}
	_ Restricter = cliques{}
	_ Restricter = (*subtrees)(nil)
)

// memberConditions say which of n things a set must, and must not, contain, and how many in all, −1 being any number.
type memberConditions struct {
	n                   int
	of                  string
	required, forbidden []int
	size                int
}

func readMembers(terms []Term, noun string, given []Condition, n int, names Names) (m memberConditions, err error) {
	h, err := readConditions(terms, given, n, 0, names)
	if err != nil {
		return m, err
	}
	m = memberConditions{n, plural(noun), h[RequiredKey].alone, h[ForbiddenKey].alone, h.one(SizeKey)}
	if v, both := common(m.required, m.forbidden); both {
		return m, fault.Value("%s %s is required and forbidden; %s", noun, names.of(v), dropOne)
	}
	return m, nil
}

// checkSize returns an error if no set of the given size is left or, where that is negative, none of at least the least one.
func (m memberConditions) checkSize(size, least int) error {
	if size >= 0 && len(m.required) > size {
		return fault.Value("%d %s are required, with what they imply, but the size is %d; ask for fewer, or for a larger size",
			len(m.required), m.of, size)
	}
	if may, needed := m.n-len(m.forbidden), max(least, size); may < needed {
		return fault.Value("'forbidden' leaves %d %s, but the size is %d; allow more, or ask for a smaller size", may, m.of, needed)
	}
	return nil
}

// entries returns the conditions where ψ is the membership.
func (m memberConditions) entries() []EntryCondition {
	return entryConditions(entryConditions(nil, m.required, true), m.forbidden, false)
}

// holds reports whether a set satisfies the conditions.
func (m memberConditions) holds(y []int32) bool {
	for _, i := range m.required {
		if y[i] == 0 {
			return false
		}
	}
	for _, i := range m.forbidden {
		if y[i] == 1 {
			return false
		}
	}
	return m.size < 0 || members(y) == m.size
}
