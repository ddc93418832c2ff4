package loglinear_test

import (
	"fmt"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/solve"
	"combpred/core/structure"
)

// Rankings of two labels by one feature: the oracle of a fit decides where expectations come from.
func Example() {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	x := linalg.Matrix[float64]{Rows: 4, Cols: 1, Stride: 1, Data: []float64{-2, -1, 1, 2}}
	psi := linalg.Matrix[float64]{Rows: 4, Cols: 1, Stride: 1, Data: []float64{-1, -1, 1, 1}} // of two orders, −1 and 1
	mean, err := loglinear.MeanOf(space)
	if err != nil {
		panic(err)
	}
	problem := &loglinear.Problem{X: &solve.Design{Rows: linalg.Rows{Dense: x}}, Psi: psi, Mean: mean}
	if err := problem.Prepare(); err != nil {
		panic(err)
	}
	options := loglinear.SearchOptions{Sizes: loglinear.Sizes{Features: 1, Outputs: 1}, Alpha: 0.5, Tol: 1e-6, MaxIter: 100}
	exact := expect.Exact{Spaces: expect.One(space), Workers: 1}
	found, err := loglinear.Fit(options, problem, space, exact, linalg.Matrix[float64]{}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("weight %.3f, objective %.3f\n", found.Weights.Data[0], found.Objective)
	// Output:
	// weight 0.859, objective 0.762
}
