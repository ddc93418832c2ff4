package chain_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/structure"
)

// Exact draws of sets of two labels, by coupling from the past: the first label is in with probability 1/(1+exp(−1)).
func ExampleBatch() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	const draws = 4000
	scores := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, 0}}
	out := chain.Draws{Y: make([]int32, draws*2), Value: make([]float64, draws), Steps: make([]int64, draws)}
	opt := chain.Options{Method: chain.FromPast, Draws: draws, Thin: 1, Budget: 1000, Seed: 1}
	if err := chain.Batch(structure.OneSpaceLinear(space, scores), opt, out, 1, nil); err != nil {
		panic(err)
	}
	var first int32
	for j := range draws {
		first += out.Y[2*j]
	}
	p := 1 / (1 + math.Exp(-1))
	fmt.Println(math.Abs(float64(first)/draws-p) < 5*math.Sqrt(p*(1-p)/draws))
	// Output: true
}

// The steps of a chain by hand. On the hypercube of ten labels so many bring it within 0.01 of its distribution.
func ExampleKernel() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 10}})
	if err != nil {
		panic(err)
	}
	scores := structure.Scores{Linear: make([]float64, 10)}
	cube, err := chain.NewCube(space, scores)
	if err != nil {
		panic(err)
	}
	state, rng := chain.NewState(space), rand.New(rand.NewPCG(1, 2))
	state.Set(space, scores, make([]int32, 10))
	for range int(chain.MixingBoundCube(10, 0.01)) {
		cube.Step(state, rng)
	}
	fmt.Println(state.Steps, "steps,", state.Accepted, "accepted: all labels score alike")
	// Output: 139 steps, 139 accepted: all labels score alike
}
