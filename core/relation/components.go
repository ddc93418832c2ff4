package relation

import (
	"iter"
	"math/bits"
	"slices"

	"combpred/core/slicex"
)

// Weak returns a number for each element, from 0 on, which those have in common that pairs join, whatever their directions. Numbers are
// in the order of first elements.
func (r Relation) Weak() []int {
	both := r.Transpose()
	both.Unite(r)
	number := make([]int, r.n)
	for a := range number {
		number[a] = -1
	}
	next := 0
	var queue []int
	for a := range number {
		if number[a] >= 0 {
			continue
		}
		number[a], queue = next, append(queue[:0], a)
		for k := 0; k < len(queue); k++ {
			for b := range both.Related(queue[k]) {
				if number[b] < 0 {
					number[b] = next
					queue = append(queue, b)
				}
			}
		}
		next++
	}
	return number
}

// Both is a relation and its transpose, kept together. Copies share the pairs. The zero value has no elements.
type Both struct {
	Out Relation // of a to b
	In  Relation // of b to a
}

// Reset makes the relation the empty one on n elements.
func (r *Both) Reset(n int) {
	r.Out.Reset(n)
	r.In.Reset(n)
}

// Add relates a to b.
func (r *Both) Add(a, b int) {
	r.Out.Add(a, b)
	r.In.Add(b, a)
}

// Remove takes back that a is related to b.
func (r *Both) Remove(a, b int) {
	r.Out.Remove(a, b)
	r.In.Remove(b, a)
}

// Digraph is a relation, of the ends of arcs, with the memory to find its strong components. The zero value is ready for use. It is not
// safe for concurrent use.
type Digraph struct {
	Both
	open     open
	ends     []int32 // of the components
	finished []int32 // in the order in which depth-first search leaves them
	stack    []int32
}

// Direct adds the pairs of another relation and removes their reverses. Cost: O(n²/64).
func (g *Digraph) Direct(r Both) {
	for k, word := range r.Out.bits {
		g.Out.bits[k] = (g.Out.bits[k] | word) &^ r.In.bits[k]
		g.In.bits[k] = (g.In.bits[k] | r.In.bits[k]) &^ word
	}
}

// ComponentsTo writes the elements to order, one strong component after the other, each in ascending order: one is before another where
// an element of it is related to one of the other. It returns the number of components. Without pairs the elements come in ascending
// order.
//
// It is Kosaraju's algorithm with the elements that are not visited in a bit set, so that the next neighbour takes n/64 steps. Cost:
// O(n²/64), without recursion.
func (g *Digraph) ComponentsTo(order []int32) (count int) {
	n := g.Out.Len()
	g.finished = g.finished[:0]
	g.open.reset(n)
	for a := n - 1; a >= 0; a-- {
		if g.open.has(a) {
			g.finishFrom(a)
		}
	}
	g.open.reset(n)
	g.ends = g.ends[:0]
	at := 0
	for _, a := range slices.Backward(g.finished) {
		if !g.open.has(int(a)) {
			continue
		}
		begin := at
		at += g.gatherTo(order[at:], int(a))
		slices.Sort(order[begin:at])
		g.ends = append(g.ends, int32(at))
	}
	return len(g.ends)
}

// Components yields where each of the components begins and ends in the order that ComponentsTo has written.
func (g *Digraph) Components() iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		lo := 0
		for _, end := range g.ends {
			if !yield(lo, int(end)) {
				return
			}
			lo = int(end)
		}
	}
}

// finishFrom runs depth-first search from an element, larger ones first, and appends the elements as they are left.
func (g *Digraph) finishFrom(a int) {
	g.open.take(a)
	g.stack = append(g.stack[:0], int32(a))
	for len(g.stack) > 0 {
		top := g.stack[len(g.stack)-1]
		next := g.open.last(g.Out.Row(int(top)))
		if next < 0 {
			g.finished, g.stack = append(g.finished, top), g.stack[:len(g.stack)-1]
			continue
		}
		g.open.take(next)
		g.stack = append(g.stack, int32(next))
	}
}

// gatherTo writes the open elements from which pairs lead to a, a first, and returns their number.
func (g *Digraph) gatherTo(dst []int32, a int) int {
	g.open.take(a)
	dst[0] = int32(a)
	n := 1
	for k := 0; k < n; k++ {
		for w, word := range g.In.Row(int(dst[k])) {
			word &= g.open[w]
			g.open[w] &^= word
			for ; word != 0; word &= word - 1 {
				dst[n] = int32(64*w + bits.TrailingZeros64(word))
				n++
			}
		}
	}
	return n
}

// open are elements that are not visited.
type open []uint64

func (o *open) reset(n int) {
	*o = slicex.Grow(*o, (n+63)/64)
	for w := range *o {
		(*o)[w] = ^uint64(0)
	}
	if r := n & 63; r != 0 {
		(*o)[n>>6] = 1<<r - 1
	}
}

func (o open) has(a int) bool { return o[a>>6]>>(a&63)&1 == 1 }
func (o open) take(a int)     { o[a>>6] &^= 1 << (a & 63) }

// last returns the largest element of a row that is not visited, or −1.
func (o open) last(row []uint64) int {
	for w := len(row) - 1; w >= 0; w-- {
		if x := row[w] & o[w]; x != 0 {
			return 64*w + bits.Len64(x) - 1
		}
	}
	return -1
}
