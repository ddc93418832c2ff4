package conformal_test

import (
	"fmt"
	"math"

	"combpred/core/linalg"
	"combpred/core/partition/conformal"
	"combpred/core/structure"
)

// Three labels: 0 is before 1 with probability .95, and the order of the others is less certain. Two rankings are left.
func ExampleSets() {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	parts, err := conformal.New(space)
	if err != nil {
		panic(err)
	}
	expected := linalg.Matrix[float64]{Rows: 1, Cols: 3, Stride: 3, Data: []float64{0.9, 0.9, 0.2}} // of 0 1, 0 2, 1 2
	least, inside, logSize := []float64{0}, []bool{false}, []float64{0}
	if err := conformal.Scores(parts, least, expected, []int32{1, 3, 2}, 1, nil); err != nil {
		panic(err)
	}
	sets := conformal.Sets{Parts: parts, Marginals: expected, Thresholds: []float64{0.1}}
	if err := sets.Contains(inside, []int32{2, 1, 3}, 1, nil); err != nil {
		panic(err)
	}
	if err := sets.LogSizes(logSize, 1, nil); err != nil {
		panic(err)
	}
	fmt.Printf("%.2f %v %.0f\n", least[0], inside[0], math.Exp(logSize[0]))
	// Output: 0.40 false 2
}
