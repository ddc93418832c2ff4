package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/logsum"
)

var _ Partitioner = listedPartialOrders{}

// orderSums is the Gibbs distribution over the partial orders on few items, by the tree of orderLevels, in which the orders on
// k items extend those on k−1. What a new item earns follows from its code alone, of which there are 3^(k−1): the tree is
// summed over from its leaves, and probabilities are passed down.
type orderSums struct {
	listedPartialOrders
	earned [maxListed + 1][]float64 // of the last of k items, by code
	below  [maxListed + 1][]float64 // ln of what the extensions of each order on k items earn, 0 for k = n
	direct []float64                // exp of what the last item earns less the most, where that does not underflow; or nil
	most   float64
}

// widest is the range of earnings up to which those of the last item are summed up as numbers.
const widest = 600

// newOrderSums sums over the tree, as far as the mask allows it, and returns ErrNone if that is nothing. Cost:
// one operation for each order.
func (p listedPartialOrders) newOrderSums(scores []float64, mask pairMask, poll func() error) (*orderSums, error) {
	mustLen("scores", len(scores), p.len())
	if err := p.prepare(poll); err != nil {
		return nil, err
	}
	t := &orderSums{listedPartialOrders: p}
	for k := 2; k <= p.n; k++ {
		t.earned[k] = []float64{0}
		for item := range k - 1 {
			s := scores[p.pair(item, k-1)]
			shorter := t.earned[k]
			for _, digit := range [2]float64{1, -1} {
				for _, e := range shorter {
					t.earned[k] = append(t.earned[k], e+digit*s)
				}
			}
			exclude(t.earned[k], mask.at(p.pair(item, k-1)))
		}
	}
	t.weighLast()
	for k := p.n; k >= 2; k-- {
		if err := t.sumLevel(k, poll); err != nil {
			return nil, err
		}
	}
	if math.IsInf(t.below[1][0], -1) {
		return nil, ErrNone
	}
	return t, nil
}

// weighLast fills direct.
func (t *orderSums) weighLast() {
	least := math.Inf(1)
	t.most = math.Inf(-1)
	for _, e := range t.earned[t.n] {
		if !math.IsInf(e, -1) {
			least, t.most = min(least, e), max(t.most, e)
		}
	}
	if math.IsInf(t.most, -1) || !(t.most-least <= widest) {
		return
	}
	t.direct = make([]float64, len(t.earned[t.n]))
	for code, e := range t.earned[t.n] {
		t.direct[code] = math.Exp(e - t.most)
	}
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
		if k == t.n && t.direct != nil {
			var sum float64
			for _, code := range codes {
				sum += t.direct[code]
			}
			sums[i] = math.Log(sum) + t.most
		} else {
			terms = t.termsOf(terms[:0], k, lo, codes)
			sums[i] = logsum.Of(terms)
		}
		lo = int(end)
	}
	t.below[k-1] = sums
	return nil
}

// termsOf appends the logarithms of what the orders on k items from number lo on earn from their last item on.
func (t *orderSums) termsOf(terms []float64, k, lo int, codes []uint16) []float64 {
	for j, code := range codes {
		e := t.earned[k][code]
		if k < t.n {
			e += t.below[k][lo+j]
		}
		terms = append(terms, e)
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
	logZ := t.below[1][0]
	if marginals == nil {
		return logZ, nil
	}
	mustLen("marginals", len(marginals), p.len())
	reach := []float64{1} // probabilities of the orders on k−1 items
	for k := 2; k <= p.n; k++ {
		codes := make([]float64, len(t.earned[k])) // the probability that the last of k items comes with a code
		if reach, err = t.passDown(codes, reach, k, poll); err != nil {
			return 0, err
		}
		for item := range k - 1 {
			var before, behind, unrelated float64
			power := 1
			for range item {
				power *= 3
			}
			for code, q := range codes {
				switch code / power % 3 {
				case 1:
					before += q
				case 2:
					behind += q
				default:
					unrelated += q
				}
			}
			marginals[p.pair(item, k-1)] = (before - behind) / (before + behind + unrelated)
		}
	}
	return logZ, nil
}

// passDown adds up the probabilities of the orders on k items by their last item's code, given those of the orders on k−1
// items, and returns them unless these are the last.
func (t *orderSums) passDown(codes, reach []float64, k int, poll func() error) ([]float64, error) {
	level := builtLevel(k)
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
		case k == t.n && t.direct != nil:
			scale := reach[i] / math.Exp(sum-t.most)
			for _, code := range of {
				codes[code] += scale * t.direct[code]
			}
		default:
			terms = t.termsOf(terms[:0], k, lo, of)
			for j, code := range of {
				q := reach[i] * logsum.Share(terms[j], sum)
				codes[code] += q
				if k < t.n {
					next[lo+j] = q
				}
			}
		}
		lo = int(end)
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
			j := logsum.Pick(terms, rng)
			code := codes[j]
			for item := range k - 1 {
				dst[p.pair(item, k-1)] = [3]int32{0, 1, -1}[code%3]
				code /= 3
			}
			at = lo + j
		}
	}, nil
}
