package weak

import (
	"math"
	"math/bits"

	"combpred/core/slicex"
)

const (
	// boundKicks is the number of times that local search starts again before the subsets are bounded: a better ranking to
	// begin with leaves fewer of them, and costs more itself.
	boundKicks = 1
	// leastBounded is the least component that is bounded: tables of smaller ones cost less than the search.
	leastBounded = 9
)

// boundedTable is the dynamic program over the subsets of one component that come before the others in some ranking that may
// be better than a known one.
//
// A ranking earns what its pairs earn at their best choices, less a loss of at least 0 for each pair. best[s] is the least
// loss of the pairs with an item in s when the items of s are before all others. What is still to be lost is at least the
// sum of the losses of best rankings of parts of the other items, if no pair counts more than once in these (additive pattern
// databases, Korf and Felner, 2002). The parts are any two of four groups; the losses of pairs within a group, which is in
// three of them, count a third in each. A subset is not extended where that reaches the loss of the known ranking.
type boundedTable struct {
	m      int
	limit  float64              // losses from here on are of no interest
	best   []float64            // by subset
	block  []int32              // the last block of a subset
	seen   []uint64             // the subsets that are reached and not yet extended, as bits
	rest   []float64            // rest[s]: a bound on the loss of the pairs in s
	pairs  [tiedPairs][]float64 // least losses of the subsets of two groups, whose bits follow one another
	items  []int32              // of two groups
	half   int
	ahead  [2][]float64 // ahead[i][s·m + x]: what x loses before the items of s, for the subsets of either half of the items
	blocks tiedBlocks
	part   subsetTable
}

const (
	tiedGroups = 4
	tiedPairs  = tiedGroups * (tiedGroups - 1) / 2
)

// solveBounded is solve for components of leastBounded items and more. Cost: at most m·3^m steps, but few where a good ranking
// loses little; some 2^m float64s of memory. Among equal choices that of local search is taken.
func (w *Workspace) solveBounded(rank []int32, items []int32) float64 {
	most := w.pairwise(items)
	s := w.searched(items, most, boundKicks)
	if s.best.value < most-s.threshold {
		b := &w.bound
		b.prepare(w.gain, w.may, w.n, s.best.items)
		b.limit = most - s.best.value - s.threshold
		if b.run() {
			b.rankTo(&s.now, s.best.items)
			s.now.value = s.total()
			s.best.set(&s.now)
		}
	}
	w.rankBy(&s.best, rank)
	return s.best.value
}

// prepare tabulates the losses of the items, which are best in the order of a good ranking.
func (b *boundedTable) prepare(gain []float64, may []Choices, n int, items []int32) {
	m := len(items)
	b.m = m
	b.bounds(gain, may, n, items)
	b.blocks.load(gain, may, n, items)
	b.half = m / 2
	for part, size := range [...]int{b.half, m - b.half} {
		sums := slicex.Grow(b.ahead[part], m<<size)
		clear(sums[:m])
		for s := 1; s < 1<<size; s++ {
			before, _, _ := b.blocks.losses(part*b.half + bits.TrailingZeros(uint(s)))
			without, to := sums[(s&(s-1))*m:][:m], sums[s*m:][:m]
			for x, loss := range before {
				to[x] = without[x] + priced(loss)
			}
		}
		b.ahead[part] = sums
	}
	b.best, b.block = slicex.Grow(b.best, 1<<m), slicex.Grow(b.block, 1<<m)
	b.seen = slicex.Grow(b.seen, (1<<m+63)/64)
	clear(b.seen)
}

