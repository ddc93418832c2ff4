package linalg_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
)

func ExampleFactorCholesky() {
	a := linalg.Matrix[float64]{Rows: 2, Cols: 2, Stride: 2, Data: []float64{4, 0, 2, 5}} // the lower triangle
	factor, err := linalg.FactorCholesky(blas.Lower, a, nil)
	if err != nil {
		panic(err)
	}
	x := linalg.Matrix[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{8, 12}}
	if err := factor.Solve(x, nil); err != nil {
		panic(err)
	}
	fmt.Printf("factor %v, solution %.2f\n", []float64{a.Data[0], a.Data[2], a.Data[3]}, x.Data)
	// Output: factor [2 1 2], solution [1.00 2.00]
}

func ExampleEigenTo() {
	a := linalg.Matrix[float64]{Rows: 2, Cols: 2, Stride: 2, Data: []float64{2, 1, 1, 2}}
	values := make([]float64, 2)
	if err := linalg.EigenTo(values, a, 1, nil); err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", values)
	// Output: [1.0000 3.0000]
}

func ExampleSparse_Canonical() {
	s := linalg.Sparse{Rows: 2, Cols: 3, Data: []float64{5, 1, 2, 4}, Indices: []int32{2, 0, 2, 1}, Indptr: []int64{0, 3, 4}}
	fmt.Println(s.Canonical())
	// Output: {2 3 [1 7 4] [0 2 1] [0 2 3]}
}
