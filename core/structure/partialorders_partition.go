package structure

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"combpred/core/logsum"
)

var _ Partitioner = listedPartialOrders{}

// orderSums is the Gibbs distribution over the partial orders on few items, by the tree of orderLevels, in which the orders on
// k items extend those on k−1. What a new item earns follows from its code alone, of which there are 3^(k−1): the tree is
// summed over from its leaves, and probabilities are passed down. Earnings on each level are centred. Where they differ so much
// that sums may leave the range of numbers, all is in logarithms but the last level, which has most of the orders.
type orderSums struct {
	listedPartialOrders
	weight [maxListed + 1][]float64 // of the last of k items, by code: exp of what it earns
	below  [maxListed + 1][]float64 // what the extensions of each order on k items weigh together, nil for k = n: 1
	logs   [maxListed + 1]bool      // whether weight is in logarithms
	inLogs bool                     // whether below is, and with it weight of all levels but the last
	base   float64                  // the sum of what was taken off all levels
}

// widest is the range of earnings up to which they are summed up as numbers: sums are within 10^±290.
const widest = 1300

// newOrderSums sums over the tree, as far as the mask allows it, and returns ErrNone if that is nothing. Cost:
// one operation for each order.
func (p listedPartialOrders) newOrderSums(scores []float64, mask pairMask, poll func() error) (*orderSums, error) {
	mustLen("scores", len(scores), p.len())
	if err := p.prepare(poll); err != nil {
		return nil, err
	}
	t := &orderSums{listedPartialOrders: p}
	if err := t.earn(scores, mask); err != nil {
		return nil, err
	}
	for k := p.n; k >= 2; k-- {
		if err := t.sumLevel(k, poll); err != nil {
			return nil, err
		}
	}
	if math.IsInf(t.logZ(), -1) {
		return nil, ErrNone
	}
	return t, nil
}

// earn fills weight. It returns ErrNone if the mask allows a pair nothing.
func (t *orderSums) earn(scores []float64, mask pairMask) error {
	var width float64
	for k := 2; k <= t.n; k++ {
		earned := make([]float64, 1, power3(k-1))
		for item := range k - 1 {
			s := scores[t.pair(item, k-1)]
			shorter := earned
			for _, digit := range [2]float64{1, -1} {
				for _, e := range shorter {
					earned = append(earned, e+digit*s)
				}
			}
			exclude(earned, mask.at(t.pair(item, k-1)))
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, e := range earned {
			if !math.IsInf(e, -1) {
				least, most = min(least, e), max(most, e)
			}
		}
		if math.IsInf(most, -1) {
			return ErrNone
		}
		centre := least + (most-least)/2
		floats.AddConst(-centre, earned)
		t.base += centre
		width += most - least
		t.weight[k], t.logs[k] = earned, !(most-least <= widest)
	}
	t.inLogs = !(width <= widest)
	for k := 2; k <= t.n; k++ {
		if k < t.n {
			t.logs[k] = t.inLogs
		}
		if !t.logs[k] {
			logsum.ExpTo(t.weight[k], t.weight[k])
		}
	}
	return nil
}

// logZ returns the logarithm of what all orders weigh.
func (t *orderSums) logZ() float64 {
	if t.inLogs {
		return t.below[1][0] + t.base
	}
	return math.Log(t.below[1][0]) + t.base
}

// sumLevel fills below for the orders on k−1 items.
func (t *orderSums) sumLevel(k int, poll func() error) error {
	level := builtLevel(k)
	sums := make([]float64, len(level.ends))
	var terms []float64
	lo := 0
	for i, end := range level.ends {
		if i%4096 == 0 {
			if err := polled(poll); err != nil {
				return err
			}
		}
		codes := level.codes[lo:end]
		switch weight := t.weight[k]; {
		case t.logs[k]:
			terms = t.termsOf(terms[:0], k, lo, codes)
			sums[i] = logsum.Of(terms)
		case k == t.n:
			for _, code := range codes {
				sums[i] += weight[code]
			}
			if t.inLogs {
				sums[i] = math.Log(sums[i])
			}
		default:
			for j, below := range t.below[k][lo:end] {
				sums[i] += weight[codes[j]] * below
			}
		}
		lo = int(end)
	}
	t.below[k-1] = sums
	return nil
}

// termsOf appends what the orders on k items from number lo on weigh with their extensions, or its logarithms where weight holds these.
func (t *orderSums) termsOf(terms []float64, k, lo int, codes []uint16) []float64 {
	for _, code := range codes {
		terms = append(terms, t.weight[k][code])
	}
	switch {
	case k == t.n:
	case t.logs[k]:
		floats.Add(terms, t.below[k][lo:lo+len(codes)])
	default:
		floats.Mul(terms, t.below[k][lo:lo+len(codes)])
	}
	return terms
}

// LogPartition sums over the orders, one by one but without looking at each pair: 6 million additions for 7 items. Cost:
// one operation for each order, with marginals three.
func (p listedPartialOrders) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return p.logPartition(marginals, scores, nil, poll)
}

