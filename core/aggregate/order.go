package aggregate

import (
	"slices"

	"combpred/core/linalg"
)

// CostOf returns the weight of the pairs that an order, items from first to last, has the other way round. Cost: O(k²).
func CostOf(before linalg.Matrix[float64], order []int32) float64 {
	var cost float64
	for i, u := range order {
		for _, v := range order[i+1:] {
			cost += before.Row(int(v))[u]
		}
	}
	return cost
}

// PositionsTo writes the positions 1..k of the items of an order.
func PositionsTo(dst, order []int32) {
	for place, u := range order {
		dst[u] = int32(place + 1)
	}
}

// submatrix returns the entries of some rows and the columns of the same numbers.
func submatrix(m matrix, items []int32) matrix {
	part := linalg.NewMatrix[float64](len(items), len(items))
	for i, u := range items {
		row, from := part.Row(i), m.Row(int(u))
		for j, v := range items {
			row[j] = from[v]
		}
	}
	return part
}

// pairwiseBound returns the sum of the smaller weights of all pairs, which every order costs at least.
func pairwiseBound(before matrix) float64 {
	var sum float64
	for u := range before.Rows {
		for v := u + 1; v < before.Rows; v++ {
			sum += min(before.Row(u)[v], before.Row(v)[u])
		}
	}
	return sum
}

// sharedCost returns the mean cost 2ab/(a + b) of a pair in a random ranking that orders it, where a and b are the weights of
// the two orders.
func sharedCost(a, b float64) float64 {
	switch sum := a + b; {
	case sum == 0:
		return 0
	case sum > 1e150 || sum < 1e-150: // where the product leaves the range of numbers
		return 2 * max(a, b) * (min(a, b) / sum)
	default:
		return 2 * a * b / sum
	}
}

// ascending returns 0, 1, …, n−1.
func ascending(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// argsort returns the indices of the values in ascending order of these, equal ones in ascending order themselves.
func argsort(n int, compare func(u, v int32) int) []int32 {
	order := ascending(n)
	slices.SortStableFunc(order, compare)
	return order
}
