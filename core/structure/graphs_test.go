package structure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/structure/examples"
)

func TestEdgeMessages(t *testing.T) {
	refused := []struct {
		edges []int32
		want  string
	}{
		{[]int32{0, 1, 2}, "an even number of integers, not 3"},
		{[]int32{0, 1, 2, 4}, "edges[1] is (2, 4); vertices are whole numbers 0..3"},
		{[]int32{-1, 1}, "edges[0] is (-1, 1); vertices are whole numbers 0..3"},
		{[]int32{0, 1, 3, 3}, "edges[1] is (3, 3), a self-loop"},
		{[]int32{0, 1, 1, 2, 0, 1}, "edges[2] is (0, 1), which repeats edges[0]"},
		{[]int32{0, 1, 1, 2, 2, 1}, "edges[2] is (2, 1), which is the reverse of edges[1]"},
	}
	for _, name := range []string{"graphs", "spanningtrees"} {
		for _, r := range refused {
			_, err := build(name, examples.Args{Scalars: map[string]int64{"n": 4}, Ints: r.edges})
			expectError(t, err, r.want)
		}
		space := mustNew(t, name, examples.Graph(3, [][2]int32{{0, 1}, {2, 1}}))
		expectError(t, space.Check([]int32{1, 7}), "found 7 in column 1; edge sets are 0/1 matrices")
	}
	_, err := build("graphs", examples.Sized(maxVertices+1))
	expectError(t, err, "may have 4096 vertices, not 4097; list the possible edges")
	_, err = build("spanningtrees", examples.Graph(4, [][2]int32{{1, 0}, {2, 3}}))
	expectError(t, err, "the graph is not connected, no path joins the vertices 0 and 2; add edges")
	trees := mustNew(t, "spanningtrees", examples.Complete(4))
	expectError(t, trees.Check([]int32{1, 1, 0, 1, 0, 0}), "edge 3, (1, 2), closes a cycle")
	expectError(t, trees.Check([]int32{0, 0, 1, 1, 0, 0}), "none of them joins vertex 1 to vertex 0")
}

// TestTreesAreGraphs: on a tree the only spanning tree is the tree, whatever the scores.
func TestTreesAreGraphs(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(1, 1))
	edges := make([][2]int32, n-1)
	for i := range edges {
		edges[i] = [2]int32{int32(rng.IntN(i + 1)), int32(i + 1)}
	}
	space := mustNew(t, "spanningtrees", examples.Graph(n, edges)).(spanningTrees)
	all := make([]int32, n-1)
	for i := range all {
		all[i] = 1
	}
	score := Scores{Linear: make([]float64, n-1)}
	fill(score.Linear, -1)
	y, mean := make([]int32, n-1), make([]float64, n-1)
	cert, err := space.Decode(y, score)
	if err != nil || !slices.Equal(y, all) || cert.Value != -(n-1) {
		t.Errorf("the maximum is %v with %+v, error %v", y, cert, err)
	}
	if space.Sample(y, rng); !slices.Equal(y, all) {
		t.Errorf("the sample is %v", y)
	}
	space.Mean(mean)
	for i, m := range mean {
		if m < 1-1e-13 || m > 1 {
			t.Errorf("edge %d has probability %v", i, m)
		}
	}
	if log, _ := LogCount(space); space.Count().Int64() != 1 || math.Abs(log) > 1e-10 {
		t.Errorf("the count is %v, its logarithm %v", space.Count(), log)
	}
}
