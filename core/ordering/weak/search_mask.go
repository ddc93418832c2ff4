package weak

import (
	"slices"

	"combpred/core/slicex"
)

// startMasked sets the ranking, which holds the items in the order of their scores, to the better of two topological orders
// of what the mask implies: the one that takes the first of the items that may come next, and the one that does so from the
// other end of their order.
func (s *localSearch) startMasked() {
	r := &s.now
	s.visit = append(s.visit[:0], r.items...)
	s.bars.topologicalTo(r.items, s)
	r.value = s.strict(r.items)
	slices.Reverse(s.visit)
	s.bars.topologicalTo(s.visit, s)
	if back := s.strict(s.visit); back > r.value {
		copy(r.items, s.visit)
		r.value = back
	}
}

// mend replaces a ranking that the mask does not allow by a topological order next to it.
func (s *localSearch) mend() {
	r, lo := &s.now, 0
	allowed := true
	for _, end := range r.ends {
		block := r.items[lo:end]
		allowed = allowed && s.all(block, block, MayLevel) && s.all(block, r.items[end:], MayPrecede)
		lo = int(end)
	}
	if allowed {
		return
	}
	s.bars.topologicalTo(r.items, s)
	r.ends = r.ends[:0]
	for i := range r.items {
		r.ends = append(r.ends, int32(i+1))
	}
}

// all reports whether a choice is allowed to all pairs of a first item and a second one.
func (s *localSearch) all(first, second []int32, choice Choices) bool {
	if len(s.may) == 0 {
		return true
	}
	for _, u := range first {
		if s.barred(u, second, choice) > 0 {
			return false
		}
	}
	return true
}

// hold finds the items that may not stand in any way to all others, so that barred need not look at those that may.
func (s *localSearch) hold(items []int32) {
	s.held = slicex.Grow(s.held, s.n)
	for _, u := range items {
		s.held[u] = false
		may := s.may[int(u)*s.n:][:s.n]
		for _, v := range items {
			if may[v] != MayAll && v != u {
				s.held[u] = true
				break
			}
		}
	}
}

// barred returns the number of items to which u may not stand so.
func (s *localSearch) barred(u int32, items []int32, choice Choices) (n int) {
	if !s.held[u] {
		return 0
	}
	may := s.may[int(u)*s.n:][:s.n]
	for _, v := range items {
		if may[v]&choice == 0 && v != u {
			n++
		}
	}
	return n
}

// blockBars are, for an item, the numbers of items of each block that it may not precede, be tied with, or follow.
type blockBars struct {
	precede, level, follow []int
	waits                  []int32 // see topologicalTo
	sorted                 []int32
}

// count counts for item u and returns the number of all items that it may not precede.
func (b *blockBars) count(s *localSearch, u int32) (sum int) {
	r, lo := &s.now, 0
	b.precede, b.level, b.follow = b.precede[:0], b.level[:0], b.follow[:0]
	for _, end := range r.ends {
		block := r.items[lo:end]
		before := s.barred(u, block, MayPrecede)
		sum += before
		b.precede = append(b.precede, before)
		b.level = append(b.level, s.barred(u, block, MayLevel))
		b.follow = append(b.follow, s.barred(u, block, MayFollow))
		lo = int(end)
	}
	return sum
}

// at returns whether the item may be on block j, and directly after it, given the number of pairs that are barred directly
// before it. It returns that number directly after it, too.
func (b *blockBars) at(j, barred int) (join, follow bool, after int) {
	barred -= b.precede[j]
	after = barred + b.follow[j]
	return barred+b.level[j] == 0, after == 0, after
}

// allow reports whether item u may be on block to, or directly after it, as ranking.place has it.
func (b *blockBars) allow(s *localSearch, u int32, to int, join bool) bool {
	barred := b.count(s, u)
	mayJoin, mayFollow := false, barred == 0
	for j := range to + 1 {
		mayJoin, mayFollow, barred = b.at(j, barred)
	}
	if join {
		return mayJoin
	}
	return mayFollow
}

// topologicalTo rearranges items so that none is before one that it may not precede: again and again the first one that may
// come next is taken. The mask has no cycles (Workspace.reduced). Cost: O(m²).
func (b *blockBars) topologicalTo(items []int32, s *localSearch) {
	b.sorted = append(b.sorted[:0], items...)
	b.waits = b.waits[:0] // for how many items each waits
	for _, u := range items {
		b.waits = append(b.waits, int32(s.barred(u, items, MayPrecede)))
	}
	for at := range items {
		i := slices.Index(b.waits, 0)
		u := b.sorted[i]
		items[at] = u
		b.waits[i] = -1
		for k, v := range b.sorted {
			if s.may[int(v)*s.n+int(u)]&MayPrecede == 0 && b.waits[k] > 0 {
				b.waits[k]--
			}
		}
	}
}
