package cabi

import "math"

// Sizes of buffers are computed in floating point, where nothing overflows in silence, and up to 2^53 nothing is rounded.

// Size returns a size as views take it.
func Size(v float64) int64 {
	if v > maxBytes || v != v {
		return math.MaxInt64
	}
	return int64(max(v, math.MinInt64))
}

// Or returns a, and where that is 0, b.
func Or(a, b float64) float64 {
	if a != 0 {
		return a
	}
	return b
}

// Last returns the last of the numbers by which rows begin, and n where there are none.
func Last(first []int64, n float64) float64 {
	if len(first) == 0 {
		return n
	}
	return float64(first[len(first)-1])
}
