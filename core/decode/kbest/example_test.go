package kbest_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode/kbest"
	"combpred/core/structure"
)

// The three best of the eight sets of three labels.
func ExampleBatch() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	scores := blas64.General{Rows: 1, Cols: 3, Stride: 3, Data: []float64{2, -0.5, 1}}
	sets, values := make([]int32, 3*3), make([]float64, 3)
	found, err := kbest.Batch(structure.OneSpaceLinear(space, scores), kbest.Options{Nu: 1}, 3, sets, values, 1, nil)
	if err != nil {
		panic(err)
	}
	for i := range found.Counts[0] {
		fmt.Println(sets[3*i:3*i+3], values[i])
	}
	// Output:
	// [1 0 1] 3
	// [1 1 1] 2.5
	// [1 0 0] 2
}
