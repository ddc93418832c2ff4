package combin

import "math/big"

// Binomial returns n over k, which is 0 for k < 0 or k > n. n must not be negative.
//
// The exponent of a prime p in it is Σ_i ⌊n/pⁱ⌋ − ⌊k/pⁱ⌋ − ⌊(n−k)/pⁱ⌋ (Legendre's formula), and the prime powers are
// multiplied in a balanced tree: for large n far faster than the n−k+1 … n quotient one factor at a time. Cost: a sieve
// of n plus the tree.
func Binomial(n, k int) *big.Int {
	if n < 0 {
		panic("combin: binomial coefficient of a negative number")
	}
	if k < 0 || k > n {
		return new(big.Int)
	}
	k = min(k, n-k)
	if k < 64 {
		return new(big.Int).Binomial(int64(n), int64(k))
	}
	var factors []uint64
	composite := make([]bool, n+1)
	for p := 2; p <= n; p++ {
		if composite[p] {
			continue
		}
		for m := p * p; m <= n; m += p {
			composite[m] = true
		}
		for q := p; q <= n; q *= p {
			if n/q-k/q-(n-k)/q == 1 {
				factors = append(factors, uint64(p))
			}
		}
	}
	return product(factors)
}

// product multiplies numbers in a balanced tree, so that large factors meet factors of like size.
func product(x []uint64) *big.Int {
	if len(x) <= 8 {
		z := big.NewInt(1)
		for _, v := range x {
			z.Mul(z, new(big.Int).SetUint64(v))
		}
		return z
	}
	half := len(x) / 2
	z := product(x[:half])
	return z.Mul(z, product(x[half:]))
}
