package structure

import "slices"

// nextArrangement rearranges y into the next larger arrangement of the same values in lexicographic order, and reports
// whether there was one. Equal values are not told apart, so that it serves permutations and 0/1 vectors of fixed sum
// alike.
func nextArrangement(y []int32) bool {
	i := len(y) - 2
	for i >= 0 && y[i] >= y[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(y) - 1
	for y[j] <= y[i] {
		j--
	}
	y[i], y[j] = y[j], y[i]
	slices.Reverse(y[i+1:])
	return true
}