// logPartition is LogPartition over the orders that a mask allows. Where these have the same value for a pair, the marginal is
// exactly that.
func (p listedPartialOrders) logPartition(marginals, scores []float64, mask pairMask, poll func() error) (float64, error) {
	t, err := p.newOrderSums(scores, mask, poll)
	if err != nil {
		return 0, err
	}
	if marginals == nil {
		return t.logZ(), nil
	}
	mustLen("marginals", len(marginals), p.len())
	reach := []float64{1} // probabilities of the orders on k−1 items
	for k := 2; k <= p.n; k++ {
		codes := make([]float64, len(t.weight[k])) // the probability that the last of k items comes with a code
		if reach, err = t.passDown(codes, reach, k, poll); err != nil {
			return 0, err
		}
		for item := k - 2; item >= 0; item-- { // whose digit is the first one of the codes that are left
			known := len(codes) / 3
			unrelated, before, behind := codes[:known], codes[known:2*known], codes[2*known:]
			forth, back := floats.Sum(before), floats.Sum(behind)
			marginals[p.pair(item, k-1)] = (forth - back) / (forth + back + floats.Sum(unrelated))
			floats.Add(unrelated, before)
			floats.Add(unrelated, behind)
			codes = unrelated
		}
	}
	return t.logZ(), nil
}

// passDown adds up the probabilities of the orders on k items by their last item's code, given those of the orders on k−1
// items, and returns them unless these are the last.
func (t *orderSums) passDown(codes, reach []float64, k int, poll func() error) ([]float64, error) {
	level, weight := builtLevel(k), t.weight[k]
	var next, terms []float64
	if k < t.n {
		next = make([]float64, len(level.codes))
	}
	lo := 0
	for i, end := range level.ends {
		if i%4096 == 0 {
			if err := polled(poll); err != nil {
				return nil, err
			}
		}
		of, sum := level.codes[lo:end], t.below[k-1][i]
		switch {
		case reach[i] == 0:
		case t.logs[k]:
			terms = t.termsOf(terms[:0], k, lo, of)
			for j, code := range of {
				q := reach[i] * logsum.Share(terms[j], sum)
				codes[code] += q
				if k < t.n {
					next[lo+j] = q
				}
			}
		case k == t.n:
			if t.inLogs {
				sum = math.Exp(sum)
			}
			share := reach[i] / sum
			for _, code := range of {
				codes[code] += share
			}
		default:
			share := reach[i] / sum
			for j, code := range of {
				q := share * t.below[k][lo+j]
				codes[code] += q
				next[lo+j] = q * weight[code]
			}
		}
		lo = int(end)
	}
	if !t.logs[k] {
		floats.Mul(codes, weight)
	}
	return next, nil
}

func (p listedPartialOrders) partitionCost(marginals bool) float64 {
	cost := 20 * float64(listedOrders(p.n))
	if marginals {
		cost *= 3
	}
	return cost
}

// Distribution walks down the tree, item by item. Cost: the number of extensions of the orders passed, for each output.
func (p listedPartialOrders) Distribution(scores []float64, poll func() error) (Draw, error) {
	return p.distribution(scores, nil, poll)
}

// distribution is Distribution over the orders that a mask allows.
func (p listedPartialOrders) distribution(scores []float64, mask pairMask, poll func() error) (Draw, error) {
	t, err := p.newOrderSums(scores, mask, poll)
	if err != nil {
		return nil, err
	}
	var terms []float64
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), p.len())
		at := 0
		for k := 2; k <= p.n; k++ {
			level := builtLevel(k)
			lo := 0
			if at > 0 {
				lo = int(level.ends[at-1])
			}
			codes := level.codes[lo:level.ends[at]]
			terms = t.termsOf(terms[:0], k, lo, codes)
			pick := logsum.PickWeight
			if t.logs[k] {
				pick = logsum.Pick
			}
			j := pick(terms, rng)
			code := codes[j]
			for item := range k - 1 {
				dst[p.pair(item, k-1)] = [3]int32{0, 1, -1}[code%3]
				code /= 3
			}
			at = lo + j
		}
	}, nil
}
