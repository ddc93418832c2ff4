package structure

import (
	"math"

	"combpred/core/ordering"
)

// Decode takes the best value of every pair where that gives a partial order, and otherwise, for up to 7 items, compares
// all of them. Beyond that it returns a *LimitError. Cost: O(n³/64), and one addition for each order, 6 million for 7 items.
func (p partialOrders) Decode(dst []int32, score Scores) (Certificate, error) {
	return p.decodeMasked(dst, score, nil)
}

// transitive reports whether a relation is transitive. Cost: O(n³/64).
func (p partialOrders) transitive(y []int32) bool {
	_, _, _, gap := p.after(y).Gap()
	return !gap
}

// bestListed returns the number of the first order of largest score among those that a mask allows, if there is one. Values go
// down the tree, each from that of the order it extends and a table of what extensions earn.
func (p partialOrders) bestListed(score Scores, mask pairMask) (best int, ok bool) {
	buf := p.values.get(2*listedOrders(p.n-1) + power3(p.n-1))
	defer p.values.put(buf)
	half := listedOrders(p.n - 1)
	values, next, earns := (*buf)[:half], (*buf)[half:2*half], (*buf)[2*half:]
	values[0] = 0
	for k := 2; k < p.n; k++ {
		level := builtLevel(k)
		p.tabulate(earns[:power3(k-1)], k-1, score, mask)
		at := 0
		for i, end := range level.ends {
			for ; at < int(end); at++ {
				next[at] = values[i] + earns[level.codes[at]]
			}
		}
		values, next = next, values
	}
	level := builtLevel(p.n)
	p.tabulate(earns, p.n-1, score, mask)
	most := math.Inf(-1)
	at := 0
	for i, end := range level.ends {
		v := values[i]
		for _, code := range level.codes[at:end] {
			if e := v + earns[code]; e > most {
				most, best = e, at
			}
			at++
		}
	}
	return best, !math.IsInf(most, -1)
}

// tabulate fills earns[code] with what the relations of item k to those before it earn, −Inf if the mask does not allow them.
func (p partialOrders) tabulate(earns []float64, k int, score Scores, mask pairMask) {
	earns[0] = 0
	for i, known := 0, 1; i < k; i, known = i+1, 3*known {
		s, m := score.Linear[p.pair(i, k)], score.magnitude(p.pair(i, k))
		for code, e := range earns[:known] {
			earns[known+code] = e + m + s
			earns[2*known+code] = e + m - s
		}
		exclude(earns[:3*known], mask.at(p.pair(i, k)))
	}
}

func power3(k int) int {
	p := 1
	for range k {
		p *= 3
	}
	return p
}

// Start takes the better of the order without relations and a good total order. Reversing an order negates its linear score
// and leaves the rest, so that no ratio holds for all scores as it does for rankings; Nu is what mirrorNu proves for these.
// It is at most 1/2 where the magnitudes have one sign, or are absent: the total order is the better of one and its reverse.
// Where the best choices of all pairs are transitive they are the optimum. Cost: O(n²), and O(n³/64) for that check.
func (p partialOrders) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return p.improve(dst, score, poll, func(w *ordering.PartialWorkspace, _ float64) (*ordering.Partial, error) {
		order, _ := w.Start()
		return order, nil
	})
}

// Search improves the order without relations and a good total order by adding, removing and reversing relations. Nu is
// as for Start.
func (p partialOrders) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return p.improve(dst, score, poll, func(w *ordering.PartialWorkspace, bound float64) (*ordering.Partial, error) {
		order, _, err := w.Search(bound, poll)
		return order, err
	})
}

// improve takes the best choices of all pairs where they are transitive, and otherwise the order that find makes of the
// gains, given a bound on what any order earns.
func (p partialOrders) improve(dst []int32, score Scores, poll func() error,
	find func(w *ordering.PartialWorkspace, bound float64) (*ordering.Partial, error)) (Certificate, error) {
	bound := p.perPair(dst, score)
	if p.transitive(dst) {
		return proven(bound), polled(poll)
	}
	w := p.pool.get()
	defer p.pool.put(w)
	gain := w.Reset(p.n)
	pair := 0
	var level float64
	for u := range p.n {
		gain[u*p.n+u] = 0
		for v := u + 1; v < p.n; v++ {
			s, m := score.Linear[pair], score.magnitude(pair)
			gain[u*p.n+v] = m + s
			gain[v*p.n+u] = m - s
			level += max(m, 0)
			pair++
		}
	}
	order, err := find(w, bound)
	if err == nil {
		err = polled(poll)
	}
	if err != nil {
		return Certificate{}, err
	}
	p.writeTo(dst, order)
	value := p.valueOf(dst, score)
	var unsigned float64
	for i, v := range dst {
		if v != 0 {
			unsigned += score.magnitude(i)
		}
	}
	bound = max(bound, value)
	nu := mirrorNu(value, bound, min(0, 2*unsigned-value), level)
	return Certificate{Value: value, UpperBound: bound, Nu: nu}, nil
}

// writeTo writes the relation of an order to y.
func (p partialOrders) writeTo(y []int32, order *ordering.Partial) {
	pair := 0
	for u := range p.n {
		for v := u + 1; v < p.n; v++ {
			switch {
			case order.Before(u, v):
				y[pair] = 1
			case order.Before(v, u):
				y[pair] = -1
			default:
				y[pair] = 0
			}
			pair++
		}
	}
}
