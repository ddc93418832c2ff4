package dag_test

import (
	"fmt"
	"math"

	"combpred/core/graph/dag"
)

// A route from 0 to 3 over 1 or 2, or directly.
func Example() {
	arcs := []dag.Arc{
		{Tail: 0, Head: 1, Symbol: 0}, {Tail: 1, Head: 3, Symbol: 1},
		{Tail: 0, Head: 2, Symbol: 2}, {Tail: 2, Head: 3, Symbol: 3},
		{Tail: 0, Head: 3, Symbol: dag.Silent},
	}
	g, err := dag.New(4, arcs, 0, 3, 4)
	if err != nil {
		panic(err)
	}
	scores, w := []float64{math.Ln2, 0, 0, 0}, new(dag.Workspace)
	path, marginals := make([]int32, g.Longest()), make([]float64, 4)
	n, value := g.Best(path, scores, w)
	fmt.Printf("%d paths, the best is %v with %.3f\n", g.Count(), path[:n], value)
	logZ, err := g.LogSum(marginals, scores, w, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("Z = %.0f, marginals %.2f\n", math.Exp(logZ), marginals)

	direct, err := g.Within(nil, 0, 1)
	if err != nil {
		panic(err)
	}
	n, _ = direct.Best(path, scores, w)
	fmt.Println("with at most one score:", path[:n])
	_, err = g.Hold([]int8{1, 0, 0, 0, 1})
	fmt.Println(err)
	// Output:
	// 3 paths, the best is [0 1] with 0.693
	// Z = 4, marginals [0.50 0.50 0.25 0.25]
	// with at most one score: [4]
	// no path leads from the source to the sink
}
