package structure

import (
	"fmt"
	"slices"
	"strings"

	"combpred/core/fault"
)

// Key says what a condition on outputs is about.
type Key int

// The keys. Which ones a structure takes, and what they hold there, says its Spec.
const (
	FirstKey Key = iota
	LastKey
	BeforeKey
	RequiredKey
	ForbiddenKey
	SizeKey
	StartKey
	EndKey
	LengthKey
	WithinKey
)

var keyNames = [...]string{"first", "last", "before", "required", "forbidden", "size", "start", "end", "length", "within"}

func (k Key) String() string { return keyNames[k] }

// Keys lists them all.
func Keys() []Key {
	all := make([]Key, len(keyNames))
	for i := range all {
		all[i] = Key(i)
	}
	return all
}

// Form says what a key holds.
type Form int

const (
	One   Form = iota // a single number
	Count             // how many there are of something: a number, or the least and the largest one as a pair
	List              // any number of single ones
	Pairs             // any number of pairs
	Mixed             // both
)

func (f Form) String() string { return [...]string{"one", "count", "list", "pairs", "mixed"}[f] }

// Term is a key of conditions on the outputs of a structure.
type Term struct {
	Key  Key
	Form Form
	// Of is what the numbers are, such as "labels", or what is counted.
	Of string
	// Second is what the second numbers of pairs are; empty: the same.
	Second string
}

// Takes says in a clause what the key holds, such as "a list of labels".
func (t Term) Takes() string {
	holds := [...]string{
		"one of the", "(least, most), or a number of", "a list of", "a list of pairs of", "a list, single ones and pairs, of",
	}
	if t.Second != "" {
		return holds[t.Form] + " " + t.Of + " and " + t.Second
	}
	return holds[t.Form] + " " + t.Of
}

// Condition is one on the outputs of a structure, in terms of what they are made of. A list of several numbers, or pairs, takes a
// Condition for each.
type Condition struct {
	Key  Key
	U, V int // the pair, or the least and the largest number, or V is Alone
}

// Alone stands in place of the second number where a condition holds a single one.
const Alone = -1

// EntryCondition says that an entry of ψ must, or must not, have a value.
type EntryCondition struct {
	Feature int
	Value   int8 // −1, 0 or 1
	Must    bool
}

// Restriction says which outputs of a space satisfy conditions.
type Restriction struct {
	Mask Mask
	// List lists an output as the conditions ask for, such as a cycle from its start; nil: it stays as it is.
	List   func(y []int32)
	engine engine // of the mask, or nil where there is none yet
}

// Within returns the part of a space that the mask leaves, as the function Within does, for the space whose conditions these are.
func (r *Restriction) Within(s Space) (Space, error) {
	if _, isPart := s.(interface{ whole() (Space, Mask) }); r.engine == nil || isPart {
		return Within(s, r.Mask)
	}
	part := &restricted{subspace[Space]{s}, r.engine, r.Mask}
	return part.withAbilities(), nil
}

// Check returns an error unless y is an output of a space, the one whose conditions these are, that satisfies them.
func (r *Restriction) Check(s Space, y []int32) error {
	part := restricted{subspace: subspace[Space]{s}, mask: r.Mask}
	return part.Check(y)
}

// conditionsByKey are those of a row: single numbers in ascending order and pairs as they came, each once.
type conditionsByKey [len(keyNames)]struct {
	alone []int
	pairs [][2]int
}

// one returns the number of a key, or −1.
func (h *conditionsByKey) one(k Key) int {
	if len(h[k].alone) == 0 {
		return -1
	}
	return h[k].alone[0]
}

// size returns the bounds that a key of counts holds.
func (h *conditionsByKey) size(k Key) Range {
	if len(h[k].pairs) == 0 {
		return anySize
	}
	return Range{h[k].pairs[0][0], h[k].pairs[0][1]}
}

