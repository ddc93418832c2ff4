package structure

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"combpred/core/combin"
	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestTournamentsCount: 3^(n(n−1)/2), at 200 items far beyond float64.
func TestTournamentsCount(t *testing.T) {
	for n, want := range slicex.InOrder(map[int64]string{2: "3", 3: "27", 4: "729", 5: "59049", 7: "10460353203"}) {
		if got := mustNew(t, "tournaments", examples.Sized(n)).(Counter).Count(); got.String() != want {
			t.Errorf("%d items have %v partial tournaments, want %s", n, got, want)
		}
	}
	large := mustNew(t, "tournaments", examples.Sized(200)).(Counter).Count()
	if want := new(big.Int).Exp(big.NewInt(3), big.NewInt(19900), nil); large.Cmp(want) != 0 {
		t.Error("the count for 200 items is not 3^19900")
	}
}

// TestTournamentsCountUnderMasks: the numbers of choices multiply.
func TestTournamentsCountUnderMasks(t *testing.T) {
	space, err := Within(mustNew(t, "tournaments", examples.Sized(200)),
		MaskOf(19900, []EntryCondition{{0, 1, true}, {7, 0, false}, {19899, -1, false}}))
	if err != nil {
		t.Fatal(err)
	}
	want := new(big.Int).Exp(big.NewInt(3), big.NewInt(19897), nil)
	if got := space.(Counter).Count(); got.Cmp(want.Mul(want, big.NewInt(4))) != 0 {
		t.Error("the count for 200 items is not 4·3^19897")
	}
	if got, err := LogCount(space); err != nil || math.Abs(got-combin.LogInt(want)) > 1e-10 {
		t.Errorf("its logarithm is %v, want %v; error %v", got, combin.LogInt(want), err)
	}
}

// TestTournamentsTies: a pair of score 0 is put in ascending order only where its magnitude earns something.
func TestTournamentsTies(t *testing.T) {
	space := mustNew(t, "tournaments", examples.Sized(3)).(Decoder)
	y := make([]int32, 3)
	for _, c := range []struct {
		score Scores
		want  []int32
		value float64
	}{
		{Scores{Linear: []float64{0, 0, 0}}, []int32{0, 0, 0}, 0},
		{Scores{Linear: []float64{0, 0, 0}, Magnitude: []float64{1, 0, -1}}, []int32{1, 0, 0}, 1},
		{Scores{Linear: []float64{1, -1, 2}, Magnitude: []float64{-1, -0.5, -3}}, []int32{0, -1, 0}, 0.5},
	} {
		cert, err := space.Decode(y, c.score)
		if err != nil || !slices.Equal(y, c.want) || cert.Value != c.value || !cert.Optimal {
			t.Errorf("%v gives %v with %+v, error %v, want %v", c.score, y, cert, err, c.want)
		}
	}
}

func TestTournamentsMessages(t *testing.T) {
	space := mustNew(t, "tournaments", examples.Sized(5))
	y := make([]int32, 10)
	for _, pair := range []int{0, 3, 4, 9} {
		y[pair] = 2
		expectError(t, space.Check(y), fmt.Sprintf("found 2 in column %d; a pair u < v has +1 where u is before v", pair))
		y[pair] = 0
	}
	_, err := build("tournaments", examples.Sized(1))
	expectError(t, err, `(n) is 1, must be between 2 and 16384`)
}
