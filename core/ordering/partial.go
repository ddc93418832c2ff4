package ordering

import (
	"combpred/core/relation"
)

// Partial is a strict partial order on n elements, kept transitive by every change: Out relates an element to those after it. The zero
// value has no elements.
type Partial struct{ relation.Both }

// NewPartial returns the partial order that follows from pairs of elements, and whether there is one: they may form a cycle. It takes the
// relation over. Cost: that of Close.
func NewPartial(before relation.Relation) (*Partial, bool) {
	before.Close()
	return &Partial{relation.Both{Out: before, In: before.Transpose()}}, before.Reflexive() < 0
}

// Len returns the number of elements.
func (p *Partial) Len() int { return p.Out.Len() }

// Set makes the order equal to another.
func (p *Partial) Set(from *Partial) {
	p.Out.Set(from.Out)
	p.In.Set(from.In)
}

// Before reports whether u is before v.
func (p *Partial) Before(u, v int) bool { return p.Out.Has(u, v) }

// CanAdd reports whether u and v are unrelated and putting u before v alone, by Add, leaves the order transitive: what is before u
// is before v, and what is after v is after u. Cost: O(n/64).
func (p *Partial) CanAdd(u, v int) bool {
	return u != v && !p.Before(u, v) && !p.Before(v, u) && p.In.Extra(v, u) < 0 && p.Out.Extra(u, v) < 0
}

// CanRemove reports whether u is before v with nothing between them, so that the order stays transitive without it, by Remove.
// Cost: O(n/64).
func (p *Partial) CanRemove(u, v int) bool {
	if !p.Before(u, v) {
		return false
	}
	below := p.In.Row(v)
	for i, word := range p.Out.Row(u) {
		if word&below[i] != 0 {
			return false
		}
	}
	return true
}

// Close puts u, and all before it, before v and all after it. u and v must be unrelated.
func (p *Partial) Close(u, v int) {
	p.Add(u, v)
	for a := range p.In.Related(u) {
		p.Out.Add(a, v)
		p.Out.Include(a, p.Out.Row(v))
	}
	for b := range p.Out.Related(v) {
		p.In.Add(b, u)
		p.In.Include(b, p.In.Row(u))
	}
	p.Out.Include(u, p.Out.Row(v))
	p.In.Include(v, p.In.Row(u))
}

// Isolate removes all relations of u.
func (p *Partial) Isolate(u int) {
	for a := range p.In.Related(u) {
		p.Out.Remove(a, u)
	}
	for b := range p.Out.Related(u) {
		p.In.Remove(b, u)
	}
	clear(p.Out.Row(u))
	clear(p.In.Row(u))
}