// bounds fills rest. Groups are runs of the items.
func (b *boundedTable) bounds(gain []float64, may []Choices, n int, items []int32) {
	m, at := len(items), 0
	var ends [tiedGroups + 1]int
	for i := range ends {
		ends[i] = i * m / tiedGroups
	}
	for i := range tiedGroups {
		for j := i + 1; j < tiedGroups; j++ {
			b.items = append(append(b.items[:0], items[ends[i]:ends[i+1]]...), items[ends[j]:ends[j+1]]...)
			b.pairs[at] = b.boundPair(b.pairs[at], ends[i+1]-ends[i], gain, may, n)
			at++
		}
	}
	rest := slicex.Grow(b.rest, 1<<m)
	b.rest = rest
	size := ends[1]
	second, third := ends[2]-size, ends[3]-ends[2]
	for s := 0; s < 1<<m; s += 1 << size {
		u, v, w := s>>size&(1<<second-1), s>>ends[2]&(1<<third-1), s>>ends[3]
		sum := b.pairs[3][u|v<<second] + b.pairs[4][u|w<<second] + b.pairs[5][v|w<<third]
		to := rest[s:][:1<<size]
		x, y, z := b.pairs[0][u<<size:][:len(to)], b.pairs[1][v<<size:][:len(to)], b.pairs[2][w<<size:][:len(to)]
		for i := range to {
			to[i] = sum + (x[i] + y[i] + z[i])
		}
	}
}

// boundPair returns the least losses of the subsets of b.items, of which the first are one group, in loss where it has room.
func (b *boundedTable) boundPair(loss []float64, first int, gain []float64, may []Choices, n int) []float64 {
	m, t := len(b.items), &b.part
	t.load(gain, may, n, b.items)
	for u := range m {
		for v := range m {
			if (u < first) == (v < first) {
				t.h[u*m+v] /= tiedGroups - 1
			}
		}
	}
	t.run(m)
	loss = slicex.Grow(loss, 1<<m)
	loss[0] = 0
	for s := 1; s < 1<<m; s++ { // first what the pairs earn at their best choices
		u := bits.TrailingZeros(uint(s))
		sum := loss[s&(s-1)]
		for x := uint(s & (s - 1)); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			sum += mostOf(t.h[u*m+v], t.h[v*m+u], choices(t.may, u*m+v))
		}
		loss[s] = sum
	}
	for s := range loss {
		loss[s] = max(loss[s]-t.best[s], 0)
	}
	return loss
}

// run reports whether there is a ranking of a loss below the limit, the tables then hold a best one.
func (b *boundedTable) run() bool {
	b.blocks.find(b)
	known := b.limit
	b.best[0], b.seen[0] = 0, 1
	for i := range b.seen {
		for b.seen[i] != 0 { // an extension is a larger number, maybe of the same word
			s := i<<6 | bits.TrailingZeros64(b.seen[i])
			b.seen[i] &= b.seen[i] - 1
			b.extend(uint(s))
		}
	}
	return b.limit < known
}

// extend notes what the subsets lose that are s and a block after it.
func (b *boundedTable) extend(s uint) {
	all := uint(1)<<b.m - 1
	left, limit := all&^s, b.limit
	if b.best[s]+b.rest[left] >= limit {
		return
	}
	var ahead [MaxComponent]float64 // what each item loses before the others that are left
	top := b.ahead[1][int(left>>b.half)*b.m:][:b.m]
	for x, loss := range b.ahead[0][int(left&(1<<b.half-1))*b.m:][:b.m] {
		ahead[x] = loss + top[x]
	}
	var sums [MaxComponent + 1]float64
	sums[0] = b.best[s]
	nodes, rest := b.blocks.nodes, b.rest
	for i := 0; i < len(nodes); {
		n := &nodes[i]
		if left>>n.item&1 == 0 {
			i = int(n.skip)
			continue
		}
		i++
		sum := sums[n.depth] + ahead[n.item]
		sums[n.depth+1] = sum
		sum += n.tied
		then := left &^ uint(n.set)
		if sum+rest[then] >= limit || then&^uint(n.precede) != 0 {
			continue
		}
		to := all &^ then
		if then == 0 {
			limit = sum
		} else if word, bit := &b.seen[to>>6], uint64(1)<<(to&63); *word&bit == 0 {
			*word |= bit
		} else if sum >= b.best[to] {
			continue
		}
		b.best[to], b.block[to] = sum, int32(n.set)
	}
	b.limit = limit
}

