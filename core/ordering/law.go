package ordering

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/polling"
)

// MaxSummed is the largest number of items over whose orders a Law sums: its tables have 2^MaxSummed entries.
const MaxSummed = 20

// mostDirect bounds the sum of the magnitudes of the gains up to which weights are kept as such, and not as their
// logarithms: neither the smallest weight, exp(−600), nor the sum of 20! of the largest is out of range.
const mostDirect = 600

// Law is the law of the orders of a few items in which the probability of an order is proportional to exp of what it
// earns: the sum of g[u,v] over the pairs of an item u before an item v.
//
// With sums[S] what the orders of the items of S weigh together, sums[S] = Σ over v in S of sums[S∖v]·Π_{u∈S} exp
// g[u,v], v being last: the recursion of the best order with sums in the place of maxima (Held and Karp, 1962). The terms
// are the conditional probabilities of the last item given the set of the first, which marginals and samples need. Weights
// are numbers where the gains are small and logarithms where they are not. The zero value is ready for use.
type Law struct {
	m, h   int       // items; of those, how many have their products tabulated by subset
	logs   bool      // whether weights are logarithms
	gain   []float64 // m×m
	weight []float64 // exp of the gains, or the gains
	low    []float64 // low[s·m + v]: the product over u in s of weight[u,v], for the subsets s of the first h items
	sums   []float64
	reach  []float64 // the probability that the items of a set are the first
	block  []float64 // see PairsTo
	poll   polling.Poll
}

// Reset begins a law of m items, at most MaxSummed, and returns its m×m matrix of gains by rows, for the caller to fill
// with finite numbers. The diagonal is never read.
func (l *Law) Reset(m int) []float64 {
	l.m, l.h = m, min(m, lowBits)
	l.gain = grow(l.gain, m*m)
	return l.gain
}

// products are those over the items of a set, for each item that may follow them: low over its first items, high over the
// others.
type products struct {
	low  []float64
	high [MaxSummed]float64
}

// Sum returns ln Σ exp(what an order earns) over all orders. The other methods need it to be called first. An error of
// poll, which may be nil and is called every 2^8 sets, ends the work and is returned. Cost: O(m 2^m), 2^m float64s.
func (l *Law) Sum(poll func() error) (float64, error) {
	l.poll.Reset(poll)
	defer l.poll.Reset(nil)
	l.weigh()
	l.tabulateLow()
	l.sums = grow(l.sums, 1<<l.m)
	var p products
	for top := range 1 << (l.m - l.h) {
		if l.poll.Stopped() {
			return 0, l.poll.Err()
		}
		l.multiplyHigh(&p, top)
		for bottom := range 1 << l.h {
			p.low = l.low[bottom*l.m:][:l.m]
			switch s := top<<l.h | bottom; {
			case s == 0 && l.logs:
				l.sums[s] = 0
			case s == 0:
				l.sums[s] = 1
			case l.logs:
				l.sums[s] = l.sumLogs(s, &p)
			default:
				l.sums[s] = l.sumDirect(s, &p)
			}
		}
	}
	total := l.sums[len(l.sums)-1]
	if !l.logs {
		total = math.Log(total)
	}
	return total, nil
}

// weigh decides on logarithms and fills weight.
func (l *Law) weigh() {
	l.weight = grow(l.weight, l.m*l.m)
	var total float64
	for u := range l.m {
		l.gain[u*l.m+u] = 0
		for v := range u {
			total += max(math.Abs(l.gain[u*l.m+v]), math.Abs(l.gain[v*l.m+u]))
		}
	}
	l.logs = !(total <= mostDirect)
	for i, g := range l.gain {
		if !l.logs {
			g = math.Exp(g)
		}
		l.weight[i] = g
	}
}

// tabulateLow fills low.
func (l *Law) tabulateLow() {
	l.low = grow(l.low, l.m<<l.h)
	l.unitTo(l.low[:l.m])
	for s := 1; s < 1<<l.h; s++ {
		copy(l.low[s*l.m:][:l.m], l.low[(s&(s-1))*l.m:])
		l.multiplyTo(l.low[s*l.m:][:l.m], bits.TrailingZeros(uint(s)))
	}
}

// multiplyHigh fills p.high for the sets whose items from number h on are those of top.
func (l *Law) multiplyHigh(p *products, top int) {
	l.unitTo(p.high[:l.m])
	for x := uint(top); x != 0; x &= x - 1 {
		l.multiplyTo(p.high[:l.m], l.h+bits.TrailingZeros(x))
	}
}

