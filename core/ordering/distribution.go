package ordering

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"combpred/core/logsum"
	"combpred/core/parallel"
)

// MaxSummed is the largest number of items over whose orders a Distribution sums: its tables have 2^MaxSummed entries.
const MaxSummed = 20

// mostDirect bounds the sum of the magnitudes of the gains up to which weights are kept as such, and not as their
// logarithms: neither the smallest weight, exp(−600), nor the sum of 20! of the largest is out of range.
const mostDirect = 600

// Distribution is the Gibbs distribution over the orders of a few items: the probability of an order is proportional to exp
// of what it earns, the sum of g[u,v] over the pairs of an item u before an item v.
//
// With sums[S] what the orders of the items of S weigh together, sums[S] = Σ over v in S of sums[S∖v]·Π_{u∈S} exp
// g[u,v], v being last: the recursion of the best order with sums in the place of maxima (Held and Karp, 1962). The terms
// are the conditional probabilities of the last item given the set of the first, which marginals and samples need. Weights
// are numbers where the gains are small and logarithms where they are not. The zero value is ready for use.
type Distribution struct {
	m, h   int       // items; of those, how many have their products tabulated by subset
	logs   bool      // whether weights are logarithms
	gain   []float64 // m×m
	weight []float64 // exp of the gains, or the gains
	low    []float64 // low[s·m + v]: the product over u in s of weight[u,v], for the subsets s of the first h items
	sums   []float64
	reach  []float64 // the probability that the items of a set are the first
	block  []float64 // see PairsTo
	poll   parallel.Poll
}

// Reset begins a distribution on m items, at most MaxSummed, and returns its m×m matrix of gains by rows, for the caller to fill
// with finite numbers. The diagonal is never read.
func (d *Distribution) Reset(m int) []float64 {
	d.m, d.h = m, min(m, lowBits)
	d.gain = grow(d.gain, m*m)
	return d.gain
}

// products are those over the items of a set, for each item that may follow them: low over its first items, high over the
// others.
type products struct {
	low  []float64
	high [MaxSummed]float64
}

// Sum returns ln Σ exp(what an order earns) over all orders. The other methods need it to be called first. An error of
// poll, which may be nil and is called every 2^8 sets, ends the work and is returned. Cost: O(m 2^m), 2^m float64s.
func (d *Distribution) Sum(poll func() error) (float64, error) {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	d.weigh()
	d.tabulateLow()
	d.sums = grow(d.sums, 1<<d.m)
	var p products
	for top := range 1 << (d.m - d.h) {
		if d.poll.Stopped() {
			return 0, d.poll.Err()
		}
		d.multiplyHigh(&p, top)
		for bottom := range 1 << d.h {
			p.low = d.low[bottom*d.m:][:d.m]
			switch s := top<<d.h | bottom; {
			case s == 0 && d.logs:
				d.sums[s] = 0
			case s == 0:
				d.sums[s] = 1
			case d.logs:
				d.sums[s] = d.sumLogs(s, &p)
			default:
				d.sums[s] = d.sumDirect(s, &p)
			}
		}
	}
	total := d.sums[len(d.sums)-1]
	if !d.logs {
		total = math.Log(total)
	}
	return total, nil
}

// weigh decides on logarithms and fills weight.
func (d *Distribution) weigh() {
	d.weight = grow(d.weight, d.m*d.m)
	var total float64
	for u := range d.m {
		d.gain[u*d.m+u] = 0
		for v := range u {
			total += max(math.Abs(d.gain[u*d.m+v]), math.Abs(d.gain[v*d.m+u]))
		}
	}
	d.logs = !(total <= mostDirect)
	for i, g := range d.gain {
		if !d.logs {
			g = math.Exp(g)
		}
		d.weight[i] = g
	}
}

// tabulateLow fills low.
func (d *Distribution) tabulateLow() {
	d.low = grow(d.low, d.m<<d.h)
	d.unitTo(d.low[:d.m])
	for s := 1; s < 1<<d.h; s++ {
		copy(d.low[s*d.m:][:d.m], d.low[(s&(s-1))*d.m:])
		d.multiplyTo(d.low[s*d.m:][:d.m], bits.TrailingZeros(uint(s)))
	}
}

// multiplyHigh fills p.high for the sets whose items from number h on are those of top.
func (d *Distribution) multiplyHigh(p *products, top int) {
	d.unitTo(p.high[:d.m])
	for x := uint(top); x != 0; x &= x - 1 {
		d.multiplyTo(p.high[:d.m], d.h+bits.TrailingZeros(x))
	}
}

// unitTo writes empty products.
func (d *Distribution) unitTo(dst []float64) {
	unit := 1.0
	if d.logs {
		unit = 0
	}
	for v := range dst {
		dst[v] = unit
	}
}

// multiplyTo multiplies products by the weights of item u before each.
func (d *Distribution) multiplyTo(dst []float64, u int) {
	row := d.weight[u*d.m:][:d.m]
	for v, w := range row {
		if d.logs {
			dst[v] += w
		} else {
			dst[v] *= w
		}
	}
}

// sumDirect returns sums[s] where weights are numbers. It is what the time goes into.
func (d *Distribution) sumDirect(s int, p *products) (sum float64) {
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		sum += d.sums[s&^(1<<v)] * (p.low[v] * p.high[v])
	}
	return sum
}

