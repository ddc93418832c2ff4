package structure

import (
	"math"
	"slices"

	"combpred/core/fault"
)

// Values is a set of the values −1, 0 and 1, those that an entry of ψ may take.
type Values uint8

const (
	Minus    Values = 1 << iota // −1
	Zero                        // 0
	Plus                        // 1
	AnyValue = Minus | Zero | Plus
)

// Has reports whether x, which is −1, 0 or 1, is in the set.
func (v Values) Has(x int8) bool { return v>>(x+1)&1 == 1 }

// allows reports whether an entry of ψ may have a value. What is none of −1, 0 and 1 it may have only where it may have any.
func (v Values) allows(x float64) bool { return v == AnyValue || isSign(x) && v.Has(int8(x)) }

// isSign reports whether x is −1, 0 or 1.
func isSign(x float64) bool { return x == 0 || math.Abs(x) == 1 }

// only returns the set of one value.
func only(x int8) Values { return 1 << (x + 1) }

// ErrNone says that a mask allows no output.
var ErrNone = fault.Value("no output satisfies the conditions; leave some out")

// ErrUnmet says that a search found no output that satisfies the conditions. There may be one.
var ErrUnmet = fault.Value("the search found no output that satisfies the conditions; there may be one: leave some out, or add " +
	"some so that exact decoding is possible")

// Range is a range of whole numbers, both ends included.
type Range struct{ Least, Most int }

func (r Range) has(k int) bool { return r.Least <= k && k <= r.Most }

// anySize bounds nothing.
var anySize = Range{0, math.MaxInt}

// Mask says which outputs of a space are allowed: those of which every entry of ψ has a value that the mask allows and that keep within
// the bounds, which no single entry holds. Scores stay what they are: a mask is no penalty, and nothing outweighs it.
type Mask struct {
	// Entries are the values that each entry of ψ may take; nil: any.
	Entries []Values
	// Items says of each vertex, place or arc whether outputs must (1), must not (−1) or may (0) hold it, in spaces whose ψ has no entry
	// that says so: the vertices of cliques and cycles, the places of routes, the arcs of paths with tied ones. nil: they may.
	Items []int8
	// Size bounds the number of members of a set, of places that are visited, or of arcs of a path.
	Size Range
	// Start and End are the places with which a route begins and ends, −1 where any will do.
	Start, End int
}

// NewMask returns the mask that allows all outputs.
func NewMask() Mask { return Mask{Size: anySize, Start: anyPlace, End: anyPlace} }

// AllowsAll reports whether the mask rules nothing out.
func (m *Mask) AllowsAll() bool {
	return m.Size == anySize && m.Start == anyPlace && m.End == anyPlace && allZero(m.Items) &&
		!slices.ContainsFunc(m.Entries, func(v Values) bool { return v != AnyValue })
}

func allZero(items []int8) bool {
	return !slices.ContainsFunc(items, func(x int8) bool { return x != 0 })
}

// Limit leaves entry i, one of d, those of its values that are in the set.
func (m *Mask) Limit(d, i int, to Values) {
	if m.Entries == nil {
		m.Entries = make([]Values, d)
		for j := range m.Entries {
			m.Entries[j] = AnyValue
		}
	}
	m.Entries[i] &= to
}

// Allows reports whether the entries of ψ have values that the mask allows. It knows nothing of the bounds.
func (m *Mask) Allows(psi []float64) bool {
	for i, v := range m.Entries {
		if !v.allows(psi[i]) {
			return false
		}
	}
	return true
}

// and returns the mask of the outputs that both allow. Where bounds contradict each other it allows nothing.
func (m Mask) and(o Mask) (Mask, error) {
	both := Mask{Entries: slices.Clone(m.Entries), Items: slices.Clone(m.Items), Start: m.Start, End: m.End,
		Size: Range{max(m.Size.Least, o.Size.Least), min(m.Size.Most, o.Size.Most)}}
	for i, v := range o.Entries {
		both.Limit(len(o.Entries), i, v)
	}
	if both.Items == nil {
		both.Items = slices.Clone(o.Items)
	} else {
		for i, x := range o.Items {
			if x*both.Items[i] < 0 {
				return both, contradiction{fault.Value("the conditions require and forbid number %d; leave one of them out", i)}
			}
			both.Items[i] |= x
		}
	}
	for _, end := range [2]struct {
		at    *int
		other int
	}{{&both.Start, o.Start}, {&both.End, o.End}} {
		switch {
		case *end.at == anyPlace:
			*end.at = end.other
		case end.other != anyPlace && end.other != *end.at:
			return both, contradiction{fault.Value("the conditions ask for two starts or two ends, %d and %d; leave one of them out",
				*end.at, end.other)}
		}
	}
	return both, nil
}

