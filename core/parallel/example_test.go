package parallel_test

import (
	"fmt"

	"combpred/core/parallel"
)

func ExampleFor() {
	squares := make([]int, 6)
	mon := &parallel.Monitor{}
	err := parallel.For(len(squares), 2, 2, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			squares[i] = i * i
		}
		return nil
	})
	fmt.Println(squares, mon.Steps(), err)
	mon.Cancel()
	fmt.Println(parallel.For(len(squares), 2, 2, mon, func(lo, hi int) error { return nil }))
	// Output:
	// [0 1 4 9 16 25] 6 <nil>
	// cancelled
}
