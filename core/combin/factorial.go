package combin

import (
	"math"
	"math/big"
)

// Factorial returns n!. n must not be negative. Cost: a product tree, O(M(n log n) log n) for multiplications of cost
// M.
func Factorial(n int) *big.Int {
	if n < 0 {
		panic("combin: factorial of a negative number")
	}
	return new(big.Int).MulRange(1, int64(n))
}

// LogInt returns ln x for x > 0 of any size, to about one unit in the last place of the result.
func LogInt(x *big.Int) float64 {
	if x.Sign() <= 0 {
		panic("combin: logarithm of a number that is not positive")
	}
	if x.BitLen() <= 1000 {
		f, _ := new(big.Float).SetInt(x).Float64()
		return math.Log(f)
	}
	f := new(big.Float).SetInt(x)
	exponent := f.MantExp(f)
	mantissa, _ := f.Float64()
	return math.Log(mantissa) + float64(exponent)*math.Ln2
}

// Ratio returns x/y correctly rounded, also where x and y themselves overflow a float64. y must not be zero.
func Ratio(x, y *big.Int) float64 {
	if y.Sign() == 0 {
		panic("combin: ratio with denominator zero")
	}
	if x.Sign() == 0 {
		return 0
	}
	q := new(big.Float).SetPrec(53)
	q.Quo(new(big.Float).SetInt(x), new(big.Float).SetInt(y))
	r, _ := q.Float64()
	return r
}
