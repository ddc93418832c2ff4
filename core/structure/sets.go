package structure

import (
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"combpred/core/combin"
)

// sets is what spaces of subsets of n elements share, encoded as 0/1 membership: all subsets, or those of one size.
type sets struct {
	*memo
	n, size int // size < 0: any
}

func newSets(k *memo, n, size int) sets { return sets{memo: k, n: n, size: size} }

func (s sets) PartLen() int { return s.n }

// Count is 2ⁿ, or n over size.
func (s sets) Count() *big.Int {
	if s.size < 0 {
		return new(big.Int).Lsh(big.NewInt(1), uint(s.n))
	}
	return combin.Binomial(s.n, s.size)
}

// All lists the sets in lexicographic order of their membership vectors.
func (s sets) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, s.n)
		if s.size < 0 {
			for yield(y) && increment(y) {
			}
			return
		}
		for i := s.n - s.size; i < s.n; i++ {
			y[i] = 1
		}
		for yield(y) && nextArrangement(y) {
		}
	}
}

// increment adds one to the binary number whose last digit is the last of y, and reports whether it did not overflow.
func increment(y []int32) bool {
	for i, v := range slices.Backward(y) {
		if v == 0 {
			y[i] = 1
			return true
		}
		y[i] = 0
	}
	return false
}

// Sample throws n fair coins, or draws a subset of the size.
func (s sets) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), s.n)
	if s.size < 0 {
		var bits uint64
		for i := range dst {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			dst[i] = int32(bits & 1)
			bits >>= 1
		}
		return
	}
	combin.Subset(dst, s.size, rng)
}

// Propose adds or drops a random element. Sets of one size exchange a random member for a random element that is none: as
// all sets have as many pairs of these, a move and its way back have the same probability. Cost: O(n).
func (s sets) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), s.n)
	copy(dst, y)
	if s.size < 0 {
		dst[rng.IntN(s.n)] ^= 1
		return
	}
	if s.size == 0 || s.size == s.n {
		return
	}
	leaves, comes := rng.IntN(s.size), rng.IntN(s.n-s.size)
	for i, in := range y {
		if in == 1 {
			if leaves == 0 {
				dst[i] = 0
			}
			leaves--
		} else {
			if comes == 0 {
				dst[i] = 1
			}
			comes--
		}
	}
}

// moveGaps: adding or dropping one of n elements has the eigenvalues 1 − 2j/n, and an exchange, the diffusion of Bernoulli
// and Laplace, 1 − j(n+1−j)/(l(n−l)) for j up to min(l, n−l) (Diaconis and Shahshahani, 1987).
func (s sets) moveGaps() (below, above float64) {
	n, l := float64(s.n), float64(s.size)
	switch {
	case s.n == 0 || s.size == 0 || s.size == s.n:
		return 1, 1
	case s.size < 0:
		return 2 / n, 0
	}
	j := min(l, n-l)
	return n / (l * (n - l)), 2 - j*(n+1-j)/(l*(n-l))
}

func (s sets) bounds() (items, ends int) { return 0, 0 }

// keeps: the size of a mask bounds the number of members.
func (s sets) keeps(m *Mask, y []int32) bool { return m.Size.has(members(y)) }

// members returns the number of elements of a set.
func members(y []int32) (k int) {
	for _, in := range y {
		k += int(in)
	}
	return k
}
