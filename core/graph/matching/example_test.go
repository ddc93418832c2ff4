package matching_test

import (
	"fmt"

	"combpred/core/graph/matching"
)

// Of a path of three edges the outer ones weigh more than the one between them, which is the heaviest.
func Example() {
	edges := []matching.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}
	chosen := make([]bool, len(edges))
	bound, err := matching.Largest(chosen, 4, edges, []float64{4, 5, 2}, nil)
	fmt.Printf("%v %.6g %v\n", chosen, bound, err)
	// Output: [true false true] 6 <nil>
}
