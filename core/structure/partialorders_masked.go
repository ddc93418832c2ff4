package structure

import (
	"math"
	"math/big"

	"combpred/core/fault"
	"combpred/core/ordering"
)

// pairMask holds the values that the pairs u < v may take, numbered as in ψ. A nil mask allows everything.
type pairMask []Values

func (m pairMask) at(pair int) Values {
	if m == nil {
		return AnyValue
	}
	return m[pair]
}

// allows reports whether a relation of all pairs is allowed.
func (m pairMask) allows(y []int32) bool {
	for i, v := range y {
		if !m.at(i).Has(int8(v)) {
			return false
		}
	}
	return true
}

// choiceOf holds, for each digit of the code of an order, what it says of an old item and the new one.
var choiceOf = [3]Values{Zero, Plus, Minus}

// maskedPartialOrders computes on the partial orders that a mask allows: on the list of all orders where there is one, and otherwise
// pair by pair, or by local search.
type maskedPartialOrders struct {
	all   partialOrders
	least *ordering.Partial // the relations that the mask requires, and what follows from them
	mask  pairMask          // with what follows
}

var (
	_ maskable = partialOrders{}
	_ engine   = (*maskedPartialOrders)(nil)
	_ Searcher = (*maskedPartialOrders)(nil)
)

// under costs O(n²) and what it takes to close the relations that are required.
func (p partialOrders) under(m *Mask) (engine, error) {
	least, err := orderedPairs{p.pairs, m.Entries, AnyValue, "item", p.names}.order()
	if err != nil {
		return nil, err
	}
	e := &maskedPartialOrders{p, least, make(pairMask, p.len())}
	pair := 0
	for u, v := range itemPairs(p.n) {
		e.mask[pair] = m.Entries[pair]
		switch {
		case least.Before(u, v):
			e.mask[pair] &= Plus
		case least.Before(v, u):
			e.mask[pair] &= Minus
		}
		if e.mask[pair] == 0 {
			return nil, contradiction{fault.Value("the relation of items %s and %s that follows from the conditions is ruled out by "+
				"another one; leave one of them out", p.names.of(u), p.names.of(v))}
		}
		pair++
	}
	return e, nil
}

// listed returns the list of all orders, and whether there is one.
func (e *maskedPartialOrders) listed() (listedPartialOrders, bool) {
	return listedPartialOrders{countedPartialOrders{e.all}}, e.all.n <= maxListed
}

func (e *maskedPartialOrders) facts() Facts {
	l, ok := e.listed()
	if !ok {
		return Facts{Sums: Sums{Plain: math.Inf(1), Marginals: math.Inf(1)}}
	}
	f := l.Facts()
	return Facts{Prepare: f.Prepare, Sums: f.Sums}
}

func (e *maskedPartialOrders) count() *big.Int {
	l, ok := e.listed()
	if !ok {
		return nil
	}
	count, _ := l.countMasked(e.mask, nil) // only a poll makes it fail
	return big.NewInt(int64(count))
}

// Decode is that of all orders. From 8 items on it finds out that there is no order only if the relations that are required contradict
// each other or a pair.
func (e *maskedPartialOrders) Decode(dst []int32, score Scores) (Certificate, error) {
	return e.all.decodeMasked(dst, score, e.mask)
}

// Start is Search.
func (e *maskedPartialOrders) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return e.Search(dst, score, poll)
}

// Search takes the best allowed values of all pairs where they are transitive, and otherwise searches all orders with penalties. Where
// that ends at one that is not allowed, it falls back on the required relations alone. Nu is 1 unless the order is optimal.
func (e *maskedPartialOrders) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	bound := e.all.perPairWithin(dst, score, e.mask)
	if e.all.transitive(dst) {
		return proven(bound), polled(poll)
	}
	if _, err := e.all.Search(dst, e.mask.penalised(score), poll); err != nil {
		return Certificate{}, err
	}
	if !e.mask.allows(dst) {
		e.all.writeTo(dst, e.least)
		if !e.mask.allows(dst) {
			return Certificate{}, ErrUnmet
		}
	}
	value := e.all.valueOf(dst, score)
	return Certificate{Value: value, UpperBound: max(bound, value), Nu: 1}, nil
}

func (e *maskedPartialOrders) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	l, ok := e.listed()
	if !ok {
		return 0, e.unlisted()
	}
	return l.logPartition(marginals, scores, e.mask, poll)
}

func (e *maskedPartialOrders) Distribution(scores []float64, poll func() error) (Draw, error) {
	l, ok := e.listed()
	if !ok {
		return nil, e.unlisted()
	}
	return l.distribution(scores, e.mask, poll)
}

func (e *maskedPartialOrders) unlisted() error {
	return &LimitError{
		What:         "the exact sum over all partial orders",
		Size:         e.all.n,
		Unit:         "items",
		Limit:        maxListed,
		Alternatives: "take fewer items",
	}
}

// decodeMasked is Decode among the orders that a mask allows. Where there are none, it returns ErrNone; from 8 items on that is not
// decided.
func (p partialOrders) decodeMasked(dst []int32, score Scores, mask pairMask) (Certificate, error) {
	value := p.perPairWithin(dst, score, mask)
	if p.transitive(dst) {
		return proven(value), nil
	}
	if p.n > maxListed {
		return Certificate{}, &LimitError{
			What:         "exact decoding of partial orders, where the best choices of all pairs are not transitive,",
			OfRow:        true,
			Size:         p.n,
			Limit:        maxListed,
			Alternatives: "take decoder='auto' to decode by search instead, which reports how much of the best score it guarantees",
		}
	}
	best, ok := p.bestListed(score, mask)
	if !ok {
		return Certificate{}, ErrNone
	}
	p.orderTo(dst, best)
	return proven(p.valueOf(dst, score)), nil
}

// exclude makes what a code earns −Inf if the mask does not allow its last digit, given that earns holds the codes of the
// items before, then those of the digits 1 and 2.
func exclude(earns []float64, v Values) {
	known := len(earns) / 3
	for digit, choice := range choiceOf {
		if v&choice == 0 {
			fill(earns[digit*known:][:known], math.Inf(-1))
		}
	}
}

// countMasked returns the number of orders that a mask allows. Cost: one operation for each order.
func (p listedPartialOrders) countMasked(mask pairMask, poll func() error) (count int, err error) {
	if err := p.prepare(poll); err != nil {
		return 0, err
	}
	alive := []bool{true} // whether the mask allows the orders on k−1 items
	for k := 2; k <= p.n; k++ {
		level := builtLevel(k)
		allowed := make([]float64, power3(k-1)) // 0 for the codes it allows
		for item, known := 0, 1; item < k-1; item, known = item+1, 3*known {
			copy(allowed[known:], allowed[:known])
			copy(allowed[2*known:], allowed[:known])
			exclude(allowed[:3*known], mask.at(p.pair(item, k-1)))
		}
		next := make([]bool, len(level.codes))
		count = 0
		lo := 0
		for i, end := range level.ends {
			for at := lo; at < int(end) && alive[i]; at++ {
				if allowed[level.codes[at]] == 0 {
					next[at] = true
					count++
				}
			}
			lo = int(end)
		}
		alive = next
		if err := polled(poll); err != nil {
			return 0, err
		}
	}
	return count, nil
}
