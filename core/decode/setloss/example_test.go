package setloss_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode/setloss"
	"combpred/core/structure"
)

// Three labels that are a little less likely in a set than not: the likeliest set is empty, the one of largest expected F1 has all of them.
func ExampleBatch() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	scores := blas64.General{Rows: 1, Cols: 3, Stride: 3, Data: []float64{-0.2, -0.2, -0.2}}
	set, expected := make([]int32, 3), make([]float64, 1)
	if err := setloss.Batch(structure.OneSpaceLinear(space, scores), setloss.F1, nil, set, expected, 1, nil); err != nil {
		panic(err)
	}
	fmt.Printf("%v %.3f\n", set, expected[0])
	// Output:
	// [1 1 1] 0.563
}
