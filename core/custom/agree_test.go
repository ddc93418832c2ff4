package custom

import (
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

// drawn returns ψ of n draws, each of a row of psi that pick chooses.
func drawn(psi matrix, n int, pick func() int) matrix {
	draws := linalg.NewMatrix[float64](n, psi.Cols)
	for i := range n {
		copy(draws.Row(i), psi.Row(pick()))
	}
	return draws
}

// TestDrawsAgreeWithTheSpace: uniform draws of rankings pass all checks; draws of half of the rankings, of one of them too often, or of
// another space fail those that can tell.
func TestDrawsAgreeWithTheSpace(t *testing.T) {
	psi, space := enumerated(t, "permutations", examples.Sized(4))
	moments, rng := space.(structure.Momenter), rand.New(rand.NewPCG(3, 5))
	uniform := drawn(psi, 4000, func() int { return rng.IntN(psi.Rows) })
	half := drawn(psi, 4000, func() int { return rng.IntN(psi.Rows / 2) })
	often := drawn(psi, 4000, func() int { return max(0, rng.IntN(2*psi.Rows)-psi.Rows) })
	large, _ := enumerated(t, "labelsets", examples.Sized(6))
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"uniform", CheckDraws(uniform), ""},
		{"uniform", CheckMoments(moments, uniform), ""},
		{"uniform", CheckRank(space, moments, nil), ""},
		{"uniform", CheckCount(space, uniform), ""},
		{"half", CheckMoments(moments, half), "farther than chance allows"},
		{"half", CheckCount(space, half), "should show more than 12"},
		{"often", CheckMoments(moments, often), "farther than chance allows"},
		{"often", CheckCount(space, often), "draws: sample is not uniform"},
		{"larger", CheckCount(space, drawn(large, 4000, func() int { return rng.IntN(large.Rows) })), "of the draws are different"},
		{"none", CheckDraws(drawn(psi, 0, nil)), "take at least one"},
		{"few", CheckMoments(moments, drawn(psi, 3, func() int { return 0 })), ""},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}

// TestRankTakesOutputs: a count with another base of the logarithm is too small for the rank of the moments.
func TestRankTakesOutputs(t *testing.T) {
	psi, _ := enumerated(t, "permutations", examples.Sized(4))
	sums, err := NewSums(make([]float64, SumsLen(psi.Cols)), psi.Cols)
	if err != nil {
		t.Fatal(err)
	}
	if err := sums.Add(psi, nil); err != nil {
		t.Fatal(err)
	}
	averages := make([]float64, psi.Cols+psi.Cols*psi.Cols)
	sums.MomentsTo(averages)
	for i, want := range []string{"", "which takes 7 at least"} {
		log := []float64{3.18, 1.38}[i]
		args := structure.Args{Scalars: map[string]int64{"d": int64(psi.Cols), "members": 0}, Reals: append([]float64{log}, averages...)}
		space, err := structure.New("custom", args)
		if err != nil {
			t.Fatal(err)
		}
		err = CheckRank(space, space.(structure.Momenter), nil)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || fault.KindOf(err) != fault.KindValue) {
			t.Errorf("log_count=%v: %v, want %q", log, err, want)
		}
	}
}

// TestMovesKeepTheUniformDistribution: changes of ψ by exchangeable pairs are 0 on average, those with a drift are not.
func TestMovesKeepTheUniformDistribution(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	for _, drift := range []float64{0, 0.5} {
		change := linalg.NewMatrix[float64](4000, 3)
		for i := range change.Data {
			change.Data[i] = drift + float64(rng.IntN(3)-1)
		}
		if err := CheckMoves(change); (err == nil) != (drift == 0) {
			t.Errorf("drift %v: %v", drift, err)
		}
	}
}
