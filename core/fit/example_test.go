package fit_test

import (
	"fmt"

	"combpred/core/fit"
	"combpred/core/linalg"
	"combpred/core/structure"
)

// Sets of two labels for three rows, from a kernel matrix of their inputs.
func ExampleRidge_Kernel() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	k := linalg.Matrix[float64]{Rows: 3, Cols: 3, Stride: 3, Data: []float64{1, 0.5, 0, 0.5, 1, 0.5, 0, 0.5, 1}}
	psi := linalg.Matrix[float64]{Rows: 3, Cols: 2, Stride: 2, Data: []float64{1, 0, 1, 1, 0, 1}}
	o := fit.Ridge{Loss: fit.AUC, Alpha: 0.1, Tol: 1e-8, Solver: fit.ClosedForm, Precision: fit.Double, Workers: 1}
	bytes, err := o.WorkBytes(space, 3, fit.Double)
	if err != nil {
		panic(err)
	}
	coef := linalg.NewMatrix[float64](3, 2)
	info, err := o.Kernel(space, k, fit.Targets{Psi: psi}, nil, make([]float64, bytes/8), coef, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("coefficients %.3f, objective %.3f\n", coef.Data, info.Objective)
	// Output: coefficients [0.339 -0.714 0.674 0.674 -0.714 0.339], objective -0.770
}
