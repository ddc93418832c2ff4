package weak_test

import (
	"fmt"

	"combpred/core/ordering/weak"
)

func Example() {
	var w weak.Workspace
	gain := []float64{ // what the item of the row earns before that of the column, beyond a tie
		0, -2, 2,
		-1, 0, 3,
		-2, -3, 0,
	}
	rank := make([]int32, 3)
	copy(w.Reset(3), gain)
	fmt.Println(w.Exact(rank), rank)

	copy(w.Reset(3), gain)
	w.Restrict()[1] = weak.MayPrecede | weak.MayFollow // items 0 and 1 must not be tied
	fmt.Println(w.Exact(rank), rank)

	var d weak.Distribution
	d.Reset(3)
	fmt.Println(d.Count(nil))
	// Output:
	// <nil> [1 1 2]
	// <nil> [2 1 3]
	// 13 <nil>
}
