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
