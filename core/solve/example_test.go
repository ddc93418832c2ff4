package solve_test

import (
	"fmt"

	"combpred/core/solve"
	"combpred/core/structure"
)

// The covariance of uniform rankings of four labels has two eigenvalues, and is diagonal in these coordinates.
func ExampleNewCoordinates() {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 4}})
	if err != nil {
		panic(err)
	}
	coord, err := solve.NewCoordinates(space)
	if err != nil {
		panic(err)
	}
	for _, g := range coord.Groups() {
		fmt.Printf("%.4f: %d coordinates\n", g.Sigma, g.Hi-g.Lo)
	}
	// Output:
	// 1.6667: 3 coordinates
	// 0.3333: 3 coordinates
}