// contradiction is an ErrNone that says why.
type contradiction struct{ error }

func (contradiction) Is(target error) bool { return target == ErrNone }
func (c contradiction) Unwrap() error      { return c.error }

// check returns an error that names an entry of ψ which may take no value, or says that the bounds leave no size.
func (m *Mask) check(s Space) error {
	if m.Entries != nil {
		mustLen("the mask", len(m.Entries), s.FeatureLen())
	}
	for i, v := range m.Entries {
		if v == 0 {
			return contradiction{fault.Value("the conditions leave no value for entry %d of ψ, %s; leave one of them out", i, nameOf(s, i))}
		}
	}
	if m.Size.Least > m.Size.Most {
		return contradiction{fault.Value("the conditions leave no size; leave one of them out")}
	}
	return nil
}

// checkBounds returns an error about what the mask holds beside entries of ψ, if the space does not know it or has no such place.
func (m *Mask) checkBounds(s Space) error {
	if !m.hasBounds() {
		return nil
	}
	lacks := func(need string) error {
		return &CapabilityError{Structure: Describe(s), Need: need, Alternatives: "hold entries of ψ to values"}
	}
	b, knows := s.(bounded)
	if !knows {
		return lacks("outputs with a size, members or ends to be held to bounds")
	}
	items, ends := b.bounds()
	if m.Items != nil && items > 0 {
		mustLen("the items of the mask", len(m.Items), items)
	}
	switch first, last := m.Start, m.End; {
	case items == 0 && !allZero(m.Items):
		return lacks("members beside the entries of ψ to be held to conditions")
	case ends == 0 && (first != anyPlace || last != anyPlace):
		return lacks("outputs with a start and an end to be held to these")
	case min(first, last) < anyPlace || ends > 0 && max(first, last) >= ends:
		return fault.Value("the conditions start at %d and end at %d, must be from 0 to %d, or %d for any", first, last, ends-1, anyPlace)
	}
	return nil
}

// nameOf returns the name of an entry of ψ.
func nameOf(s Space, i int) string {
	at := 0
	for name := range NamesOf(s) {
		if at == i {
			return name
		}
		at++
	}
	return ""
}

// EntryConditions returns what the mask says of entries of ψ as conditions on single values.
func (m *Mask) EntryConditions() (all []EntryCondition) {
	for i, v := range m.Entries {
		for x := int8(-1); x <= 1 && v != AnyValue; x++ {
			switch v {
			case only(x):
				all = append(all, EntryCondition{i, x, true})
			case AnyValue &^ only(x):
				all = append(all, EntryCondition{i, x, false})
			}
		}
	}
	return all
}

// MaskOf returns the mask of conditions on the d entries of ψ. Those that contradict each other leave an entry no value.
func MaskOf(d int, conditions []EntryCondition) Mask {
	m := NewMask()
	for _, c := range conditions {
		to := only(c.Value)
		if !c.Must {
			to = AnyValue &^ to
		}
		m.Limit(d, c.Feature, to)
	}
	return m
}

// states returns 1 for the entries of a 0/1 embedding that must be 1, −1 for those that must not and 0 for others, nil where there are no
// conditions on entries; and ErrNone where an entry may be neither.
func (m *Mask) states() ([]int8, error) {
	if m.Entries == nil {
		return nil, nil
	}
	states := make([]int8, len(m.Entries))
	for i, v := range m.Entries {
		switch v & (Zero | Plus) {
		case 0:
			return nil, ErrNone
		case Zero:
			states[i] = -1
		case Plus:
			states[i] = 1
		}
	}
	return states, nil
}

// require leaves only outputs of which the entries of a 0/1 embedding are 1.
func (m *Mask) require(d int, entries []int) {
	for _, e := range entries {
		m.Limit(d, e, Plus)
	}
}

// forbid leaves only outputs of which no such entry is 1.
func (m *Mask) forbid(d int, entries []int) {
	for _, e := range entries {
		m.Limit(d, e, AnyValue&^Plus)
	}
}

// hasBounds reports whether the mask holds anything beside entries of ψ.
func (m *Mask) hasBounds() bool {
	return m.Size != anySize || m.Start != anyPlace || m.End != anyPlace || !allZero(m.Items)
}