// rankTo writes the ranking found to r, of the items by which the tables are numbered.
func (b *boundedTable) rankTo(r *ranking, items []int32) {
	r.items = append(r.items[:0], items...)
	r.ends = r.ends[:0]
	at := b.m
	for s := 1<<b.m - 1; s > 0; s &^= int(b.block[s]) {
		r.ends = append(r.ends, int32(at))
		for x := uint(b.block[s]); x != 0; x &= x - 1 {
			at--
			r.items[at] = items[bits.TrailingZeros(x)]
		}
	}
	for i, j := 0, len(r.ends)-1; i < j; i, j = i+1, j-1 {
		r.ends[i], r.ends[j] = r.ends[j], r.ends[i]
	}
}

// tiedBlocks finds the sets of items that may be tied, and with no other, in a ranking better than a known one.
//
// They form a tree, a set without its largest item being its parent, which is listed in depth-first order. A set and all
// that grow from it are left out
//
//   - if every ranking with one of them as a block loses too much: its pairs that are tied, those of other items, and for
//     each item that is surely not in the block the better of being before and behind it;
//   - or if some item in it earns more before, or behind, the others of the block than tied with them, whatever is added:
//     a ranking with such a block is improved by taking that item out.
type tiedBlocks struct {
	m      int
	pairs  []float64 // for each x, what every item loses before, behind and tied with it, +Inf where it may not be: 3 rows of m
	strict []float64 // what each pair loses before and behind together, which are both taken off ties; 0 for what may not be
	front  []uint32  // the items that each may precede, as bits
	sums   []float64 // the same for the sets on the path in the tree
	ahead  []float64 // ahead[x·(m+1) + i]: the most by which items from i on can make a tie better for x than being before them
	after  []float64 // than being behind them
	nodes  []blockNode
}

// blockNode is a set in the tree.
type blockNode struct {
	item, depth uint8  // its largest item, and the number of the others
	skip        int32  // the next set in the list that does not contain it
	set         uint32 //
	precede     uint32 // the items that all in it may precede
	// tied is what the pairs in it lose tied, less what they lose with each item before and behind the other, once each; +Inf
	// if it is no block itself.
	tied float64
}

// load takes the gains and the choices of the items.
func (t *tiedBlocks) load(gain []float64, may []Choices, n int, items []int32) {
	m := len(items)
	t.m = m
	t.pairs, t.strict, t.front = slicex.Grow(t.pairs, 3*m*m), slicex.Grow(t.strict, m*m), slicex.Grow(t.front, m)
	for x, u := range items {
		before, behind, tied := t.losses(x)
		t.front[x] = 0
		for y, v := range items {
			forth, back := gain[int(v)*n+int(u)], gain[int(u)*n+int(v)]
			c := choices(may, int(v)*n+int(u))
			most := mostOf(forth, back, c)
			before[y] = loss(most-forth, c&MayPrecede)
			behind[y] = loss(most-back, c&MayFollow)
			tied[y] = loss(most, c&MayLevel)
			if x == y {
				before[y], behind[y], tied[y] = 0, 0, 0
			}
			t.strict[x*m+y] = priced(before[y]) + priced(behind[y])
			if c&MayFollow != 0 { // y after x
				t.front[x] |= 1 << y
			}
		}
	}
}

// loss returns +Inf for a choice that is not among those allowed.
func loss(of float64, allowed Choices) float64 {
	if allowed == 0 {
		return math.Inf(1)
	}
	return of
}

// priced returns a loss that may be taken off again: 0 for a choice that is not allowed.
func priced(loss float64) float64 {
	if math.IsInf(loss, 1) {
		return 0
	}
	return loss
}

// losses returns what every item loses before, behind and tied with x.
func (t *tiedBlocks) losses(x int) (before, behind, tied []float64) { return thirds(t.pairs, t.m, x) }

func thirds(rows []float64, m, at int) (first, second, third []float64) {
	rows = rows[3*m*at:][:3*m]
	return rows[:m], rows[m:][:m], rows[2*m:]
}

