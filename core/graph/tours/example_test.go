package tours_test

import (
	"fmt"

	"combpred/core/graph/tours"
)

// Going round 0, 2, 1 earns 6. Vertex 3 is best left out.
func Example() {
	var w tours.Workspace
	copy(w.Reset(4, false), []float64{
		0, 1, 2, -1,
		2, 0, 1, -1,
		1, 2, 0, -1,
		-1, -1, -1, 0,
	})
	tour := make([]int32, 4)
	length, err := w.Exact(tour)
	if err != nil {
		panic(err)
	}
	fmt.Println(tour[:length], w.Value(tour[:length]))
	// Output: [0 2 1] 6
}
