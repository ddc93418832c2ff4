package logsum_test

import (
	"fmt"
	"math"

	"combpred/core/logsum"
)

func Example() {
	fmt.Println(logsum.Of([]float64{-1000, -1000}) == -1000+math.Ln2, logsum.Of(nil))
	shares := make([]float64, 2)
	logsum.SoftmaxTo(shares, []float64{5000, 5000 + math.Log(3)})
	fmt.Printf("%.2f\n", shares)
	// Output:
	// true -Inf
	// [0.25 0.75]
}