// find lists the blocks that are of interest below the limit of b.
func (t *tiedBlocks) find(b *boundedTable) {
	m := t.m
	t.ahead, t.after = slicex.Grow(t.ahead, m*(m+1)), slicex.Grow(t.after, m*(m+1))
	for x := range m {
		at := x * (m + 1)
		t.ahead[at+m], t.after[at+m] = 0, 0
		for y := m - 1; y >= 0; y-- {
			before, behind, tied := t.losses(y)
			t.ahead[at+y] = t.ahead[at+y+1] + excess(before[x], tied[x])
			t.after[at+y] = t.after[at+y+1] + excess(behind[x], tied[x])
		}
	}
	t.sums = slicex.Grow(t.sums, 3*m*(m+1))
	clear(t.sums[:3*m])
	t.nodes = t.nodes[:0]
	t.expand(b, 0, 0, 0, math.MaxUint32, 0, 0)
}

// excess returns what an item may lose more than tied.
func excess(loss, tied float64) float64 {
	if math.IsInf(tied, 1) {
		return 0
	}
	return max(0, loss-tied)
}

// expand lists the sets that are set and items from from on, at least one. precede are the items that all in it may precede,
// lost is what its pairs lose tied, and strict what they lose with each before and behind the other.
func (t *tiedBlocks) expand(b *boundedTable, set uint, from, depth int, precede uint32, lost, strict float64) {
	m, all := t.m, uint(1)<<t.m-1
	before, behind, tied := thirds(t.sums, m, depth)
	skipped := separate(before[:from], behind[:from], set)
	for x := from; x < m && lost+skipped+b.rest[all&^set] < b.limit; x++ {
		without := skipped
		skipped += min(before[x], behind[x])
		lost, set := lost+tied[x], set|1<<x
		outside := lost + b.rest[all&^set]
		if outside+without >= b.limit || !t.keeps(x, x+1, tied[x]-before[x], tied[x]-behind[x]) {
			continue
		}
		fits, stable := true, true
		pBefore, pBehind, pTied := t.losses(x)
		for z := set; z != 0 && fits; z &= z - 1 {
			u := bits.TrailingZeros(z)
			level := tied[u] + pTied[u]
			early, late := level-(before[u]+pBefore[u]), level-(behind[u]+pBehind[u])
			fits = t.keeps(u, x+1, early, late)
			stable = stable && early <= 0 && late <= 0
		}
		if !fits {
			continue
		}
		sums := t.sums[3*m*depth:][:6*m]
		for i, loss := range t.pairs[3*m*x:][:3*m] {
			sums[3*m+i] = sums[i] + loss
		}
		nBefore, nBehind, _ := thirds(t.sums, m, depth+1)
		if outside += separate(nBefore[:x], nBehind[:x], set); outside >= b.limit {
			continue
		}
		strict, precede := strict, precede&t.front[x]
		for z := set; z != 0; z &= z - 1 {
			strict += t.strict[x*m+bits.TrailingZeros(z)]
		}
		at := len(t.nodes)
		node := blockNode{item: uint8(x), depth: uint8(depth), set: uint32(set), precede: precede, tied: math.Inf(1)}
		if stable && outside+separate(nBefore[x+1:], nBehind[x+1:], 0) < b.limit {
			node.tied = lost - strict
		}
		t.nodes = append(t.nodes, node)
		t.expand(b, set, x+1, depth+1, precede, lost, strict)
		if len(t.nodes) == at+1 && math.IsInf(node.tied, 1) {
			t.nodes = t.nodes[:at]
			continue
		}
		t.nodes[at].skip = int32(len(t.nodes))
	}
}

// keeps reports whether items from next on may keep x from leaving a block in which it gains early before the others, and
// late behind them.
func (t *tiedBlocks) keeps(x, next int, early, late float64) bool {
	at := x*(t.m+1) + next
	return early <= t.ahead[at] && late <= t.after[at]
}

// separate returns the least that items outside a set lose with it, as they are before or behind it.
func separate(before, behind []float64, set uint) (sum float64) {
	for y, loss := range before {
		if set>>y&1 == 0 {
			sum += min(loss, behind[y])
		}
	}
	return sum
}
