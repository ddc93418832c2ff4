package ordering_test

import (
	"fmt"

	"combpred/core/ordering"
)

// 0 gains 3 by coming before 1, and 1 gains 2 before 2; 2 gains only 1 before 0.
func Example() {
	var w ordering.Workspace
	copy(w.Reset(3), []float64{
		0, 3, -1,
		-3, 0, 2,
		1, -2, 0,
	})
	order := make([]int32, 3)
	if err := w.Exact(order); err != nil {
		panic(err)
	}
	fmt.Println(order, w.Value(order))
	// Output: [0 1 2] 4
}
