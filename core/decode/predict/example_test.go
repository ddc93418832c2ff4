package predict_test

import (
	"fmt"

	"combpred/core/decode/predict"
	"combpred/core/kernel"
	"combpred/core/linalg"
	"combpred/core/structure"
)

func ExampleModel_PredictTo() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	// The first label belongs to positive inputs, the second one to those below 1.
	model := predict.Model{
		Space:     space,
		Coef:      linalg.Matrix[float64]{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, -1}},
		Intercept: []float64{0, 1},
	}
	x := kernel.Rows{Dense: linalg.Matrix[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{-1, 0.5, 3}}}
	labels, certificates := make([]int32, 3*2), make([]structure.Certificate, 3)
	if err := model.PredictTo(labels, certificates, linalg.Matrix[float64]{}, x, predict.Options{}); err != nil {
		panic(err)
	}
	for i, c := range certificates {
		fmt.Println(labels[2*i:2*i+2], c.Value, c.Optimal)
	}
	// Output:
	// [0 1] 2 true
	// [1 1] 1 true
	// [1 0] 3 true
}
