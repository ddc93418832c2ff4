package ordering

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/floats"

	"combpred/core/slicex"
)

// maxSubsets is the largest number of items whose subsets have tables.
const maxSubsets = 20

// lowBits is the number of low items: the subsets of them that share their other items make up a block of a table, 2^6 entries
// beside each other, which is short enough for the cache and long enough for kernels on slices.
const lowBits = 6

// subsets is what the recursions over the subsets of at most maxSubsets items have in common: which subsets they visit, and
// what each item contributes where it comes right behind the items of a subset.
//
// Items are numbered so that 0, 1, 2, … is an order that is allowed, and orders are measured by what they earn beyond this
// one. An item v behind the items of S then contributes the sum of step[u,v] over the items u > v of S alone, as the items
// below v stand on the side where they belong. Hence what an item contributes to a block does not depend on the low items
// if it is not one of them, and a block follows from another by one scaled or shifted addition. For the same reason no set
// earns less than 0.
//
// Where some items are required before others, subsets are the order ideals: those that have, with an item, all that are
// required before it.
type subsets struct {
	m, low int       // the numbers of items, and of low ones
	step   []float64 // m×m, read where u > v
	inner  []float64 // inner[v·2^low + b]: what the items of the subset b of the low ones contribute to the low item v
	outer  []float64 // outer[t·m + v]: the same for t, the subset of the other items that belongs to a block, and all v

	required bool
	preds    [maxSubsets]uint32 // the items that are required before each
	tops     []int32            // the blocks with an order ideal, ascending
	ideals   []uint64           // which entries of each of them are order ideals, by bits
	maximal  []uint32           // the other items of each block that none of the block has to follow
}

// reset begins with m items and no requirements.
func (l *subsets) reset(m int) {
	l.m, l.low, l.required = m, min(m, lowBits), false
	clear(l.preds[:])
	l.step = slicex.Grow(l.step, m*m)
}

// require takes over what stands before what among the items, which are numbered accordingly.
func (l *subsets) require(before *Partial, items []int32) {
	for i, v := range items {
		for j, u := range items[:i] {
			if before.Before(int(u), int(v)) {
				l.preds[i] |= 1 << j
				l.required = true
			}
		}
	}
}

// list lists the blocks. Cost: O(m) for each that has an order ideal, and O(m²) if another follows.
func (l *subsets) list() {
	l.tops, l.ideals, l.maximal = l.tops[:0], l.ideals[:0], l.maximal[:0]
	all := ^uint64(0) >> (64 - 1<<l.low)
	if !l.required {
		for t := range 1 << (l.m - l.low) {
			l.tops, l.ideals, l.maximal = append(l.tops, int32(t)), append(l.ideals, all), append(l.maximal, uint32(t))
		}
		return
	}
	for v := range l.low {
		for u := range l.low {
			if l.preds[v]>>u&1 == 1 {
				all &^= containing[v] &^ containing[u]
			}
		}
	}
	for t := uint32(0); t < 1<<(l.m-l.low); {
		need := l.needed(t << l.low)
		if missing := need >> l.low &^ t; missing != 0 {
			// All sets that agree with t from the missing item on lack it, too. The next one that does not has it.
			u := bits.Len32(missing) - 1
			t = (t>>u + 1) << u
			continue
		}
		ideals := all
		for x := need & (1<<l.low - 1); x != 0; x &= x - 1 {
			ideals &= containing[bits.TrailingZeros32(x)]
		}
		l.tops, l.ideals, l.maximal = append(l.tops, int32(t)), append(l.ideals, ideals), append(l.maximal, t&^(need>>l.low))
		t++
	}
}

// containing[v] marks the subsets of the low items that contain v.
var containing = [lowBits]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// needed returns the items that are required before those of s.
func (l *subsets) needed(s uint32) (need uint32) {
	if l.required {
		for ; s != 0; s &= s - 1 {
			need |= l.preds[bits.TrailingZeros32(s)]
		}
	}
	return need
}

// lasts returns the items of an order ideal that may be the last of it.
func (l *subsets) lasts(s int) uint { return uint(s) &^ uint(l.needed(uint32(s))) }

// arithmetic is how steps combine: as numbers, or as their logarithms.
type arithmetic struct {
	unit float64
	each func(c float64, dst []float64) // combines each entry with a number
	rows func(dst, s []float64)         // combines entries
}

var (
	adding      = arithmetic{0, floats.AddConst, floats.Add}
	multiplying = arithmetic{1, floats.Scale, floats.Mul}
)

