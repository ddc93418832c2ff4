package slicex_test

import (
	"fmt"

	"combpred/core/slicex"
)

func ExampleGrow() {
	buffer := make([]float64, 0, 8)
	fmt.Println(len(slicex.Grow(buffer, 5)), len(slicex.Grow(buffer, 20)))
	// Output: 5 20
}

func ExampleInOrder() {
	for name, size := range slicex.InOrder(map[string]int{"b": 2, "c": 3, "a": 1}) {
		if size == 3 {
			break
		}
		fmt.Println(name, size)
	}
	// Output:
	// a 1
	// b 2
}
