package decode_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode"
	"combpred/core/structure"
)

// The best of all rankings of three labels, for two score vectors with an entry for each pair of labels.
func ExampleBatch() {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	scores := blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{1, 1, 1, -2, 0, 1}}
	rankings, certificates := make([]int32, 2*3), make([]structure.Certificate, 2)
	if err := decode.Batch(structure.OneSpaceLinear(space, scores), decode.Exact, 0, rankings, certificates, 1, nil); err != nil {
		panic(err)
	}
	for i, c := range certificates {
		fmt.Println(rankings[3*i:3*i+3], c.Value, c.Optimal)
	}
	// Output:
	// [1 2 3] 3 true
	// [2 1 3] 3 true
}

// The best set among those that do not hold the first label.
func ExampleRestricted_Batch() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	scores := blas64.General{Rows: 1, Cols: 3, Stride: 3, Data: []float64{3, 1, -1}}
	set, met, certificates := make([]int32, 3), make([]bool, 1), make([]structure.Certificate, 1)
	within := decode.Restricted{First: []int{0, 1}, All: []decode.Condition{{Feature: 0, Value: 1, Must: false}}}
	if err := within.Batch(structure.OneSpaceLinear(space, scores), decode.Auto, set, certificates, met, 1, nil); err != nil {
		panic(err)
	}
	fmt.Println(set, certificates[0].Value, met[0])
	// Output: [0 1 0] 1 true
}