// readConditions checks conditions one by one: of their numbers, which may have names, there are n, and counts are least to n.
func readConditions(terms []Term, conditions []Condition, n, least int, names Names) (h conditionsByKey, err error) {
	for _, c := range conditions {
		i := slices.IndexFunc(terms, func(t Term) bool { return t.Key == c.Key })
		if i < 0 {
			return h, fault.Value("the structure takes no key %s; its keys are %s", shownKey(c.Key), shownKeys(terms))
		}
		t := terms[i]
		if err := t.check(c, n, least, names); err != nil {
			return h, err
		}
		at := &h[c.Key]
		switch {
		case t.Form == Count:
			bounds := [2]int{c.U, c.V}
			if c.V == Alone {
				bounds[1] = c.U
			}
			if len(at.pairs) > 0 && at.pairs[0] != bounds {
				return h, fault.Value("'%v' comes twice, with other numbers; it takes one, or the least and the largest", c.Key)
			}
			at.pairs = append(at.pairs[:0], bounds)
		case c.V != Alone:
			at.pairs = append(at.pairs, [2]int{c.U, c.V})
		case len(at.alone) > 0 && t.Form == One && at.alone[0] != c.U:
			return h, fault.Value("'%v' holds %s and %s; it takes one number", c.Key, names.of(at.alone[0]), names.of(c.U))
		default:
			at.alone = append(at.alone, c.U)
		}
	}
	for i := range h {
		slices.Sort(h[i].alone)
		h[i].alone = slices.Compact(h[i].alone)
		h[i].pairs = distinct(h[i].pairs)
	}
	return h, nil
}

// check returns an error about a condition of this key alone.
func (t Term) check(c Condition, n, least int, names Names) error {
	second, seconds := t.Of, names
	if t.Second != "" {
		second, seconds = t.Second, names.columns(n)
	}
	switch {
	case t.Form == Count && c.V == Alone:
		if c.U < least || c.U > n {
			return fault.Value("'%v' is %d; it is the number of %s, %d..%d", t.Key, c.U, t.Of, least, n)
		}
		return nil
	case t.Form == Count && c.U > c.V:
		return fault.Value("'%v' goes from %d to %d; put the smaller number first", t.Key, c.U, c.V)
	case t.Form == Count:
		if c.U < 0 || c.U > n || c.V < least {
			return fault.Value("'%v' goes from %d to %d; it is the number of %s, %d..%d", t.Key, c.U, c.V, t.Of, least, n)
		}
		return nil
	case t.Form < Pairs && c.V != Alone:
		return fault.Value("'%v' holds the pair (%s, %s); it takes single numbers", t.Key, names.of(c.U), seconds.of(c.V))
	case t.Form == Pairs && c.V == Alone:
		return fault.Value("'%v' holds %s alone; it takes pairs", t.Key, names.of(c.U))
	case c.U < 0 || c.U >= n:
		return fault.Value("'%v' holds %d; %s are whole numbers 0..%d", t.Key, c.U, t.Of, n-1)
	case c.V != Alone && (c.V < 0 || c.V >= n):
		return fault.Value("'%v' holds %d; %s are whole numbers 0..%d", t.Key, c.V, second, n-1)
	}
	return nil
}

func shownKey(k Key) string {
	if k < 0 || int(k) >= len(keyNames) {
		return fmt.Sprintf("number %d", int(k))
	}
	return "'" + k.String() + "'"
}

func shownKeys(terms []Term) string {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = "'" + t.Key.String() + "'"
	}
	return strings.Join(names, ", ")
}

// distinct returns pairs without those that came before.
func distinct(pairs [][2]int) [][2]int {
	if len(pairs) < 2 {
		return pairs
	}
	seen := make(map[[2]int]bool, len(pairs))
	return slices.DeleteFunc(pairs, func(p [2]int) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}

// common returns a member of both lists, the smallest one where a is sorted, and whether there is one.
func common[T comparable](a, b []T) (T, bool) {
	if len(a) > 0 && len(b) > 0 {
		in := make(map[T]bool, len(b))
		for _, v := range b {
			in[v] = true
		}
		for _, v := range a {
			if in[v] {
				return v, true
			}
		}
	}
	var none T
	return none, false
}

// sortedOnce returns numbers in ascending order, each once.
func sortedOnce(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

const dropOne = "drop one of the two conditions"
