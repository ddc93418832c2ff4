package aggregate

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/relation"
)

// majority is the tournament in which u beats v by more weight, or by its smaller number where the weights are equal.
type majority struct {
	before matrix
	wins   relation.Both // Out relates an item to those that it beats
}

func newMajority(before matrix) *majority {
	m := before.Rows
	t := &majority{before: before}
	t.wins.Reset(m)
	for u := range m {
		for v := range m {
			if u != v && t.ahead(u, v) {
				t.wins.Add(u, v)
			}
		}
	}
	return t
}

func (t *majority) ahead(u, v int) bool {
	a, b := t.before.Row(u)[v], t.before.Row(v)[u]
	return a > b || a == b && u < v
}

// sorted puts what beats a pivot before it, everything else behind it, and goes on within both. choose gets at least two
// items, in ascending order.
func (t *majority) sorted(choose func(items []int32) (pivot int32, err error)) ([]int32, error) {
	order := make([]int32, 0, t.before.Rows)
	stack := [][]int32{ascending(t.before.Rows)}
	for len(stack) > 0 {
		items := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(items) < 2 {
			order = append(order, items...)
			continue
		}
		pivot, err := choose(items)
		if err != nil {
			return nil, err
		}
		var first, last []int32
		for _, u := range items {
			switch {
			case u == pivot:
			case t.ahead(int(u), int(pivot)):
				first = append(first, u)
			default:
				last = append(last, u)
			}
		}
		stack = append(stack, last, []int32{pivot}, first)
	}
	return order, nil
}

// RandomPivotOrder returns the order of uniformly random pivots (KwikSort; Ailon, Charikar and Newman, 2008): the better of it
// and a random ranking has at most 11/7 of the least distance on average. Cost: O(k²) on average.
func RandomPivotOrder(before linalg.Matrix[float64], rng *rand.Rand) []int32 {
	t := &majority{before: before}
	order, _ := t.sorted(func(items []int32) (int32, error) { return items[rng.IntN(len(items))], nil })
	return order
}

// PivotOrder returns the order of a deterministic choice of pivots (van Zuylen and Williamson, 2009). withInputs says whether
// the better of it and BestOrderOfInputs will be used.
//
// Let m ≤ M be the costs of the two orders of a pair. A pair pays M only if it lies on a directed triangle of the majority
// with the pivot that separates it, otherwise m. The triangle inequality w_uv ≤ w_ux + w_xv bounds M for each side of such a
// triangle by the sum of the other two m. Hence the sum of M over its sides is at most twice that of m; and with c = 2mM/(m +
// M), the cost of the pair in a random ranking, the sum of 2/5 M + 3/5 c is at most 8/5 of that of m. Some pivot attains the
// average over all pivots, so that the order costs at most twice Σ m; and the better one of it and the rankings at most 8/5
// Σ m, because 2/5 m + 3/5 c ≤ 8/5 m for pairs that agree. Of the pivots within the bound, the one is taken that adds the
// least M − m for each pair that it decides.
//
// Cost: O(m³/64) operations on words to find the directed triangles of m items, and O(1) for each of them, of which there are
// at most m³/24, for each pivot.
func PivotOrder(before linalg.Matrix[float64], withInputs bool, mon *parallel.Monitor) ([]int32, error) {
	share, bound := 1.0, 2.0
	if withInputs {
		share, bound = 0.4, 1.6
	}
	k := before.Rows
	excess, added := linalg.NewMatrix[float64](k, k), linalg.NewMatrix[float64](k, k)
	for u := range k {
		for v := range k {
			a, b := before.Row(u)[v], before.Row(v)[u]
			least, most := min(a, b), max(a, b)
			excess.Row(u)[v] = float64(share*most) + float64((1-share)*sharedCost(a, b)) - float64(bound*least)
			added.Row(u)[v] = most - least
		}
	}
	t := newMajority(before)
	c := &pivots{majority: t, excess: excess, added: added, over: make([]float64, k), extra: make([]float64, k),
		among: make([]uint64, (k+63)/64)}
	return t.sorted(func(items []int32) (int32, error) { return c.choose(items, mon) })
}

// pivots chooses pivots.
type pivots struct {
	*majority
	excess, added matrix
	over, extra   []float64 // of each item, the sums of excess and of added over the pairs that it puts the wrong way round
	among         []uint64  // the items at hand
}

func (c *pivots) choose(items []int32, mon *parallel.Monitor) (int32, error) {
	clear(c.among)
	for _, u := range items {
		c.among[u>>6] |= 1 << (u & 63)
		c.over[u], c.extra[u] = 0, 0
	}
	// v beats u, and a pivot is beaten by u and beats v: it puts u before v.
	for _, v := range items {
		if err := mon.Err(); err != nil {
			return 0, err
		}
		wins, losses := c.wins.Out.Row(int(v)), c.wins.In.Row(int(v))
		for w, x := range wins {
			for x &= c.among[w]; x != 0; x &= x - 1 {
				u := 64*w + bits.TrailingZeros64(x)
				excess, added := c.excess.Row(u)[v], c.added.Row(u)[v]
				for i, y := range c.wins.Out.Row(u) {
					for y &= losses[i] & c.among[i]; y != 0; y &= y - 1 {
						p := 64*i + bits.TrailingZeros64(y)
						c.over[p] += excess
						c.extra[p] += added
					}
				}
			}
		}
	}
	limit := math.Inf(1)
	for _, p := range items {
		limit = min(limit, c.over[p])
	}
	limit = max(0, limit)
	best, least := items[0], math.Inf(1)
	for _, p := range items {
		first, last := 0, 0
		for w, x := range c.among {
			first += bits.OnesCount64(x & c.wins.In.Row(int(p))[w])
			last += bits.OnesCount64(x & c.wins.Out.Row(int(p))[w])
		}
		decided := float64(first*last + len(items) - 1)
		if share := c.extra[p] / decided; c.over[p] <= limit && share < least {
			best, least = p, share
		}
	}
	return best, nil
}

