package structure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestHierarchyIsPoset: a tree has the moments, the partition function and the decoder of the poset of its nodes, with all of them allowed
// or the same ones.
func TestHierarchyIsPoset(t *testing.T) {
	parent := []int32{4, 4, -1, 0, 2, 2, 5, 3}
	n := len(parent)
	above := func(a, b int) bool {
		for v := int32(a); v >= 0; v = parent[v] {
			if int(v) == b {
				return true
			}
		}
		return false
	}
	for _, allowed := range [][]int{nil, {0, 3, 5, 6}} {
		tree, poset := examples.Hierarchy(parent, nil), examples.Poset(n, above)
		if allowed != nil {
			poset = examples.AllowedIn(poset, allowed...)
			tree = examples.Hierarchy(parent, poset.Ints[n*n:])
		}
		expectSame(t, mustNew(t, "hierarchy", tree), mustNew(t, "posetelements", poset), n)
	}
}

func expectSame(t *testing.T, tree, poset Space, n int) {
	t.Helper()
	first, second := square(n), square(n)
	tree.(Momenter).SecondMoment(first)
	poset.(Momenter).SecondMoment(second)
	if !slices.Equal(first.Data, second.Data) {
		t.Errorf("the second moments differ: %v and %v", first.Data, second.Data)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		score := Scores{Linear: make([]float64, n)}
		for i := range n {
			score.Linear[i] = rng.NormFloat64()
		}
		y, z := []int32{-1}, []int32{-1}
		if _, err := tree.(Decoder).Decode(y, score); err != nil {
			t.Fatal(err)
		}
		if _, err := poset.(Decoder).Decode(z, score); err != nil {
			t.Fatal(err)
		}
		if y[0] != z[0] {
			t.Fatalf("the tree gives node %d, the poset element %d", y[0], z[0])
		}
		one, err := tree.(Partitioner).LogPartition(nil, score.Linear, nil)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := poset.(Partitioner).LogPartition(nil, score.Linear, nil); err != nil || math.Abs(one-other) > 1e-12 {
			t.Fatalf("ln Z of the tree is %g, of the poset %g, error %v", one, other, err)
		}
	}
}

// TestHierarchyDeep: a path of a million nodes is built and decoded without recursion.
func TestHierarchyDeep(t *testing.T) {
	const n = 1_000_000
	space := mustNew(t, "hierarchy", examples.Hierarchy(examples.Chain(n), nil))
	score := Scores{Linear: make([]float64, n)}
	fill(score.Linear, 1)
	score.Linear[17] = -5 // the 17 nodes below it make up for it
	y := []int32{-1}
	cert, err := space.(Decoder).Decode(y, score)
	if err != nil || y[0] != 0 || cert.Value != n-6 {
		t.Errorf("node %d with %+v, error %v, want the leaf 0 with %d", y[0], cert, err, n-6)
	}
}

func TestHierarchyMessages(t *testing.T) {
	refused := []struct {
		args examples.Args
		want string
	}{
		{examples.Hierarchy([]int32{-1, 0, -1}, nil), "nodes 0 and 2 both have no parent"},
		{examples.Hierarchy([]int32{1, 0}, nil), "every node has a parent"},
		{examples.Hierarchy([]int32{-1, 3, 1, 2, 3}, nil), "node 1 form a cycle"},
		{examples.Hierarchy([]int32{4, 4, 3, 2, -1}, nil), "node 2 form a cycle"},
		{examples.Hierarchy([]int32{-1, 1}, nil), "node 1 form a cycle"},
		{examples.Hierarchy([]int32{-1, 2}, nil), "the parent of node 1 is 2"},
		{examples.Hierarchy([]int32{-1, -7}, nil), "the parent of node 1 is -7"},
		{examples.Hierarchy([]int32{-1, 0}, []int32{0, 0}), "no node of the hierarchy is allowed"},
		{examples.Args{Scalars: map[string]int64{"n": 2}, Ints: []int32{-1, 0, 1}}, "needs 4 integers"},
		{examples.Args{Scalars: map[string]int64{"n": 2}, Ints: []int32{-1, 0, 1, 2}}, "the allowed mask is 2 for node 1"},
	}
	for _, r := range refused {
		_, err := build("hierarchy", r.args)
		expectError(t, err, r.want)
	}
	space := mustNew(t, "hierarchy", examples.Hierarchy([]int32{-1, 0, 0}, []int32{0, 1, 1}))
	expectError(t, space.Check([]int32{0}), "node 0 is not allowed; change what is allowed, or drop the row (allowed are node 1, node 2)")
	expectError(t, space.Check([]int32{3}), "found 3; nodes are whole numbers 0..2")
}

// BenchmarkHierarchySecondMoment has trees of 3000 nodes, as deep as possible and balanced.
func BenchmarkHierarchySecondMoment(b *testing.B) {
	const n = 3000
	for name, parent := range slicex.InOrder(map[string][]int32{"path": examples.Chain(n), "binary": examples.BinaryTree(n)}) {
		b.Run(name, func(b *testing.B) {
			space := mustNew(b, "hierarchy", examples.Hierarchy(parent, nil)).(Momenter)
			m := square(n)
			for b.Loop() {
				space.SecondMoment(m)
			}
		})
	}
}

// BenchmarkAnalyze sweeps 2000 rows of rankings of ten labels through both eigenspaces and back.
func BenchmarkAnalyze(b *testing.B) {
	const rows = 2000
	space := mustNew(b, "permutations", examples.Sized(10)).(permutations)
	d := space.FeatureLen()
	matrix := func(cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
	}
	v, out := matrix(d), matrix(d)
	for b.Loop() {
		for i := range space.Eigenvalues() {
			c := matrix(space.FrameLen(i))
			space.AnalyzeTo(c, v, i)
			space.SynthesizeTo(out, c, i)
		}
	}
}
