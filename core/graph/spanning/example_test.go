package spanning_test

import (
	"fmt"

	"combpred/core/graph/spanning"
)

// A square with one diagonal: of its eight spanning trees half have the diagonal.
func Example() {
	g, err := spanning.New(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}})
	if err != nil {
		panic(err)
	}
	tree, weight := make([]int32, 5), []float64{5, 1, 4, 2, 3}
	total := g.MaximumTo(tree, func(edge int) float64 { return weight[edge] })
	fmt.Printf("%v trees, diagonal in a share of %.2f; heaviest %v of weight %v\n", g.Count(), g.Currents().Edge(4), tree, total)
	// Output: 8 trees, diagonal in a share of 0.50; heaviest [1 0 1 0 1] of weight 12
}
