package aggregate

import (
	"cmp"
	"math"
	"slices"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// rowsAtOnce is the number of rankings that a worker weighs at a time.
const rowsAtOnce = 64

// BestOrderOfInputs returns an order of some items, by their places in the ascending list items, in which the ties of one
// ranking are broken by others; before holds the weights of the pairs of these items alone.
//
// Drawing rankings with probabilities in proportion to their weights, each breaking the ties that the earlier ones left, puts
// u before v with probability w_uv/(w_uv + w_vu), so that a pair costs 2 w_uv w_vu/(w_uv + w_vu) on average, at most twice its
// least cost (RepeatChoice; Ailon, 2010). Here the next ranking is the one with the least conditional mean: over all rankings
// that mean stays the same, so that the best one does not exceed it. Without ties the result is the ranking of least
// distance to all. Where items are unknown, a ranking has them last, and nothing is guaranteed. Cost: O(n m²) for every
// ranking that is used.
func BestOrderOfInputs(p *Profile, items []int32, before linalg.Matrix[float64], workers int, mon *parallel.Monitor) ([]int32, error) {
	m := len(items)
	excess := linalg.NewMatrix[float64](m, m) // cost of u before v, beyond the mean
	for u := range m {
		for v := range m {
			excess.Row(u)[v] = before.Row(v)[u] - sharedCost(before.Row(u)[v], before.Row(v)[u])
		}
	}
	level := make([]int32, m) // items on one level are not ordered yet
	var coder coder
	codes := make([]int32, m)
	for {
		groups := levels(level)
		if len(groups) == m {
			return argsort(m, func(u, v int32) int { return cmp.Compare(level[u], level[v]) }), nil
		}
		best, err := p.leastRow(items, workers, mon, func(codes []int32) (value float64, decides bool) {
			for _, group := range groups {
				v, d := weighPairs(codes, group, excess)
				value += v
				decides = decides || d
			}
			return value, decides
		})
		if err != nil {
			return nil, err
		}
		if best < 0 {
			return argsort(m, func(u, v int32) int { return cmp.Compare(level[u], level[v]) }), nil
		}
		coder.codesTo(codes, p.Ranks.Row(best), items)
		unknownLast(codes)
		order := argsort(m, func(u, v int32) int {
			return cmp.Or(cmp.Compare(level[u], level[v]), cmp.Compare(codes[u], codes[v]))
		})
		next := make([]int32, m)
		for i, u := range order[1:] {
			next[u] = next[order[i]]
			if w := order[i]; level[u] != level[w] || codes[u] != codes[w] {
				next[u]++
			}
		}
		level = next
	}
}

// levels returns the items of each level, in ascending order.
func levels(level []int32) [][]int32 {
	groups := make([][]int32, 0, len(level))
	for u, l := range level {
		for int(l) >= len(groups) {
			groups = append(groups, nil)
		}
		groups[l] = append(groups[l], int32(u))
	}
	return groups
}

// weighPairs returns the sum of the entries of cost, row by row, for the pairs of items that codes put in order, and whether
// there is one.
func weighPairs(codes, items []int32, cost matrix) (value float64, some bool) {
	var any int32
	for _, u := range items {
		row := cost.Row(int(u))
		own := codes[u]
		var sum float64
		for _, v := range items {
			// Which of two items is first cannot be predicted: all bits are set where u is, and no branch is taken.
			ahead := (own - codes[v]) >> 31
			any |= ahead
			sum += math.Float64frombits(math.Float64bits(row[v]) & uint64(int64(ahead)))
		}
		value += sum
	}
	return value, any != 0
}

// leastRow returns the number of the ranking of positive weight that has the least value among those for which weigh says that
// there is one, −1 if there is none, and the smallest number among equals. weigh gets the codes of some items, unknown ones last.
func (p *Profile) leastRow(items []int32, workers int, mon *parallel.Monitor,
	weigh func(codes []int32) (value float64, some bool)) (int, error) {
	n := p.Ranks.Rows
	blocks := (n + rowsAtOnce - 1) / rowsAtOnce
	value, at := make([]float64, blocks), make([]int, blocks)
	m := len(items)
	if items == nil {
		m = p.Items()
	}
	err := parallel.For(blocks, 1, workers, mon, func(b, _ int) error {
		var coder coder
		codes := make([]int32, m)
		value[b], at[b] = math.Inf(1), -1
		for i := b * rowsAtOnce; i < min((b+1)*rowsAtOnce, n); i++ {
			if p.weight(i) == 0 {
				continue
			}
			if err := mon.Err(); err != nil {
				return err
			}
			coder.codesTo(codes, p.Ranks.Row(i), items)
			unknownLast(codes)
			if x, some := weigh(codes); some && x < value[b] {
				value[b], at[b] = x, i
			}
		}
		return nil
	})
	best, least := -1, math.Inf(1)
	for b, x := range value {
		if x < least {
			best, least = at[b], x
		}
	}
	return best, err
}

// unknownLast ties unknown items in the last place.
func unknownLast(codes []int32) {
	for u, code := range codes {
		if code < 0 {
			codes[u] = math.MaxInt32
		}
	}
}

// bestRow returns the ranking of least total cost as ranks without gaps, from 1 on: before holds the cost of u before v, unordered
// that of tied pairs. Items that are unknown are tied in the last place. Cost: O(n k²).
func (p *Profile) bestRow(costs pairCosts, workers int, mon *parallel.Monitor) ([]int32, error) {
	k := p.Items()
	best, err := p.leastRow(nil, workers, mon, func(codes []int32) (value float64, some bool) {
		for u, own := range codes {
			before, unordered := costs.before.Row(u), costs.unordered.Row(u)
			var first, tied float64
			for v, other := range codes {
				switch {
				case own < other:
					first += before[v]
				case own == other:
					tied += unordered[v] / 2
				}
			}
			value += first + tied
		}
		return value, true
	})
	if err != nil {
		return nil, err
	}
	var coder coder
	codes := make([]int32, k)
	coder.codesTo(codes, p.Ranks.Row(best), nil)
	unknownLast(codes)
	return dense(codes), nil
}

// dense returns ranks without gaps, from 1 on, that compare as the codes do.
func dense(codes []int32) []int32 {
	order := argsort(len(codes), func(u, v int32) int { return cmp.Compare(codes[u], codes[v]) })
	ranks := make([]int32, len(codes))
	rank := int32(1)
	for i, u := range order {
		if i > 0 && codes[u] != codes[order[i-1]] {
			rank++
		}
		ranks[u] = rank
	}
	return ranks
}

// bestRows returns the rankings of least cost, at most mostStarts different ones, as ranks without gaps; items that are unknown
// are tied in the last place.
func (p *Profile) bestRows(costs pairCosts, poll func() error) ([][]int32, error) {
	type row struct {
		ranks []int32
		cost  float64
	}
	var coder coder
	codes := make([]int32, p.Items())
	var rows []row
	for i := range p.Ranks.Rows {
		if err := poll(); err != nil {
			return nil, err
		}
		coder.codesTo(codes, p.Ranks.Row(i), nil)
		unknownLast(codes)
		ranks := dense(codes)
		found := row{ranks, costs.ofRanks(ranks)}
		at, known := slices.BinarySearchFunc(rows, found, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.cost, b.cost), slices.Compare(a.ranks, b.ranks))
		})
		if !known && at < mostStarts {
			rows = slices.Insert(rows, at, found)
			rows = rows[:min(len(rows), mostStarts)]
		}
	}
	starts := make([][]int32, len(rows))
	for i, r := range rows {
		starts[i] = r.ranks
	}
	return starts, nil
}

// ofRanks is of for a ranking.
func (c pairCosts) ofRanks(ranks []int32) (sum float64) {
	for u, own := range ranks {
		before, unordered := c.before.Row(u), c.unordered.Row(u)
		for v, other := range ranks {
			switch {
			case own < other:
				sum += before[v]
			case own == other:
				sum += unordered[v] / 2
			}
		}
	}
	return sum
}