// tabulate fills inner, and outer for the blocks listed.
func (l *subsets) tabulate(a arithmetic) {
	m, low := l.m, l.low
	l.inner = slicex.Grow(l.inner, low<<low)
	for v := range low {
		column := l.inner[v<<low:][:1<<low]
		fill(column[:2<<v], a.unit)
		for u := v + 1; u < low; u++ {
			upper := column[1<<u:][:1<<u]
			copy(upper, column)
			a.each(l.step[u*m+v], upper)
		}
	}
	l.outer = slicex.Grow(l.outer, m<<(m-low))
	fill(l.outer[:m], a.unit)
	for _, top := range l.tops[1:] { // without its largest item it is an order ideal still
		t := int(top)
		h := bits.Len(uint(t)) - 1
		u := h + low
		row := l.outer[t*m:][:m]
		copy(row, l.outer[(t^1<<h)*m:])
		a.rows(row[:u], l.step[u*m:][:u])
	}
}

// block returns the entries of a table whose items other than the low ones are those of t.
func (l *subsets) block(table []float64, t int) []float64 { return table[t<<l.low:][:1<<l.low] }

// full reports whether all entries of the i-th block listed are order ideals, in eights.
func (l *subsets) full(i int) bool { return l.low >= 3 && l.ideals[i] == ^uint64(0)>>(64-1<<l.low) }

// added returns what v contributes where it comes behind the items of s, sums of steps being tabulated.
func (l *subsets) added(s, v int) float64 {
	sum := l.outer[(s>>l.low)*l.m+v]
	if v < l.low {
		sum += l.inner[v<<l.low|s&(1<<l.low-1)]
	}
	return sum
}

func fill(x []float64, value float64) {
	for i := range x {
		x[i] = value
	}
}

// solve rearranges the items, at most MaxComponent, into a best order and returns what it earns.
//
// Dynamic programming over subsets (Held and Karp, 1962; for linear orders Lawler, 1964): with loss[S] what the items of S
// lose at least against their order as numbered, loss[S] = min over v in S of loss[S∖v] + Σ_{u∈S, u>v} 2·g[v,u], v being
// last. Among equal choices the last item is the largest one. Cost: O(m 2^m) time, 2^m float64s of memory; with requirements
// O(m) for each of the blocks that have an order ideal.
func (w *Workspace) solve(items []int32) float64 {
	m := len(items)
	if m == 1 {
		return 0
	}
	l := &w.sets
	l.reset(m)
	if w.before != nil {
		w.before.sortTopologically(items)
		l.require(w.before, items)
	}
	var value float64
	for i, u := range items {
		for j, v := range items[:i] {
			g := w.gain[int(v)*w.n+int(u)]
			l.step[i*m+j] = 2 * g
			value += g
		}
	}
	l.list()
	l.tabulate(adding)
	w.loss = slicex.Grow(w.loss, 1<<m)
	for i, top := range l.tops {
		w.lose(i, int(top))
	}
	w.unwind(items)
	return value - w.loss[1<<m-1]
}

// lose fills the i-th block listed.
func (w *Workspace) lose(i, t int) {
	l := &w.sets
	block, row := l.block(w.loss, t), l.outer[t*l.m:][:l.m]
	fill(block, math.Inf(1))
	if t == 0 {
		block[0] = 0
	}
	for x := l.maximal[i]; x != 0; x &= x - 1 {
		v := bits.TrailingZeros32(x)
		minPlusTo(block, l.block(w.loss, t&^(1<<v)), row[l.low+v])
	}
	if l.full(i) {
		minWithin(block, row, l.inner, l.step, l.m)
		return
	}
	ideals := l.ideals[i]
	for b, least := range block {
		if ideals>>b&1 == 0 {
			block[b] = math.Inf(1)
			continue
		}
		for x := uint(b); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			least = min(least, block[b&^(1<<v)]+(row[v]+l.inner[v<<l.low|b]))
		}
		block[b] = least
	}
}

// unwind rearranges the items into the order whose loss the table holds, from the last place to the first.
func (w *Workspace) unwind(items []int32) {
	m := len(items)
	var unordered [MaxComponent]int32
	copy(unordered[:], items)
	s := 1<<m - 1
	for place := m - 1; place >= 0; place-- {
		least, last := math.Inf(1), -1
		for x := w.sets.lasts(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			if e := w.loss[s&^(1<<v)] + w.sets.added(s, v); e <= least {
				least, last = e, v
			}
		}
		items[place] = unordered[last]
		s &^= 1 << last
	}
}
