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

// memberConditions say which of n things a set must, and must not, contain, and how many in all.
type memberConditions struct {
	n                   int
	of                  string
	required, forbidden []int
	size                Range
}

func readMembers(terms []Term, noun string, conditions []Condition, n int, names Names) (m memberConditions, err error) {
	h, err := readConditions(terms, conditions, n, 0, names)
	if err != nil {
		return m, err
	}
	m = memberConditions{n, plural(noun), h[RequiredKey].alone, h[ForbiddenKey].alone, h.size(SizeKey)}
	if v, both := common(m.required, m.forbidden); both {
		return m, fault.Value("%s %s is required and forbidden; %s", noun, names.of(v), dropOne)
	}
	return m, nil
}

// checkSize returns an error if no set of such a size is left, of at least the least one.
func (m memberConditions) checkSize(least int) error {
	if len(m.required) > m.size.Most {
		return fault.Value("%d %s are required, with what they imply, but the size is %d at most; ask for fewer, or for a larger size",
			len(m.required), m.of, m.size.Most)
	}
	if may, needed := m.n-len(m.forbidden), max(least, m.size.Least); may < needed {
		return fault.Value("'forbidden' leaves %d %s, but the size is %d at least; allow more, or ask for a smaller size", may,
			m.of, needed)
	}
	return nil
}

// mask returns the conditions where ψ is the membership.
func (m memberConditions) mask() Mask {
	mask := NewMask()
	mask.Size = m.size
	mask.require(m.n, m.required)
	mask.forbid(m.n, m.forbidden)
	return mask
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
	return m.size.has(members(y))
}
