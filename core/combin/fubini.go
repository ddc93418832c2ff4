package combin

import "math/big"

// Fubini returns the ordered Bell numbers F(0..n): F(m) counts the rankings of m items with ties, 1, 1, 3, 13, 75, 541.
// n must not be negative.
//
// F(m) is the sum over k of the surjections of m items onto k places, T(m,k) = k (T(m−1,k) + T(m−1,k−1)): an item joins
// one of k places that are taken already, or is alone in one of k. Cost: O(n²) products of a number of n log n bits and a
// small one.
func Fubini(n int) []*big.Int {
	if n < 0 {
		panic("combin: ordered Bell number of a negative number")
	}
	all := make([]*big.Int, n+1)
	all[0] = big.NewInt(1)
	onto := make([]big.Int, n+1)
	onto[0].SetInt64(1)
	var factor big.Int
	for m := 1; m <= n; m++ {
		all[m] = new(big.Int)
		for k := m; k >= 1; k-- {
			onto[k].Add(&onto[k], &onto[k-1])
			onto[k].Mul(&onto[k], factor.SetInt64(int64(k)))
			all[m].Add(all[m], &onto[k])
		}
		onto[0].SetInt64(0)
	}
	return all
}
