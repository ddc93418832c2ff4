package sgd_test

import (
	"fmt"

	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/solve/sgd"
	"combpred/core/structure"
)

// Rankings of three labels, from one feature: the larger it is, the further label 0 is behind.
func ExampleTrain() {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	d := space.FeatureLen()
	psi := linalg.NewMatrix[float64](3, d)
	for i, ranking := range [][]int32{{1, 2, 3}, {2, 1, 3}, {3, 1, 2}} {
		space.Embed(psi.Row(i), ranking)
	}
	mean := make([]float64, d)
	space.(structure.Momenter).Mean(mean)
	coord, err := solve.NewCoordinates(space)
	if err != nil {
		panic(err)
	}
	const lambda = 0.1
	p, err := solve.NewProblem(lambda, true, coord, solve.Targets{Psi: psi, Mean: mean}, 1, nil)
	if err != nil {
		panic(err)
	}
	x := &solve.Design{Rows: linalg.Rows{Dense: linalg.Matrix[float64]{Rows: 3, Cols: 1, Stride: 1, Data: []float64{-1, 0, 1}}},
		Intercept: true}
	w, none := linalg.NewMatrix[float64](x.Columns(), d), linalg.NewMatrix[float64](0, d)
	passes := sgd.Passes{Order: []int64{0, 1, 2}, Shuffle: true, Seed: 1, Most: 3000, Tol: 1e-7, Curve: make([]float64, 3000)}
	steps := sgd.NewStepSizes(lambda, 1, sgd.Curvature(p, x), 0, 3)
	out, err := sgd.Train(p, steps, x, passes, w, none, none, nil)
	if err != nil {
		panic(err)
	}
	// The minimum of this objective is −0.945: see the example of package primal.
	fmt.Printf("converged %v, objective %.3f\n", out.Converged, passes.Curve[out.Passes-1])
	// Output: converged true, objective -0.945
}
