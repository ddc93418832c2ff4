package structure

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
)

// observedSets is the space of the label sets in a list, such as those that data hold, encoded as 0/1 membership. It is a list of
// outputs whose ψ are the sets themselves.
type observedSets struct {
	subspace[labelSets]
	*listed
	sets [][]int32
	// place is the number of each set in the list.
	place map[string]int
}

var (
	_ Counter     = (*observedSets)(nil)
	_ Momenter    = (*observedSets)(nil)
	_ Enumerator  = (*observedSets)(nil)
	_ Sampler     = (*observedSets)(nil)
	_ Proposer    = (*observedSets)(nil)
	_ Decoder     = (*observedSets)(nil)
	_ Partitioner = (*observedSets)(nil)
	_ Restricter  = (*observedSets)(nil)
)

// newObservedSets reads sets one after the other.
func newObservedSets(all labelSets, bits []int32) (Space, error) {
	if len(bits)%all.n != 0 {
		return nil, fault.Value("\"observed\" has %d entries, must have %d for each set", len(bits), all.n)
	}
	if len(bits) > maxReals {
		return nil, fault.Value("the observed sets are %d numbers, at most %d are allowed", len(bits), maxReals)
	}
	return listSets(all, slices.Collect(slices.Chunk(slices.Clone(bits), all.n)))
}

func listSets(all labelSets, sets [][]int32) (*observedSets, error) {
	o := &observedSets{subspace: subspace[labelSets]{all}, sets: sets, place: make(map[string]int, len(sets))}
	psi := blas64.General{Rows: len(sets), Cols: all.n, Stride: all.n, Data: make([]float64, len(sets)*all.n)}
	for i, y := range sets {
		if err := all.Check(y); err != nil {
			return nil, fault.Wrap("observed set %d: %w", i, err)
		}
		if earlier, twice := o.place[keyOf(y)]; twice {
			return nil, fault.Value("observed sets %d and %d are the same; list each once", earlier, i)
		}
		o.place[keyOf(y)] = i
		all.Embed(row(psi, i), y)
	}
	o.listed = &listed{indices: newIndices(new(memo), len(sets), "set"), psi: psi}
	return o, nil
}

// keyOf returns a set as a key of maps.
func keyOf(y []int32) string {
	key := make([]byte, len(y))
	for i, v := range y {
		key[i] = byte(v)
	}
	return string(key)
}

func (o *observedSets) String() string {
	return fmt.Sprintf("%d observed sets of %d labels", len(o.sets), o.all.n)
}

// Parts, ψ and names are those of all sets, not those of a list.

func (o *observedSets) FeatureLen() int                { return o.all.n }
func (o *observedSets) Embed(dst []float64, y []int32) { o.all.Embed(dst, y) }

// Facts are those of the list, with the layout of all sets: ψ is 0/1, and no two outputs share it.
func (o *observedSets) Facts() Facts {
	f := o.listed.Facts()
	f.Layout, f.SizeMarginals, f.FixedSize = o.all.Facts().Layout, o.sizeMarginals, o.all.size
	return f
}

func (o *observedSets) Check(y []int32) error {
	if err := o.all.Check(y); err != nil {
		return err
	}
	if _, ok := o.place[keyOf(y)]; !ok {
		return fault.Value("this set is none of the %d observed ones, which alone have a probability; list it in observed=, "+
			"or take all sets, LabelSets()", len(o.sets))
	}
	return nil
}

// All lists the sets in the order in which they were given.
func (o *observedSets) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, o.all.n)
		for _, set := range o.sets {
			copy(y, set)
			if !yield(y) {
				return
			}
		}
	}
}

func (o *observedSets) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), o.all.n)
	copy(dst, o.sets[rng.IntN(len(o.sets))])
}

// Propose goes to any other set.
func (o *observedSets) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), o.all.n)
	copy(dst, o.sets[otherIndex(o.place[keyOf(y)], len(o.sets), rng)])
}

func (o *observedSets) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), o.all.n)
	var at [1]int32
	certificate, err := o.listed.Decode(at[:], score)
	copy(dst, o.sets[at[0]])
	return certificate, err
}

func (o *observedSets) Distribution(scores []float64, poll func() error) (Draw, error) {
	draw, err := o.listed.Distribution(scores, poll)
	if err != nil {
		return nil, err
	}
	var at [1]int32
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), o.all.n)
		draw(at[:], rng)
		copy(dst, o.sets[at[0]])
	}, nil
}

// Restrict takes labels that are required or forbidden, and a number of labels.
func (o *observedSets) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (r Restriction, err error) {
		m, err := readMembers(labelTerms, "label", conditions, o.all.n, o.all.names)
		if err != nil {
			return r, err
		}
		r.Mask = m.mask()
		for _, y := range o.sets {
			if m.holds(y) {
				return r, nil
			}
		}
		return r, fault.Value("none of the %d observed sets satisfies the conditions; leave some out", len(o.sets))
	}
}

func (o *observedSets) bounds() (items, ends int) { return 0, 0 }

// keeps: the size of a mask bounds the number of labels.
func (o *observedSets) keeps(m *Mask, y []int32) bool { return m.Size.has(members(y)) }
