package custom_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas"

	"combpred/core/custom"
	"combpred/core/linalg"
)

// Three outputs, of which the second is as like the first as it is the third: their embeddings have the given inner products.
func ExampleFromKernel() {
	gram := linalg.Matrix[float64]{Rows: 3, Cols: 3, Stride: 3, Data: []float64{2, 1, 0, 1, 1, 1, 0, 1, 2}}
	psi, err := custom.FromKernel(gram, nil)
	if err != nil {
		panic(err)
	}
	back := linalg.NewMatrix[float64](3, 3)
	linalg.Gemm(blas.NoTrans, blas.Trans, 1, psi, psi, 0, back)
	fmt.Printf("%d columns; %.3f\n", psi.Cols, back.Data)
	// Output: 2 columns; [2.000 1.000 0.000 1.000 1.000 1.000 0.000 1.000 2.000]
}
