package kernel

import "math"

// exponentials of numbers from −700 to 0 are 2^(t/128) for t = 128·v/ln 2, split into a whole number k and a rest: a table holds
// 2^(i/128), the exponent takes the multiples of 128, and a Taylor polynomial of degree 5 the rest (Tang 1989, Table-driven
// implementation of the exponential function in IEEE floating-point arithmetic, ACM TOMS 15). The result is within 2 units in the
// last place. Go's math.Exp is within 1, but takes 2.5 times as long (see BenchmarkExponentials), which would be most of the time of
// a matrix of exponentials.

const (
	tableBits = 7
	tableSize = 1 << tableBits
	// roundingShift brings a number's whole part to the end of its mantissa.
	roundingShift = 3 << 51
	ln2High       = 6.93147180369123816490e-01 // its last bits are zero, so that multiples are exact
	ln2Low        = 1.90821492927058770002e-10
	// leastExp bounds arguments: beyond it, results have fewer digits.
	leastExp = -700
)

var powersOfTwo = func() (table [tableSize]float64) {
	for i := range table {
		table[i] = math.Exp2(float64(i) / tableSize)
	}
	return table
}()

// exp returns e^v for v ≤ 0.
func exp(v float64) float64 {
	if !(v > leastExp) { // NaN, too
		return math.Exp(v)
	}
	shifted := v*(tableSize/math.Ln2) + roundingShift
	k := math.Float64bits(shifted)
	whole := shifted - roundingShift
	r := v - whole*(ln2High/tableSize) - whole*(ln2Low/tableSize)
	p := r + r*r*(0.5+r*(1.0/6+r*(1.0/24+r*(1.0/120))))
	s := powersOfTwo[k&(tableSize-1)]
	return math.Float64frombits(math.Float64bits(s+s*p) + k>>tableBits<<52)
}
