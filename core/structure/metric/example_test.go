package metric_test

import (
	"fmt"

	"combpred/core/structure/metric"
)

// Two routes share three of their places.
func Example() {
	truth := metric.Rows{Width: 4, Entries: []int32{0, 1, 2, 3}}
	predicted := metric.Rows{Width: 4, Entries: []int32{0, 2, 4, 3}}
	f1 := make([]float64, 1)
	if err := metric.RouteF1.ValuesTo(f1, truth, predicted, 1, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f1)
	// Output: [0.75]
}
