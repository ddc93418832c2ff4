package weak

import (
	"math"
	"math/bits"

	"combpred/core/slicex"
)

// subsetTable is the dynamic program over the subsets of one component.
//
// best[s] = max over the first block b, a non-empty part of s, of best[s∖b] + Σ h[u,v] over u in b and v in s∖b. The sum is
// Σ_{u∈b} rows[u] − inner[b]. A block of two items or more need only be tried if no ranking of its items earns more than
// their tie, that is if best[b] = 0: such a ranking in its place would gain.
type subsetTable struct {
	h      []float64 // gains within the component, m×m
	masked bool
	may    []Choices // m×m where masked
	before []uint    // the items that each item may precede, as bits
	level  []uint    // and be tied with
	rows   []float64 // rows[v·m + u] = Σ h[u,y] over y in the last set whose smallest item is v
	best   []float64 // the most that the items of s earn among themselves
	block  []int32   // their first block
	inner  []float64 // Σ h[u,v] over u, v in s, both orders; +Inf if s need not be tried as a block
	blocks []int32   // the sets of two items or more to be tried as blocks, ascending
	first  []float64 // first[b] = Σ over u in b of rows[u], for the s at hand
}

// solveTabled is solve by a table of all subsets. Cost: at most 3^m steps, and at most 2^m times the number of blocks to be
// tried; some 2^m·4 float64s of memory. Among equal choices the smallest set of items, read as a binary number, is first.
func (w *Workspace) solveTabled(rank []int32, items []int32) float64 {
	m := len(items)
	t := &w.table
	t.load(w.gain, w.may, w.n, items)
	t.run(m)
	for s := 1<<m - 1; s > 0; {
		b := int(t.block[s])
		w.ranks++
		for x := uint(b); x != 0; x &= x - 1 {
			rank[items[bits.TrailingZeros(x)]] = w.ranks
		}
		s &^= b
	}
	return t.best[1<<m-1]
}

// load takes the gains and the choices of the items.
func (t *subsetTable) load(gain []float64, may []Choices, n int, items []int32) {
	m := len(items)
	t.h, t.may = slicex.Grow(t.h, m*m), t.may[:0]
	for i, u := range items {
		for j, v := range items {
			t.h[i*m+j] = gain[int(u)*n+int(v)]
		}
	}
	if t.masked = len(may) > 0; !t.masked {
		return
	}
	t.may, t.before, t.level = slicex.Grow(t.may, m*m), slicex.Grow(t.before, m), slicex.Grow(t.level, m)
	for i, u := range items {
		t.before[i], t.level[i] = 0, 0
		for j, v := range items {
			c := may[int(u)*n+int(v)]
			t.may[i*m+j] = c
			if c&MayPrecede != 0 {
				t.before[i] |= 1 << j
			}
			if c&MayLevel != 0 {
				t.level[i] |= 1 << j
			}
		}
	}
}

// fits reports whether all items of b may precede the others of s.
func (t *subsetTable) fits(s, b uint) bool { return !t.masked || allContain(t.before, b, s&^b) }

// ties reports whether all items of s may be tied.
func (t *subsetTable) ties(s uint) bool { return !t.masked || allContain(t.level, s, s) }

// allContain reports whether the sets of all items of b contain another set.
func allContain(sets []uint, b, other uint) bool {
	for ; b != 0; b &= b - 1 {
		if other&^sets[bits.TrailingZeros(b)] != 0 {
			return false
		}
	}
	return true
}

// run fills the tables for all subsets of m items.
func (t *subsetTable) run(m int) {
	t.rows = slicex.Grow(t.rows, m*m)
	t.best, t.inner, t.first = slicex.Grow(t.best, 1<<m), slicex.Grow(t.inner, 1<<m), slicex.Grow(t.first, 1<<m)
	t.block, t.blocks = slicex.Grow(t.block, 1<<m), t.blocks[:0]
	t.best[0], t.first[0] = 0, 0
	for s := uint(1); s < 1<<m; s++ {
		v, without := bits.TrailingZeros(s), s&(s-1)
		rows := t.rows[v*m:][:m]
		if without == 0 {
			for u := range rows {
				rows[u] = t.h[u*m+v]
			}
			t.best[s], t.block[s], t.inner[s] = 0, int32(s), 0
			continue
		}
		for u, sum := range t.rows[bits.TrailingZeros(without)*m:][:m] {
			rows[u] = sum + t.h[u*m+v]
		}
		var value float64
		var block uint
		if len(t.blocks) > 1<<bits.OnesCount(s) {
			value, block = t.ofParts(s, rows)
		} else {
			value, block = t.ofBlocks(s, rows)
		}
		inner := math.Inf(1)
		if value <= 0 && t.ties(s) { // of equal choices s itself is the largest
			if value < 0 {
				value, block = 0, s
			}
			inner = 0
			for x := s; x != 0; x &= x - 1 {
				inner += rows[bits.TrailingZeros(x)]
			}
			t.blocks = append(t.blocks, int32(s))
		}
		t.best[s], t.block[s], t.inner[s] = value, int32(block), inner
	}
}

// ofParts returns the most that the items of s earn in two blocks or more and the first of them, given by all parts of s.
func (t *subsetTable) ofParts(s uint, rows []float64) (value float64, block uint) {
	value = math.Inf(-1)
	for b := s & -s; b != s; b = (b - s) & s {
		f := t.first[b&(b-1)] + rows[bits.TrailingZeros(b)]
		t.first[b] = f
		if e := t.best[s&^b] + (f - t.inner[b]); e > value && t.fits(s, b) {
			value, block = e, b
		}
	}
	return value, block
}

// ofBlocks is ofParts by the single items and the blocks to be tried.
func (t *subsetTable) ofBlocks(s uint, rows []float64) (value float64, block uint) {
	value = math.Inf(-1)
	for x := s; x != 0; x &= x - 1 {
		if e := t.best[s&^(x&-x)] + rows[bits.TrailingZeros(x)]; e > value && t.fits(s, x&-x) {
			value, block = e, x&-x
		}
	}
	for _, set := range t.blocks {
		b := uint(set)
		if b&^s != 0 {
			continue
		}
		var f float64
		for x := b; x != 0; x &= x - 1 {
			f += rows[bits.TrailingZeros(x)]
		}
		if e := t.best[s&^b] + (f - t.inner[b]); (e > value || e == value && b < block) && t.fits(s, b) {
			value, block = e, b
		}
	}
	return value, block
}
