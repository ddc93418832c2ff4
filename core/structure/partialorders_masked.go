package structure

import (
	"math"

	"combpred/core/ordering"
)

// pairMask holds the choices of the pairs u < v, numbered as in ψ: MayPrecede allows the value 1, MayLevel 0 and MayFollow −1.
// A nil mask allows everything.
type pairMask []ordering.PairChoices

func (m pairMask) at(pair int) ordering.PairChoices {
	if m == nil {
		return ordering.MayAll
	}
	return m[pair]
}

// choiceOf holds, for each digit of the code of an order, what it says of an old item and the new one.
var choiceOf = [3]ordering.PairChoices{ordering.MayLevel, ordering.MayPrecede, ordering.MayFollow}

// decodeMasked is Decode among the orders that a mask allows. Where there are none, it returns ordering.ErrNoneAllowed; from 8
// items on that is only decided where the best choices of all pairs are transitive, or a pair has none.
func (p partialOrders) decodeMasked(dst []int32, score Scores, mask pairMask) (Certificate, error) {
	value, ok := p.perPairMasked(dst, score, mask)
	if !ok {
		return Certificate{}, ordering.ErrNoneAllowed
	}
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
		return Certificate{}, ordering.ErrNoneAllowed
	}
	p.orderTo(dst, best)
	return proven(p.valueOf(dst, score)), nil
}

// perPairMasked is perPair among the values that a mask allows to each pair, and reports whether each has one.
func (p partialOrders) perPairMasked(dst []int32, score Scores, mask pairMask) (value float64, ok bool) {
	value = p.perPair(dst, score)
	if mask == nil {
		return value, true
	}
	value = 0
	for i, c := range mask {
		s, m := score.Linear[i], score.magnitude(i)
		most := math.Inf(-1)
		if c&ordering.MayLevel != 0 {
			most, dst[i] = 0, 0
		}
		if c&ordering.MayPrecede != 0 && m+s > most {
			most, dst[i] = m+s, 1
		}
		if c&ordering.MayFollow != 0 && m-s > most {
			most, dst[i] = m-s, -1
		}
		value += most
	}
	return value, !math.IsInf(value, -1)
}

// exclude makes what a code earns −Inf if the mask does not allow its last digit, given that earns holds the codes of the
// items before, then those of the digits 1 and 2.
func exclude(earns []float64, c ordering.PairChoices) {
	known := len(earns) / 3
	for digit, choice := range choiceOf {
		if c&choice == 0 {
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
