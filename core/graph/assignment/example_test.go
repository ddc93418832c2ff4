package assignment_test

import (
	"fmt"

	"combpred/core/graph/assignment"
)

func Example() {
	var w assignment.Workspace
	copy(w.Reset(3), []float64{
		7, 5, 1,
		6, 1, 0,
		2, 4, 3,
	})
	column := make([]int32, 3)
	w.Solve(column)
	fmt.Println(column)
	// Output: [1 0 2]
}
