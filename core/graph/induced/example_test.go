package induced_test

import (
	"fmt"

	"combpred/core/graph/induced"
)

// Vertices 0, 1 and 2 gain 2 with one another; 3 loses more with 0 than it gains with 1.
func Example() {
	var w induced.Workspace
	copy(w.Reset(4), []float64{
		0, 2, 2, -3,
		2, 0, 2, 1,
		2, 2, 0, 0,
		-3, 1, 0, 0,
	})
	chosen := make([]bool, 4)
	if err := w.Exact(chosen); err != nil {
		panic(err)
	}
	fmt.Println(chosen, w.Value(chosen))
	// Output: [true true true false] 6
}
