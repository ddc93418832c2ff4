package cut_test

import (
	"fmt"

	"combpred/core/graph/cut"
)

// A triangle loses its lightest edge; the edge behind it stays.
func Example() {
	edges := [][2]int32{{0, 1}, {1, 2}, {0, 2}, {2, 3}}
	chosen := make([]bool, len(edges))
	cut.New(4, edges, []float64{3, 1, 2, 5}).Solve(chosen)
	fmt.Println(chosen)
	// Output: [true false true true]
}
