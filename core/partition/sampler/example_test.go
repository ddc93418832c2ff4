package sampler_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/structure"
)

// Rankings of four labels are few enough for the exact sampler; of forty, with scores that are not small, a chain has to do.
func ExampleBatch() {
	for _, n := range []int{4, 40} {
		space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": int64(n)}})
		if err != nil {
			panic(err)
		}
		d := space.FeatureLen()
		scores := blas64.General{Rows: 1, Cols: d, Stride: d, Data: make([]float64, d)}
		for j := range scores.Data {
			scores.Data[j] = 0.5
		}
		opt := sampler.Options{
			Sampler: estimate.AutoSampler, Draws: 3, Budget: 1e6, Seed: 1, Diagnosed: true, ExactSeconds: 300,
		}
		found, err := sampler.Batch(structure.OneSpaceLinear(space, scores), opt, chain.Draws{Y: make([]int32, 3*n)}, 1, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(found.Sampler, found.Report != nil)
	}
	// Output:
	// exact false
	// local true
}
