package structure_test

import (
	"fmt"

	"combpred/core/structure"
)

// Rankings of three labels: how many there are, which one scores highest, and what embeddings are on average.
func Example() {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	// ψ has an entry for each pair u < v of labels, 1 where u stands before v and −1 where it does not.
	scores := structure.Scores{Linear: []float64{-1, 0.5, 2}}
	best := make([]int32, space.PartLen())
	certificate, err := space.(structure.Decoder).Decode(best, scores)
	if err != nil {
		panic(err)
	}
	psi, mean := make([]float64, space.FeatureLen()), make([]float64, space.FeatureLen())
	space.Embed(psi, best)
	space.(structure.Momenter).Mean(mean)
	fmt.Println(space.(structure.Counter).Count(), "rankings, mean", mean)
	fmt.Println("positions", best, "embedded", psi, "score", certificate.Value, certificate.Optimal)
	// Output:
	// 6 rankings, mean [0 0 0]
	// positions [2 1 3] embedded [-1 1 1] score 3.5 true
}

// The spanning trees of a triangle, each as the edges that it has.
func ExampleEnumerator() {
	space, err := structure.New("spanningtrees", structure.Args{Scalars: map[string]int64{"n": 3}, Ints: []int32{0, 1, 0, 2, 1, 2}})
	if err != nil {
		panic(err)
	}
	for tree := range space.(structure.Enumerator).All() {
		fmt.Println(tree)
	}
	// Output:
	// [0 1 1]
	// [1 0 1]
	// [1 1 0]
}
