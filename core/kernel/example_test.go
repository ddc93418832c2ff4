package kernel_test

import (
	"fmt"

	"combpred/core/kernel"
	"combpred/core/linalg"
)

func ExampleMatrix_ValuesTo() {
	train := kernel.Rows{Dense: linalg.Matrix[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{0, 1}}}
	k, err := kernel.New(kernel.Function{Kind: kernel.RBF, Gamma: 0.5}, train)
	if err != nil {
		panic(err)
	}
	values := linalg.NewMatrix[float64](1, 2)
	row := kernel.Rows{Dense: linalg.Matrix[float64]{Rows: 1, Cols: 1, Stride: 1, Data: []float64{2}}}
	if err := k.ValuesTo(values, row, kernel.Options{}); err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", values.Data)
	// Output: [0.1353 0.6065]
}

func ExampleOrdersTo() {
	// 0 before 1 before 2, the reverse, and 0 and 1 tied before 2.
	orders := &kernel.Orders{N: 3, Items: 3, Positions: []float64{1, 2, 3, 3, 2, 1, 1, 1, 2}}
	values := linalg.NewMatrix[float64](3, 3)
	if err := kernel.OrdersTo(values, kernel.OrderFunction{Kind: kernel.SignedEdges}, orders, nil, 1, nil); err != nil {
		panic(err)
	}
	fmt.Println(values.Data)
	// Output: [3 -3 2 -3 3 -2 2 -2 2]
}
