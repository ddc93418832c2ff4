package structure

import (
	"iter"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"combpred/core/combin"
)

// The number of rankings of n labels with ties is F(n) = Σ_K Kⁿ/2^(K+1) over K = 1, 2, … (Gross, 1962). So a uniform one
// comes from drawing K with the probability Kⁿ/(2^(K+1) F(n)), one of K levels for each label, and leaving out the levels
// without a label: a ranking with p places comes from C(K,p) of the Kⁿ choices, and Σ_K C(K,p)/2^(K+1) = 1 for each p.
// That K has a mean of about n/ln 2.

// levelTable tabulates the distribution of K. Its denominators are 2^(K+1) F(n).
func (w *weakOrders) levelTable() *combin.Table {
	var cumulative iter.Seq2[*big.Int, *big.Int] = func(yield func(numerator, denominator *big.Int) bool) {
		sum, denominator := new(big.Int), new(big.Int).Lsh(w.fubini[w.n], 1)
		var power, labels big.Int
		labels.SetInt64(int64(w.n))
		for k := int64(1); ; k++ {
			power.Exp(power.SetInt64(k), &labels, nil)
			sum.Add(sum.Lsh(sum, 1), &power)
			denominator.Lsh(denominator, 1)
			if !yield(sum, denominator) {
				return
			}
		}
	}
	return combin.NewTable(cumulative)
}

// Sample draws the number of levels, a level for each label, and numbers the levels that are taken. Cost: O(n).
func (w *weakOrders) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), w.n)
	levels := 1 + w.levels().Draw(rng)
	combin.Below(dst, levels, rng)
	if levels <= 64 {
		var taken uint64
		for _, level := range dst {
			taken |= 1 << level
		}
		for label, level := range dst {
			dst[label] = int32(bits.OnesCount64(taken << (63 - level)))
		}
		return
	}
	var few [64]uint64
	taken := few[:]
	if levels > 64*len(few) {
		taken = make([]uint64, (levels+63)/64)
	}
	for _, level := range dst {
		taken[level/64] |= 1 << (level % 64)
	}
	var before [64]int32 // levels taken in the words before each
	ranks := before[:]
	if len(taken) > len(before) {
		ranks = make([]int32, len(taken))
	}
	for i := 1; i < len(taken); i++ {
		ranks[i] = ranks[i-1] + int32(bits.OnesCount64(taken[i-1]))
	}
	for label, level := range dst {
		dst[label] = ranks[level/64] + int32(bits.OnesCount64(taken[level/64]<<(63-level%64)))
	}
}
