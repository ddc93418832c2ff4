package estimate_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// Scores of s for each of 30 labels: Z is (1 + exp s)^30, to which the estimate is a factor of 1 ± 0.2 with probability 0.95.
func ExampleAnneal() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 30}})
	if err != nil {
		panic(err)
	}
	const s = 0.5
	scores := blas64.General{Rows: 1, Cols: 30, Stride: 30, Data: make([]float64, 30)}
	for i := range scores.Data {
		scores.Data[i] = s
	}
	opt := estimate.Options{Epsilon: 0.2, Delta: 0.05, Sampler: estimate.AutoSampler, MaxSteps: 1e8, Seed: 1}
	rows, err := estimate.Anneal(structure.OneSpaceLinear(space, scores), opt, 1, nil)
	if err != nil {
		panic(err)
	}
	logZ := 30*math.Ln2 + rows[0].LogRatio
	fmt.Println(rows[0].Sampler, math.Abs(math.Exp(logZ-30*math.Log1p(math.Exp(s)))-1) < 0.2)
	// Output: monotone true
}

// Averages over as many draws as Hoeffding's inequality asks for.
func ExampleMarginals() {
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	scores := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1, -1}}
	value := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float64, 2)}
	bound := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float64, 2)}
	opt := estimate.MarginalOptions{
		Options: estimate.Options{Epsilon: 0.05, Delta: 0.01, Sampler: estimate.AutoSampler, MaxSteps: 1e8, Seed: 1},
	}
	rows, err := estimate.Marginals(structure.OneSpaceLinear(space, scores), opt, value.Data, bound.Data, 1, nil)
	if err != nil {
		panic(err)
	}
	exact := 1 / (1 + math.Exp(-1))
	fmt.Println(rows[0].Samples >= int64(estimate.HoeffdingSize(0.05, 0.01/2, 1)), math.Abs(value.Data[0]-exact) < bound.Data[0])
	// Output: true true
}
