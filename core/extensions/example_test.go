package extensions_test

import (
	"fmt"

	"combpred/core/extensions"
)

// The orders of four elements in which 0 comes before 1 and 2, and both before 3.
func Example() {
	poset, err := extensions.New(4, [][2]int32{{0, 1}, {0, 2}, {1, 3}, {2, 3}})
	if err != nil {
		panic(err)
	}
	count, err := extensions.Count(poset, extensions.MostCounted, 1, nil)
	if err != nil {
		panic(err)
	}
	const draws = 1000
	orders := make([]int32, draws*4)
	if err := extensions.Batch(poset, extensions.Auto, 1, orders, nil, 1, nil); err != nil {
		panic(err)
	}
	drawn := map[[4]int32]bool{}
	for j := range draws {
		drawn[[4]int32(orders[4*j:])] = true
	}
	fmt.Println(count, "orders;", drawn)
	// Output: 2 orders; map[[0 1 2 3]:true [0 2 1 3]:true]
}

// Orders in which 0 comes before 1 and 1 before 2, and those among them with 2 before 0, of which there are none.
func ExampleCommon() {
	x, y := []int32{1, 0, 1}, []int32{0, -1, 0}
	logs := make([]float64, 1)
	if err := extensions.Common(logs, x, y, 3, extensions.MostCounted, nil, 1, nil); err != nil {
		panic(err)
	}
	fmt.Println(logs)
	// Output: [-Inf]
}
