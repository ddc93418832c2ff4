package spanning

import (
	"math"
	"math/rand/v2"
)

// wide is the positive number x·2^(960 e), or 0, with 2⁻⁴⁸⁰ ≤ x < 2⁴⁸⁰ after every operation and an integer e (the X-numbers of Fukushima,
// 2012). It has the relative precision of a float64 and practically no bounds, and its operations take a few nanoseconds, where those
// of logarithms take exp and log1p. e is a float64 because it may be as large as a score.
type wide struct{ x, e float64 }

const (
	wideUp, wideDown            = 0x1p960, 0x1p-960
	wideMost, wideLeast         = 0x1p480, 0x1p-480
	wideLnHigh                  = 0x1.4cb5ecf0a9650p+9      // 960 ln 2, rounded
	wideLnLow                   = 960*math.Ln2 - wideLnHigh // and what rounding took from it
	wideFraction        float64 = wideLnHigh/2 + 1          // bounds the logarithm of x
)

// wideZero is less than all others in its exponent, so that sums need no case for it.
func wideZero() wide { return wide{e: math.Inf(-1)} }

// wideExp returns exp(w). Beyond 2⁵² units of 960 ln 2 a float64 no longer holds the part of w that would be left for x.
func wideExp(w float64) wide {
	e := math.Round(w / wideLnHigh)
	rest := math.FMA(-e, wideLnHigh, w) - e*wideLnLow
	if !(math.Abs(rest) <= wideFraction) {
		return wide{1, e}
	}
	return wide{math.Exp(rest), e}.normal()
}

// log returns the logarithm.
func (a wide) log() float64 { return math.FMA(a.e, wideLnHigh, math.Log(a.x)+a.e*wideLnLow) }

// normal brings x back into its range, which one operation leaves by a factor of 2⁹⁶⁰ at most.
func (a wide) normal() wide {
	switch {
	case a.x >= wideMost:
		return wide{a.x * wideDown, a.e + 1}
	case a.x < wideLeast && a.x > 0:
		return wide{a.x * wideUp, a.e - 1}
	}
	return a
}

// at returns a/2^(960 e), 0 where that underflows, for e no less than the exponent of a.
func (a wide) at(e float64) float64 {
	switch e - a.e {
	case 0:
		return a.x
	case 1:
		return a.x * wideDown
	}
	return 0
}

// float returns a as a float64.
func (a wide) float() float64 {
	if a.e > 0 {
		return a.x * wideUp // overflows for e > 1, too, where that matters to nobody
	}
	return a.at(0)
}

func (a wide) add(b wide) wide {
	if a.e < b.e {
		a, b = b, a
	}
	if a.x += b.at(a.e); a.x >= wideMost { // in place of normal, so that the compiler puts the sum in line
		return wide{a.x * wideDown, a.e + 1}
	}
	return a
}

// less returns a − b for a > b of about the same size.
func (a wide) less(b wide) wide {
	a.x -= b.at(a.e)
	return a.normal()
}

func (a wide) mul(b wide) wide { return wide{a.x * b.x, a.e + b.e}.normal() }
func (a wide) div(b wide) wide { return wide{a.x / b.x, a.e - b.e}.normal() }

// pick returns i with probability x[i] / Σ x. Not all numbers may be 0. Cost: O(len(x)).
func pick(x []wide, rng *rand.Rand) int {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v.e)
	}
	var sum float64
	for _, v := range x {
		sum += v.at(top)
	}
	rest := rng.Float64() * sum
	last := -1
	for i, v := range x {
		if w := v.at(top); w > 0 {
			if rest -= w; rest < 0 {
				return i
			}
			last = i
		}
	}
	return last // the sum was rounded up
}
