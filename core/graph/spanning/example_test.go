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

// The square again: its diagonal is required and one side is forbidden. Without two sides at a vertex no tree is left.
func ExampleGraph_Restrict() {
	g, err := spanning.New(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}})
	if err != nil {
		panic(err)
	}
	state := []spanning.State{spanning.Free, spanning.Free, spanning.Forbidden, spanning.Free, spanning.Required}
	allowed, err := g.Restrict(state)
	if err != nil {
		panic(err)
	}
	p := make([]float64, 5)
	if _, err := allowed.EdgesTo(p, make([]float64, 5), nil); err != nil {
		panic(err)
	}
	fmt.Printf("%v trees, edges in shares of %.2f\n", allowed.Count(), p)
	state[3] = spanning.Forbidden
	_, err = g.Restrict(state)
	fmt.Println(err)
	// Output:
	// 2 trees, edges in shares of [0.50 0.50 0.00 1.00 1.00]
	// spanning: no path joins the vertices 0 and 3 without the forbidden edges 2, 3
}