// unitTo writes empty products.
func (l *Law) unitTo(dst []float64) {
	unit := 1.0
	if l.logs {
		unit = 0
	}
	for v := range dst {
		dst[v] = unit
	}
}

// multiplyTo multiplies products by the weights of item u before each.
func (l *Law) multiplyTo(dst []float64, u int) {
	row := l.weight[u*l.m:][:l.m]
	for v, w := range row {
		if l.logs {
			dst[v] += w
		} else {
			dst[v] *= w
		}
	}
}

// sumDirect returns sums[s] where weights are numbers. It is what the time goes into.
func (l *Law) sumDirect(s int, p *products) (sum float64) {
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		sum += l.sums[s&^(1<<v)] * (p.low[v] * p.high[v])
	}
	return sum
}

// sumLogs returns sums[s] where weights are logarithms.
func (l *Law) sumLogs(s int, p *products) float64 {
	var terms [MaxSummed]float64
	k := 0
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		terms[k] = l.sums[s&^(1<<v)] + (p.low[v] + p.high[v])
		k++
	}
	return logsum.Of(terms[:k])
}

// last writes, for each item of s, the probability that it is the last of them given that they are first, times scale.
func (l *Law) last(dst *[MaxSummed]float64, s int, p *products, scale float64) {
	if l.logs {
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			dst[v] = scale * logsum.Share(l.sums[s&^(1<<v)]+(p.low[v]+p.high[v]), l.sums[s])
		}
		return
	}
	scale /= l.sums[s]
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		dst[v] = scale * (l.sums[s&^(1<<v)] * (p.low[v] * p.high[v]))
	}
}

// PairsTo writes the probability that u is before v to p[u,v], an m×m matrix by rows, 0 on its diagonal.
//
// Item v behind exactly the items of S∖v has the probability q(S,v). Those of all S with u in S add up to that of u before
// v. Those with the same first items are collected in block, so that every q is added twice and not for each u. Cost:
// O(m 2^m), 2^m float64s.
func (l *Law) PairsTo(p []float64, poll func() error) error {
	l.poll.Reset(poll)
	defer l.poll.Reset(nil)
	m := l.m
	l.reach, l.block = grow(l.reach, 1<<m), grow(l.block, m<<l.h)
	clear(l.reach)
	clear(l.block)
	clear(p)
	l.reach[len(l.reach)-1] = 1
	var w products
	var q, behind [MaxSummed]float64
	for top := 1<<(m-l.h) - 1; top >= 0; top-- {
		if l.poll.Stopped() {
			return l.poll.Err()
		}
		l.multiplyHigh(&w, top)
		clear(behind[:])
		for bottom := 1<<l.h - 1; bottom >= 0; bottom-- {
			s := top<<l.h | bottom
			reach := l.reach[s]
			if reach == 0 || s == 0 {
				continue
			}
			w.low = l.low[bottom*m:][:m]
			l.last(&q, s, &w, reach)
			block := l.block[bottom*m:][:m]
			for x := uint(s); x != 0; x &= x - 1 {
				v := bits.TrailingZeros(x)
				l.reach[s&^(1<<v)] += q[v]
				block[v] += q[v]
				behind[v] += q[v]
			}
		}
		for x := uint(top); x != 0; x &= x - 1 {
			u := l.h + bits.TrailingZeros(x)
			for v, b := range behind[:m] {
				p[u*m+v] += b
			}
		}
	}
	for bottom := 1; bottom < 1<<l.h; bottom++ {
		for x := uint(bottom); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x)
			for v, b := range l.block[bottom*m:][:m] {
				p[u*m+v] += b
			}
		}
	}
	l.complete(p)
	return nil
}

// complete makes the probabilities of the two orders of a pair add up to 1.
func (l *Law) complete(p []float64) {
	for u := range l.m {
		p[u*l.m+u] = 0
		for v := range u {
			one, other := p[u*l.m+v], p[v*l.m+u]
			p[u*l.m+v], p[v*l.m+u] = one/(one+other), other/(one+other)
		}
	}
}

// DrawTo writes a random order to order, drawing its items from the last to the first. Several goroutines may call it at
// once. Cost: O(m²).
func (l *Law) DrawTo(order []int32, rng *rand.Rand) {
	var w products
	var q [MaxSummed]float64
	s := 1<<l.m - 1
	for place := l.m - 1; place >= 0; place-- {
		l.multiplyHigh(&w, s>>l.h)
		w.low = l.low[(s&(1<<l.h-1))*l.m:][:l.m]
		l.last(&q, s, &w, 1)
		item := logsum.DrawMember(q[:], s, rng.Float64())
		order[place] = int32(item)
		s &^= 1 << item
	}
}
