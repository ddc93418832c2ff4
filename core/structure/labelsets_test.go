package structure

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"combpred/core/combin"
	"combpred/core/structure/examples"
)

// TestLabelSetsMoments compares with the published ratios of binomial coefficients, in big integers, at a size where
// each of them overflows a float64: the mean is C(n−1, ℓ−1)/C(n, ℓ), the second moment off the diagonal C(n−2,
// ℓ−2)/C(n, ℓ).
func TestLabelSetsMoments(t *testing.T) {
	const n, size = 3000, 1100
	space := mustNew(t, "labelsets", examples.SizedSets(n, size)).(labelledRows).labelSets
	all := space.Count()
	if all.Cmp(new(big.Int).Binomial(n, size)) != 0 {
		t.Error("the count differs from the binomial coefficient")
	}
	one, two := space.pairMoments()
	if want := combin.Ratio(combin.Binomial(n-1, size-1), all); math.Abs(one-want) > 1e-15 {
		t.Errorf("the mean is %v, want %v", one, want)
	}
	if want := combin.Ratio(combin.Binomial(n-2, size-2), all); math.Abs(two-want) > 1e-15 {
		t.Errorf("the second moment is %v, want %v", two, want)
	}
}

// TestLabelSetsCount: ln C(n, ℓ) agrees with log-gamma, and 2ⁿ is exact.
func TestLabelSetsCount(t *testing.T) {
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	got := combin.LogInt(mustNew(t, "labelsets", examples.SizedSets(5000, 1700)).(Counter).Count())
	if want := lgamma(5001) - lgamma(1701) - lgamma(3301); math.Abs(got-want) > 1e-9*want {
		t.Errorf("ln C(5000, 1700) is %v, want %v", got, want)
	}
	all := mustNew(t, "labelsets", examples.Sized(5000)).(Counter).Count()
	if want := new(big.Int).Exp(big.NewInt(2), big.NewInt(5000), nil); all.Cmp(want) != 0 {
		t.Error("the count of all subsets is not 2^5000")
	}
}

// TestLabelSetsTies: labels of score zero are left out where that is allowed, and the smallest indices win otherwise.
func TestLabelSetsTies(t *testing.T) {
	cases := []struct {
		args  examples.Args
		score []float64
		want  []int32
	}{
		{examples.Sized(4), []float64{0, 1, -1, 0}, []int32{0, 1, 0, 0}},
		{examples.SizedSets(5, 2), []float64{1, 3, 1, 1, 0}, []int32{1, 1, 0, 0, 0}},
		{examples.SizedSets(5, 3), []float64{-2, -2, -1, -2, -2}, []int32{1, 1, 1, 0, 0}},
		{examples.SizedSets(3, 0), []float64{5, 5, 5}, []int32{0, 0, 0}},
	}
	for _, c := range cases {
		y := make([]int32, len(c.want))
		space := mustNew(t, "labelsets", c.args).(Decoder)
		if _, err := space.Decode(y, Scores{Linear: c.score}); err != nil || !slices.Equal(y, c.want) {
			t.Errorf("the scores %v give %v, error %v, want %v", c.score, y, err, c.want)
		}
	}
}

func TestLabelSetsMessages(t *testing.T) {
	space := mustNew(t, "labelsets", examples.SizedSets(4, 2))
	expectError(t, space.Check([]int32{1, 1, 1, 0}), "the set has 3 labels, size=2 asks for 2")
	expectError(t, space.Check([]int32{1, 2, 1, 0}), "found 2 in column 1; label sets are 0/1 matrices")
	_, err := build("labelsets", examples.SizedSets(4, 5))
	expectError(t, err, `(size) is 5, must be between -1 and 4`)
	_, err = build("labelsets", examples.Args{Scalars: map[string]int64{"n": 4, "sise": 2}})
	expectError(t, err, `"labelsets" has no parameter "sise"`)
	_, err = build("labelsets", examples.Args{Scalars: map[string]int64{"n": 4}, Ints: []int32{1}})
	expectError(t, err, `"observed" has 1 entries, must have 4 for each set`)
	_, err = build("labelsets", examples.Args{Scalars: map[string]int64{"n": 2}, Ints: []int32{0, 1, 0, 1}})
	expectError(t, err, "observed sets 0 and 1 are the same")
	_, err = build("labelsets", examples.Args{Scalars: map[string]int64{"n": 2, "size": 1}, Ints: []int32{0, 1, 1, 1}})
	expectError(t, err, "observed set 1: the set has 2 labels, size=1 asks for 1")
	observed := mustNew(t, "labelsets", examples.Args{Scalars: map[string]int64{"n": 2}, Ints: []int32{0, 1, 1, 1}})
	expectError(t, observed.Check([]int32{1, 0}),
		"this set is none of the 2 observed ones, which alone have a probability; list it in observed=")
}