// sumLogs returns sums[s] where weights are logarithms.
func (d *Distribution) sumLogs(s int, p *products) float64 {
	var terms [MaxSummed]float64
	k := 0
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		terms[k] = d.sums[s&^(1<<v)] + (p.low[v] + p.high[v])
		k++
	}
	return logsum.Of(terms[:k])
}

// last writes, for each item of s, the probability that it is the last of them given that they are first, times scale.
func (d *Distribution) last(dst *[MaxSummed]float64, s int, p *products, scale float64) {
	if d.logs {
		for x := uint(s); x != 0; x &= x - 1 {
			v := bits.TrailingZeros(x)
			dst[v] = scale * logsum.Share(d.sums[s&^(1<<v)]+(p.low[v]+p.high[v]), d.sums[s])
		}
		return
	}
	scale /= d.sums[s]
	for x := uint(s); x != 0; x &= x - 1 {
		v := bits.TrailingZeros(x)
		dst[v] = scale * (d.sums[s&^(1<<v)] * (p.low[v] * p.high[v]))
	}
}

// PairsTo writes the probability that u is before v to p[u,v], an m×m matrix by rows, 0 on its diagonal.
//
// Item v behind exactly the items of S∖v has the probability q(S,v). Those of all S with u in S add up to that of u before
// v. Those with the same first items are collected in block, so that every q is added twice and not for each u. Cost:
// O(m 2^m), 2^m float64s.
func (d *Distribution) PairsTo(p []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	m := d.m
	d.reach, d.block = grow(d.reach, 1<<m), grow(d.block, m<<d.h)
	clear(d.reach)
	clear(d.block)
	clear(p)
	d.reach[len(d.reach)-1] = 1
	var w products
	var q, behind [MaxSummed]float64
	for top := 1<<(m-d.h) - 1; top >= 0; top-- {
		if d.poll.Stopped() {
			return d.poll.Err()
		}
		d.multiplyHigh(&w, top)
		clear(behind[:])
		for bottom := 1<<d.h - 1; bottom >= 0; bottom-- {
			s := top<<d.h | bottom
			reach := d.reach[s]
			if reach == 0 || s == 0 {
				continue
			}
			w.low = d.low[bottom*m:][:m]
			d.last(&q, s, &w, reach)
			block := d.block[bottom*m:][:m]
			for x := uint(s); x != 0; x &= x - 1 {
				v := bits.TrailingZeros(x)
				d.reach[s&^(1<<v)] += q[v]
				block[v] += q[v]
				behind[v] += q[v]
			}
		}
		for x := uint(top); x != 0; x &= x - 1 {
			u := d.h + bits.TrailingZeros(x)
			for v, b := range behind[:m] {
				p[u*m+v] += b
			}
		}
	}
	for bottom := 1; bottom < 1<<d.h; bottom++ {
		for x := uint(bottom); x != 0; x &= x - 1 {
			u := bits.TrailingZeros(x)
			for v, b := range d.block[bottom*m:][:m] {
				p[u*m+v] += b
			}
		}
	}
	d.complete(p)
	return nil
}

// complete makes the probabilities of the two orders of a pair add up to 1.
func (d *Distribution) complete(p []float64) {
	for u := range d.m {
		p[u*d.m+u] = 0
		for v := range u {
			one, other := p[u*d.m+v], p[v*d.m+u]
			p[u*d.m+v], p[v*d.m+u] = one/(one+other), other/(one+other)
		}
	}
}

// PositionsTo writes the probability that item v has r items before it to p[v,r], an m×m matrix by rows: those of item v behind
// exactly the items of S∖v, as in PairsTo, added up over all S of r + 1 items. Cost: O(m 2^m), 2^m float64s.
func (d *Distribution) PositionsTo(p []float64, poll func() error) error {
	d.poll.Reset(poll)
	defer d.poll.Reset(nil)
	m := d.m
	d.reach = grow(d.reach, 1<<m)
	clear(d.reach)
	clear(p)
	d.reach[len(d.reach)-1] = 1
	var w products
	var q [MaxSummed]float64
	for top := 1<<(m-d.h) - 1; top >= 0; top-- {
		if d.poll.Stopped() {
			return d.poll.Err()
		}
		d.multiplyHigh(&w, top)
		for bottom := 1<<d.h - 1; bottom >= 0; bottom-- {
			s := top<<d.h | bottom
			reach := d.reach[s]
			if reach == 0 || s == 0 {
				continue
			}
			w.low = d.low[bottom*m:][:m]
			d.last(&q, s, &w, reach)
			before := bits.OnesCount(uint(s)) - 1
			for x := uint(s); x != 0; x &= x - 1 {
				v := bits.TrailingZeros(x)
				d.reach[s&^(1<<v)] += q[v]
				p[v*m+before] += q[v]
			}
		}
	}
	return nil
}

// DrawTo writes a random order to order, drawing its items from the last to the first. Several goroutines may call it at
// once. Cost: O(m²).
func (d *Distribution) DrawTo(order []int32, rng *rand.Rand) {
	var w products
	var q [MaxSummed]float64
	s := 1<<d.m - 1
	for place := d.m - 1; place >= 0; place-- {
		d.multiplyHigh(&w, s>>d.h)
		w.low = d.low[(s&(1<<d.h-1))*d.m:][:d.m]
		d.last(&q, s, &w, 1)
		item := logsum.DrawMember(q[:], s, rng.Float64())
		order[place] = int32(item)
		s &^= 1 << item
	}
}
