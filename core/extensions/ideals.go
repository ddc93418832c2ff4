package extensions

import (
	"fmt"

	"combpred/core/fault"
)

// LimitError says that counting downsets is beyond its size. Coupling from the past is not.
type LimitError struct {
	Elements int    // of the component
	Reason   string // what is too large
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("counting the linear extensions of %d connected elements: %s; coupling from the past has no such limit",
		e.Elements, e.Reason)
}

func (e *LimitError) Kind() fault.Kind { return fault.KindCapability }

// ideals describes the downsets of a component of n elements, which are numbered along a linear extension. A downset is a
// set of bits.
type ideals struct {
	before, after []uint64 // of each element, as sets
}

// newIdeals returns a *LimitError for more than 64 elements.
func newIdeals(p *Poset, elements []int) (*ideals, error) {
	n := len(elements)
	if n > 64 {
		return nil, &LimitError{n, "sets of up to 64 elements can be listed"}
	}
	d := &ideals{before: make([]uint64, n), after: make([]uint64, n)}
	for i, u := range elements {
		for j, v := range elements {
			if p.Before(u, v) {
				d.after[i] |= 1 << j
				d.before[j] |= 1 << i
			}
		}
	}
	return d, nil
}

// canAdd reports whether a downset lacks element i and has all before it.
func (d *ideals) canAdd(set uint64, i int) bool {
	return set>>i&1 == 0 && d.before[i]&^set == 0
}

// setsAtOnce is the number of downsets between polls.
const setsAtOnce = 1 << 12

// larger returns the downsets with one element more than those given, which are all of their size; both lists are
// ascending. A *LimitError says that they are more than most together with those listed before. Cost: O(n) for each
// downset given.
//
// The last element of a downset, by number, is maximal in it: elements are numbered along an extension. So each downset
// comes from exactly one smaller downset by adding a last element, and those with an earlier last element are smaller
// numbers: no list has to be sorted.
func (d *ideals) larger(sets []uint64, listed, most int, poll func() error) ([]uint64, error) {
	var next []uint64
	for i := range d.before {
		for at, set := range sets {
			if at%setsAtOnce == 0 {
				if err := poll(); err != nil {
					return nil, err
				}
			}
			if set>>i != 0 {
				break // this set, and all after it, have an element that comes later
			}
			if !d.canAdd(set, i) {
				continue
			}
			if listed+len(next) >= most {
				return nil, &LimitError{len(d.before), fmt.Sprintf("they have more than %d downsets", most)}
			}
			next = append(next, set|1<<i)
		}
	}
	return next, nil
}

// steps calls visit for each way to add an element to a downset, with its place in sets and the place of the result in
// next, the list that larger returned. Cost: O(n) for each downset of both lists.
func (d *ideals) steps(sets, next []uint64, poll func() error, visit func(from, to int)) error {
	for i := range d.before {
		to := 0 // adding one element keeps the order of those that lack it
		for from, set := range sets {
			if from%setsAtOnce == 0 {
				if err := poll(); err != nil {
					return err
				}
			}
			if !d.canAdd(set, i) {
				continue
			}
			for next[to] != set|1<<i {
				to++
			}
			visit(from, to)
		}
	}
	return nil
}
