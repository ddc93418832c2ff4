package maxmargin_test

import (
	"fmt"

	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/solve"
	"combpred/core/structure"
)

// Labels follow the sign of the input: a support vector machine learns the two sets of labels from four rows.
func Example() {
	labels, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	x := linalg.Matrix[float64]{Rows: 4, Cols: 1, Stride: 1, Data: []float64{-2, -1, 1, 2}}
	psi := linalg.Matrix[float64]{Rows: 4, Cols: 2, Stride: 2, Data: []float64{1, 0, 1, 0, 0, 1, 0, 1}}
	// The Hamming loss of sets is |y| + Σ_j (1 − 2y_j) z_j.
	loss := maxmargin.Loss{Constant: []float64{1, 1, 1, 1}, Gradient: linalg.NewMatrix[float64](4, 2)}
	for i, y := range psi.Data {
		loss.Gradient.Data[i] = 1 - 2*y
	}
	problem := &maxmargin.Problem{Space: labels, X: &solve.Design{Rows: linalg.Rows{Dense: x}}, Psi: psi, Loss: loss,
		Weights: []float64{10, 10, 10, 10}}
	found, _, err := maxmargin.TrainSVM(problem, maxmargin.SVMOptions{Tol: 1e-6, MaxIter: 100}, problem.Decoder(1), nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("weights %.3f, objective %.3f, converged: %v, proven: %v\n", found.Weights.Data, found.Objective, found.Converged,
		found.Exact)
	// Output: weights [-1.000 1.000], objective 1.000, converged: true, proven: true
}
