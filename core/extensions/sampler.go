package extensions

import (
	"errors"
	"math/rand/v2"
)

// Method says how the extensions of a component are drawn. All ways are exact.
type Method int

const (
	Auto     Method = iota // by counting where the table of downsets is small enough, otherwise by coupling
	Counting               // by counting, or a *LimitError
	Coupling               // by coupling from the past
)

// Sampler draws uniform linear extensions of one poset. It is not safe for concurrent use; Clone makes others that share
// the tables.
type Sampler struct {
	poset  *Poset
	tables []*downsets // of each component; nil where it is drawn by coupling
	chains []*bounding // of each component; nil where it is drawn by counting, or has one element
	owner  []int32     // the component of each place of the merged order
	order  []int32     // of one component
}

// NewSampler prepares draws. poll may be nil; otherwise it is called every few milliseconds, and its first error ends the
// work. Cost: that of the tables, at most MostDownsets downsets for each component.
func NewSampler(p *Poset, method Method, poll func() error) (*Sampler, error) {
	s := &Sampler{poset: p, tables: make([]*downsets, len(p.sets))}
	for k, set := range p.sets {
		if method == Coupling || len(set) == 1 {
			continue
		}
		table, err := newDownsets(p, set, orNever(poll))
		if _, tooLarge := errors.AsType[*LimitError](err); tooLarge && method == Auto {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.tables[k] = table
	}
	return s.Clone(), nil
}

// Clone returns a sampler of the same poset by the same methods.
func (s *Sampler) Clone() *Sampler {
	c := &Sampler{
		poset: s.poset, tables: s.tables, chains: make([]*bounding, len(s.tables)),
		owner: make([]int32, s.poset.Len()), order: make([]int32, s.poset.Len()),
	}
	for k, set := range s.poset.sets {
		if s.tables[k] == nil && len(set) > 1 {
			c.chains[k] = newBounding(s.poset, set)
		}
	}
	return c
}

// Sample writes a uniform extension to dst: the elements, first to last. It returns how many steps coupling from the past
// took, 0 where all components were drawn by counting. poll may be nil; otherwise it is called every few milliseconds
// of coupling, and its first error ends the draw.
func (s *Sampler) Sample(dst []int32, source *rand.PCG, poll func() error) (steps int64, err error) {
	if len(dst) != s.poset.Len() {
		panic("extensions: dst must have a place for each element")
	}
	poll = orNever(poll)
	rng := rand.New(source)
	at := 0
	for k, set := range s.poset.sets {
		for range set {
			s.owner[at] = int32(k)
			at++
		}
	}
	for i := len(dst) - 1; i > 0; i-- {
		j := rng.IntN(i + 1)
		s.owner[i], s.owner[j] = s.owner[j], s.owner[i]
	}
	for k, set := range s.poset.sets {
		order := s.order[:len(set)]
		switch {
		case len(set) == 1:
			order[0] = 0
		case s.chains[k] != nil:
			more, err := s.chains[k].sample(order, source, poll)
			if err != nil {
				return 0, err
			}
			steps += more
		default:
			s.tables[k].sample(order, rng)
		}
		next := 0
		for i, owner := range s.owner {
			if owner == int32(k) {
				dst[i] = int32(set[order[next]])
				next++
			}
		}
	}
	return steps, nil
}

// orNever returns a poll that never ends the work in place of none.
func orNever(poll func() error) func() error {
	if poll == nil {
		return func() error { return nil }
	}
	return poll
}
