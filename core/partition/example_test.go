package partition_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/partition"
	"combpred/core/structure"
)

// Two labels, each in a set with odds of its own: Z is (1+2)(1+3).
func ExampleBatch() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	scores := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{math.Log(2), math.Log(3)}}
	logZ, marginals := make([]float64, 1), blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float64, 2)}
	if err := partition.Batch(structure.OneSpaceLinear(space, scores), logZ, marginals.Data, 1, nil); err != nil {
		panic(err)
	}
	fmt.Printf("Z = %.2f, marginals %.4f\n", math.Exp(logZ[0]), marginals.Data)
	// Output: Z = 12.00, marginals [0.6667 0.7500]
}