// Round returns an order of cost at most 4/3, or 3/2, of that of the linear relaxation, given an optimum of the relaxation: how
// far u is before v, adding up to 1 with how far v is before u; the diagonal 0.
//
// withInputs says whether the rankings have no ties, and the better of this order and the best of them will be used: 4/3.
// Otherwise less is taken for granted, only the triangle inequality of the weights: 3/2.
//
// Ailon, Charikar and Newman put every item before a random pivot with probability x, independently, and go on within both
// parts. Let e be the cost of a pair's order, c that in a random ranking and l that of x. Without ties the mean of 2/3 e +
// 1/3 c − 4/3 l over the pairs that a pivot decides is not positive; with ties this holds for e − 3/2 l if x is first
// stretched about ½ by 3/2 and cut off at 0 and 1 (Ailon, 2010). Here nothing is random: the pivot of least mean is taken, and
// then its side is chosen for one item after the other, so that the mean never grows. Cost: O(m³) for each pivot among m items.
func Round(relaxed, before linalg.Matrix[float64], withInputs bool, workers int, mon *parallel.Monitor) ([]int32, error) {
	share, bound := 1.0, 1.5
	if withInputs {
		share, bound = 2.0/3, 4.0/3
	}
	k := before.Rows
	r := &rounding{chance: linalg.NewMatrix[float64](k, k), excess: linalg.NewMatrix[float64](k, k), workers: workers, mon: mon}
	for u := range k {
		for v := range k {
			if u == v {
				continue
			}
			x, y := relaxed.Row(u)[v], relaxed.Row(v)[u]
			a, b := before.Row(u)[v], before.Row(v)[u]
			fractional := float64(x*b) + float64(y*a)
			r.excess.Row(u)[v] = float64(share*b) + float64((1-share)*sharedCost(a, b)) - float64(bound*fractional)
			if !withInputs {
				x = min(max((x-leastRounded)/(mostRounded-leastRounded), 0), 1)
			}
			r.chance.Row(u)[v] = x
		}
	}
	order := make([]int32, 0, k)
	stack := [][]int32{ascending(k)}
	for len(stack) > 0 {
		items := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(items) < 2 {
			order = append(order, items...)
			continue
		}
		first, pivot, last, err := r.split(items)
		if err != nil {
			return nil, err
		}
		stack = append(stack, last, []int32{pivot}, first)
	}
	return order, nil
}

// Values of the relaxation that are rounded to 0 and to 1 where rankings have ties.
const (
	leastRounded = 1.0 / 6
	mostRounded  = 5.0 / 6
)

// rounding holds the probabilities with which an item is put before a pivot, and what each order of a pair costs beyond the
// bound.
type rounding struct {
	chance, excess matrix
	workers        int
	mon            *parallel.Monitor
}

// split returns a pivot and what goes before it and behind it.
func (r *rounding) split(items []int32) (first []int32, pivot int32, last []int32, err error) {
	chance, excess := submatrix(r.chance, items), submatrix(r.excess, items)
	m := len(items)
	means := make([]float64, m)
	err = parallel.For(m, 1, r.workers, r.mon, func(p, _ int) error {
		means[p] = meanOfPivot(chance, excess, p)
		return nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	p := 0
	for i, mean := range means {
		if mean < means[p] {
			p = i
		}
	}
	before, behind := make([]float64, m), make([]float64, m) // chances of each side of the pivot
	for i := range m {
		before[i], behind[i] = chance.Row(i)[p], chance.Row(p)[i]
	}
	for i := range m {
		if i == p {
			continue
		}
		asFirst, asLast := excess.Row(i)[p], excess.Row(p)[i]
		for j, x := range excess.Row(i) {
			asFirst += x * behind[j]
			asLast += before[j] * excess.Row(j)[i]
		}
		before[i], behind[i] = 0, 1
		if asFirst < asLast || asFirst == asLast && chance.Row(i)[p] >= 0.5 {
			before[i], behind[i] = 1, 0
		}
	}
	for i, u := range items {
		switch {
		case i == p:
		case before[i] > 0.5:
			first = append(first, u)
		default:
			last = append(last, u)
		}
	}
	return first, items[p], last, nil
}

// meanOfPivot returns the mean of what the pairs that a pivot decides cost beyond the bound. Most chances are 0 or 1: rows of 0
// are left out.
func meanOfPivot(chance, excess matrix, p int) (mean float64) {
	m := chance.Rows
	sums := make([]float64, m)
	for i := range m {
		c := chance.Row(i)[p]
		mean += c*excess.Row(i)[p] + chance.Row(p)[i]*excess.Row(p)[i]
		if c != 0 {
			linalg.Axpy(sums, excess.Row(i), c)
		}
	}
	return mean + linalg.Dot(sums, chance.Row(p))
}
