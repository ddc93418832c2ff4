package combin

import "math/big"

// Arrangements returns a(n) = Σ_k n!/(n−k)!, the number of sequences of different things out of n, the empty one
// included: 1, 2, 5, 16, 65, … (OEIS A000522). n must not be negative. It follows a(n) = n·a(n−1) + 1. Cost: n products
// of a big integer with a small one.
func Arrangements(n int) *big.Int {
	a, _ := SumArrangements(n)
	return a
}

// SumArrangements returns a(n) as Arrangements does, and a(0) + … + a(n−1). The sum is Σ_k n!/((n−k)! k), the number of
// directed cycles over subsets of n things when cycles of one and of two things count: those through the largest of m+1
// things are the sequences of other things that follow it, a(m). Cost: n products of a big integer with a small one.
func SumArrangements(n int) (last, sum *big.Int) {
	if n < 0 {
		panic("combin: arrangements of a negative number of things")
	}
	last, sum = big.NewInt(1), new(big.Int)
	one := big.NewInt(1)
	for m := 1; m <= n; m++ {
		sum.Add(sum, last)
		last.Mul(last, big.NewInt(int64(m)))
		last.Add(last, one)
	}
	return last, sum
}
