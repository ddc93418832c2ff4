package plackettluce_test

import (
	"fmt"

	"combpred/core/aggregate/plackettluce"
	"combpred/core/linalg"
)

// One set of two rankings of three items, the second of which leaves an item out and counts twice.
func Example() {
	sets := plackettluce.Sets{
		Items:   3,
		Ranks:   []int32{1, 2, 3, 2, 1, 0},
		Weights: linalg.Matrix[float64]{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 2}},
		Penalty: 1,
	}
	utilities := linalg.NewMatrix[float64](1, 3)
	if err := sets.FitTo(utilities, 0, nil); err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", utilities.Data)
	// Output:
	// [-0.035 0.503 -0.468]
}
