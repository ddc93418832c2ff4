package ordering

import (
	"iter"
	"math/bits"
)

// Partial is a strict partial order on n elements, kept transitive by every change. The zero value has no elements.
type Partial struct {
	n, words int
	up, down []uint64 // n rows of words each: the elements after, and before, an element
}

// Reset makes the order the one of n elements without any relation.
func (p *Partial) Reset(n int) {
	p.n, p.words = n, (n+63)/64
	p.up, p.down = grow(p.up, n*p.words), grow(p.down, n*p.words)
	clear(p.up)
	clear(p.down)
}

// Set makes the order equal to another.
func (p *Partial) Set(from *Partial) {
	p.n, p.words = from.n, from.words
	p.up = append(p.up[:0], from.up...)
	p.down = append(p.down[:0], from.down...)
}

// Before reports whether u is before v.
func (p *Partial) Before(u, v int) bool { return has(p.upper(u), v) }

// CanAdd reports whether u and v are unrelated and putting u before v alone leaves the order transitive: what is before u
// is before v, and what is after v is after u. Cost: O(n/64).
func (p *Partial) CanAdd(u, v int) bool {
	return u != v && !p.Before(u, v) && !p.Before(v, u) &&
		within(p.lower(u), p.lower(v)) && within(p.upper(v), p.upper(u))
}

// CanRemove reports whether u is before v with nothing between them, so that the order stays transitive without it.
// Cost: O(n/64).
func (p *Partial) CanRemove(u, v int) bool {
	if !p.Before(u, v) {
		return false
	}
	below := p.lower(v)
	for i, word := range p.upper(u) {
		if word&below[i] != 0 {
			return false
		}
	}
	return true
}

// Add puts u before v, which CanAdd must allow.
func (p *Partial) Add(u, v int) {
	p.upper(u)[v>>6] |= 1 << (v & 63)
	p.lower(v)[u>>6] |= 1 << (u & 63)
}

// Remove takes back that u is before v, which CanRemove must allow.
func (p *Partial) Remove(u, v int) {
	p.upper(u)[v>>6] &^= 1 << (v & 63)
	p.lower(v)[u>>6] &^= 1 << (u & 63)
}

// Close puts u, and all before it, before v and all after it. u and v must be unrelated.
func (p *Partial) Close(u, v int) {
	for a := range p.closed(p.lower(u), u) {
		unite(p.upper(a), p.upper(v), v)
	}
	for b := range p.closed(p.upper(v), v) {
		unite(p.lower(b), p.lower(u), u)
	}
}

// Isolate removes all relations of u.
func (p *Partial) Isolate(u int) {
	for a := range members(p.lower(u)) {
		p.upper(a)[u>>6] &^= 1 << (u & 63)
	}
	for b := range members(p.upper(u)) {
		p.lower(b)[u>>6] &^= 1 << (u & 63)
	}
	clear(p.upper(u))
	clear(p.lower(u))
}

func (p *Partial) upper(u int) []uint64 { return p.up[u*p.words : (u+1)*p.words] }
func (p *Partial) lower(u int) []uint64 { return p.down[u*p.words : (u+1)*p.words] }

// closed yields the elements of a set and then u.
func (p *Partial) closed(set []uint64, u int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for v := range members(set) {
			if !yield(v) {
				return
			}
		}
		yield(u)
	}
}

// members yields the elements of a set in ascending order.
func members(set []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

func has(set []uint64, v int) bool { return set[v>>6]>>(v&63)&1 == 1 }

func size(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// within reports whether every element of a is one of b.
func within(a, b []uint64) bool {
	for i, word := range a {
		if word&^b[i] != 0 {
			return false
		}
	}
	return true
}

// unite adds to dst the elements of a set and v.
func unite(dst, set []uint64, v int) {
	for i, word := range set {
		dst[i] |= word
	}
	dst[v>>6] |= 1 << (v & 63)
}
