package affine

import (
	"math"
	"testing"

	"combpred/core/linalg"
	"combpred/core/maxmargin"
	"combpred/core/slicex"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// between is the loss by its definition.
func between(y, z []float64, entries Entries, cost Cost, counted []bool) (sum float64) {
	for j := range y {
		if entries == SignsAndTies && cost == Kendall && j >= len(y)/2 || counted != nil && !counted[j] {
			continue
		}
		sum += math.Abs(y[j] - z[j])
	}
	if cost != Hamming {
		sum /= 2
	}
	return sum
}

func members(t *testing.T, name string, size int64) linalg.Matrix[float64] {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": size}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := maxmargin.ListMembers(space, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func mustAgree(t *testing.T, all linalg.Matrix[float64], entries Entries, cost Cost, counted []bool) {
	t.Helper()
	l, err := New(all, entries, cost, counted, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all.Rows {
		score := structure.Scores{Linear: l.Gradient.Row(i)}
		if l.Magnitude.Rows > 0 {
			score.Magnitude = l.Magnitude.Row(i)
		}
		for k := range all.Rows {
			z := all.Row(k)
			if got, want := l.Constant[i]+score.Value(z), between(all.Row(i), z, entries, cost, counted); got != want {
				t.Fatalf("entries %d, cost %d: the loss of %v and %v is %g, must be %g", entries, cost, all.Row(i), z, got, want)
			}
		}
	}
}

func TestLossesAreThoseOfTheDefinitionForAllPairsOfOutputs(t *testing.T) {
	mustAgree(t, members(t, "labelsets", 4), Bits, Hamming, nil)
	mustAgree(t, members(t, "labelsets", 4), Bits, Hamming, []bool{true, false, true, true})
	mustAgree(t, members(t, "multiclass", 4), Bits, ZeroOne, nil)
	mustAgree(t, members(t, "permutations", 4), Signs, Kendall, nil)
	mustAgree(t, members(t, "permutations", 4), Signs, Hamming, nil)
	// All signs with zeros, and the indicators of these.
	zeros, ties := linalg.NewMatrix[float64](27, 3), linalg.NewMatrix[float64](27, 6)
	for i := range 27 {
		for j, rest := 0, i; j < 3; j, rest = j+1, rest/3 {
			v := float64(rest%3 - 1)
			zeros.Row(i)[j], ties.Row(i)[j] = v, v
			if v == 0 {
				ties.Row(i)[3+j] = 1
			}
		}
	}
	for _, cost := range []Cost{Hamming, Kendall} {
		mustAgree(t, zeros, SignsAndZeros, cost, nil)
		mustAgree(t, ties, SignsAndTies, cost, nil)
	}
}

func TestAMeanHasTheMeanOfTheLosses(t *testing.T) {
	all := members(t, "permutations", 3)
	mean := linalg.NewMatrix[float64](1, 3)
	for i := range 3 {
		linalg.Axpy(mean.Data, all.Row(i), 1.0/3)
	}
	l, err := New(mean, Signs, Kendall, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range all.Rows {
		var want float64
		for i := range 3 {
			want += between(all.Row(i), all.Row(k), Signs, Kendall, nil) / 3
		}
		if got := l.Constant[0] + linalg.Dot(l.Gradient.Row(0), all.Row(k)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g, must be %g", got, want)
		}
	}
}

func TestLossesThatAreNoneAreRefused(t *testing.T) {
	psi := linalg.NewMatrix[float64](2, 3)
	for _, c := range []struct {
		entries Entries
		cost    Cost
		counted []bool
		parent  []int32
	}{
		{-1, Hamming, nil, nil}, {Bits, 7, nil, nil}, {Bits, Kendall, nil, nil}, {Signs, ZeroOne, nil, nil},
		{SignsAndTies, Hamming, nil, nil}, {Bits, HLoss, nil, nil},
		{Bits, Hamming, []bool{true}, nil}, {Bits, HLoss, []bool{true, true, true}, []int32{-1, 0, 0}},
		{Bits, Hamming, nil, []int32{-1, 0, 0}}, {Signs, HLoss, nil, []int32{-1, 0, 0}},
		{Bits, HLoss, nil, []int32{-1, 0}}, {Bits, HLoss, nil, []int32{-1, 2, 1}},
	} {
		if _, err := New(psi, c.entries, c.cost, c.counted, c.parent); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// outermost is an H-loss by its definition.
func outermost(y, z []float64, parent []int32, weights []float64) (sum float64) {
	for v := range y {
		right := true
		for u := parent[v]; u >= 0; u = parent[u] {
			right = right && y[u] == z[u]
		}
		if right && y[v] != z[v] {
			sum += weights[v]
		}
	}
	return sum
}

func TestHLossesAreThoseOfTheDefinitionForAllPairsOfOutputs(t *testing.T) {
	parent := []int32{2, 2, 3, -1, 3, 4, 2}
	uniform, shared := []float64{1, 1, 1, 1, 1, 1, 1}, []float64{1. / 6, 1. / 6, 0.5, 1, 0.5, 0.5, 1. / 6}
	for name, args := range slicex.InOrder(map[string]examples.Args{
		"subtrees": examples.Subtrees(parent), "hierarchy": examples.Hierarchy(parent, nil),
	}) {
		space, err := structure.New(name, structure.Args(args))
		if err != nil {
			t.Fatal(err)
		}
		all, err := maxmargin.ListMembers(space, 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		for cost, weights := range slicex.InOrder(map[Cost][]float64{HLoss: uniform, HLossSibling: shared}) {
			l, err := New(all, Bits, cost, nil, parent)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all.Rows {
				for k := range all.Rows {
					got, want := l.Constant[i]+linalg.Dot(l.Gradient.Row(i), all.Row(k)), outermost(all.Row(i), all.Row(k), parent, weights)
					if math.Abs(got-want) > 1e-12 {
						t.Fatalf("%s, cost %d: the loss of %v and %v is %g, must be %g", name, cost, all.Row(i), all.Row(k), got, want)
					}
				}
			}
		}
	}
}
