package structure

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/structure/examples"
)

// TestSubtreesCounts checks closed forms: a path of n nodes has n subtrees, a star of k leaves 2^k, complete binary
// trees one less than OEIS A003095.
func TestSubtreesCounts(t *testing.T) {
	star := make([]int32, 301)
	star[0] = -1
	for parent, want := range map[*[]int32]*big.Int{
		{-1}:                          big.NewInt(1),
		ref(examples.Chain(500)):      big.NewInt(500),
		&star:                         new(big.Int).Lsh(big.NewInt(1), 300),
		ref(examples.BinaryTree(31)):  big.NewInt(458329),
		ref(examples.Broom(600, 600)): new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 600), big.NewInt(599)),
		{-1, 0, 0, 1, 1, 2, 2}:        big.NewInt(25),
		{3, 3, 0, -1, 0, 1, 5}:        big.NewInt(20), // (1 + 2·2)(1 + 3)
		{-1, 0, 0, 0, 1, 1, 2, 4}:     big.NewInt(42), // (1 + 3·2)(1 + 2)·2
	} {
		space := mustNew(t, "subtrees", examples.Subtrees(*parent)).(Counter)
		if got := space.Count(); got.Cmp(want) != 0 {
			t.Errorf("a tree of %d nodes has %v subtrees, want %v", len(*parent), got, want)
		}
	}
}

func ref[T any](x T) *T { return &x }

// TestSubtreesCoin: f(v) is exact up to 2⁶⁴−1, and larger ones are marked by 0. A node with stars of 1, 2, 4, …, 32
// leaves below it has f = 1 + Π (2^k + 1) = 2⁶⁴.
func TestSubtreesCoin(t *testing.T) {
	parent := []int32{-1, 0} // node 1 is the one in question
	for k := 1; k <= 32; k *= 2 {
		parent = append(parent, 1)
		hub := int32(len(parent) - 1)
		for range k {
			parent = append(parent, hub)
		}
	}
	space := mustNew(t, "subtrees", examples.Subtrees(parent)).(*subtrees)
	if space.exact[1] != 0 || space.drop[1] != math.Ldexp(1, -64) {
		t.Errorf("f is %d with the reciprocal %v, want 2^64", space.exact[1], space.drop[1])
	}
	short := mustNew(t, "subtrees", examples.Subtrees(parent[:len(parent)-1])).(*subtrees)
	if want := uint64(math.MaxUint64)/(1<<32+1)*(1<<31+1) + 1; short.exact[1] != want {
		t.Errorf("f is %d, want %d", short.exact[1], want)
	}
	if hub := space.exact[2]; hub != 3 {
		t.Errorf("a hub with one leaf has f = %d, want 3", hub)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]int32, len(parent))
	for range 1000 {
		if space.Sample(y, rng); y[1] == 0 {
			t.Fatal("a node that 1 in 2^64 subtrees leave out is left out")
		}
	}
}

// TestSubtreesDecode: branches of score 0 are left out, and paths of a million nodes are decoded without recursion.
func TestSubtreesDecode(t *testing.T) {
	space := mustNew(t, "subtrees", examples.Subtrees([]int32{-1, 0, 1, 0, 3})).(Decoder)
	y := make([]int32, 5)
	cert, err := space.Decode(y, Scores{Linear: []float64{-5, -1, 1, -1, 2}})
	if err != nil || cert.Value != -4 || !slices.Equal(y, []int32{1, 0, 0, 1, 1}) {
		t.Errorf("the scores give %v with %+v, error %v", y, cert, err)
	}
	const n = 1_000_000
	long := mustNew(t, "subtrees", examples.Subtrees(examples.Chain(n)))
	score := Scores{Linear: make([]float64, n)}
	fill(score.Linear, 1)
	score.Linear[17] = -20 // the 17 nodes below it do not make up for it
	y = make([]int32, n)
	cert, err = long.(Decoder).Decode(y, score)
	if err != nil || cert.Value != n-18 || y[18] != 1 || y[17] != 0 || y[0] != 0 {
		t.Errorf("the certificate is %+v, error %v", cert, err)
	}
	if got, err := LogCount(long); err != nil || math.Abs(got-math.Log(n)) > 1e-9 {
		t.Errorf("the logarithm of the count is %v, want %v", got, math.Log(n))
	}
}

// Scores of which sums overflow still give a subtree of the size that is asked for.
func TestSizedSubtreesOfEnormousScores(t *testing.T) {
	for _, parent := range [][]int32{{-1, 0, 0, 1, 1, 2, 2}, {-1, 0, 1, 2, 3, 4, 5}, {-1, 0, 0, 0, 0, 0, 0}} {
		all := mustNew(t, "subtrees", examples.Subtrees(parent)).(*subtrees)
		for size := 1; size <= len(parent); size++ {
			for _, sign := range []float64{-1, 1} {
				score := Scores{Linear: make([]float64, len(parent))}
				fill(score.Linear, sign*math.MaxFloat64)
				mask, y := NewMask(), make([]int32, len(parent))
				mask.Size = Range{size, size}
				space, err := Within(all, mask)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := space.(Decoder).Decode(y, score); err != nil || space.Check(y) != nil {
					t.Errorf("%v, %d nodes: %v, error %v", parent, size, y, err)
				}
			}
		}
	}
}

func TestSubtreesMessages(t *testing.T) {
	space := mustNew(t, "subtrees", examples.Subtrees([]int32{2, 0, -1}))
	expectError(t, space.Check([]int32{0, 0, 0}), "the root, node 2, is left out; every subtree contains it")
	expectError(t, space.Check([]int32{0, 1, 1}), "node 1 is in, its parent, node 0, is not; add the ancestors")
	expectError(t, space.Check([]int32{1, 3, 1}), "found 3 in column 1; subtrees are 0/1 matrices")
	_, err := build("subtrees", examples.Args{Scalars: map[string]int64{"n": 2}, Ints: []int32{-1}})
	expectError(t, err, "need 2 integers, the parents, not 1")
	_, err = build("subtrees", examples.Subtrees([]int32{1, 0}))
	expectError(t, err, "every node has a parent")
	_, err = build("subtrees", examples.Subtrees([]int32{-1, 2, 1}))
	expectError(t, err, "node 1 form a cycle")
}
