package labelrank_test

import (
	"fmt"

	"combpred/core/labelrank"
	"combpred/core/linalg"
	"combpred/core/solve"
)

// preferences of three rows with one feature: where it is positive label 0 stands before 1 and 1 before 2, otherwise the reverse.
func preferences() (*labelrank.Examples, *solve.Design) {
	x := linalg.Matrix[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{-1, 1, 2}}
	return &labelrank.Examples{Labels: 3, Signs: []int8{-1, 0, -1, 1, 0, 1, 1, 0, 1}}, &solve.Design{Rows: linalg.Rows{Dense: x}}
}

func ExampleSolveLinear() {
	examples, design := preferences()
	opt := labelrank.Options{Cost: 10, Tol: 1e-9, MaxIter: 1000, Seed: 1, Workers: 1}
	alpha, coef := make([]float64, len(examples.Signs)), linalg.NewMatrix[float64](1, 3)
	info, err := labelrank.SolveLinear(examples, design, opt, alpha, coef)
	if err != nil {
		panic(err)
	}
	fmt.Printf("weights %.3f, objective %.3f\n", coef.Data, info.Objective)
	// Output: weights [1.000 0.000 -1.000], objective 1.000
}

func ExampleLearner_Learn() {
	examples, design := preferences()
	learner := labelrank.Learner{Update: labelrank.Additive, Coef: linalg.NewMatrix[float64](1, 3)}
	for range 3 {
		if err := learner.Learn(examples, design, nil, nil); err != nil {
			panic(err)
		}
	}
	fmt.Println("weights", learner.Coef.Data, "mistakes", learner.Tally.Mistakes, "in", learner.Tally.Weight, "rows")
	// Output: weights [0.5 0 -0.5] mistakes 1 in 9 rows
}
