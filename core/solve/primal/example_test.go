package primal_test

import (
	"fmt"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/primal"
	"combpred/core/structure"
)

// Rankings of three labels, from one feature: the larger it is, the further label 0 is behind.
func Example() {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	coord, err := solve.NewCoordinates(space)
	if err != nil {
		panic(err)
	}
	y, err := primal.Encoded(space, []int32{1, 2, 3, 2, 1, 3, 3, 1, 2}, 3, false)
	if err != nil {
		panic(err)
	}
	task := &primal.Task{Coord: coord, Mean: make([]float64, space.FeatureLen()), Lambda: 0.1, Margin: true, Intercept: true, Tol: 1e-8}
	rows := &primal.Rows{X: primal.Dense([]float32{-1, 0, 1}, 3, 1, 1), Psi: y}
	w := linalg.NewMatrix[float64](2, space.FeatureLen())
	info, err := task.Solve(w, rows, 1, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("pairs 01, 02, 12: weights %.2f, constant %.2f, objective %.3f\n", w.Row(0), w.Row(1), info.Objective)
	// Output: pairs 01, 02, 12: weights [-0.21 -0.21 0.00], constant [-0.10 0.10 0.28], objective -0.945
}
