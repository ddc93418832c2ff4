package kbest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/structure"
)

// TestOutputsOfDecodersElsewhere: whoever decodes outside, by scores alone and a few rows at a time, gets what the decoder of the space
// finds under masks.
func TestOutputsOfDecodersElsewhere(t *testing.T) {
	driven := 0
	for name, space := range small(t) {
		score := scoresOf(space.FeatureLen(), rand.New(rand.NewPCG(7, 8)))[0]
		want, values, _, err := list(space, score, Options{Method: Partition, Nu: 0.7}, mostListed, 1)
		if err != nil {
			continue
		}
		driven++
		most := 0
		elsewhere := func(of Subproblems, dst []int32) ([]bool, error) {
			most = max(most, of.Linear.Rows)
			return nil, decode.Batch(structure.OneSpace(space, of.Linear, of.Magnitude), decode.Exact, 0, dst, nil, 1, nil)
		}
		var got [][]int32
		var scores []float64
		if err := PartitionBy(space, score, Options{Nu: 0.7, Most: mostListed}, 3, elsewhere, func(y []int32, value float64) bool {
			got, scores = append(got, slices.Clone(y)), append(scores, value)
			return true
		}); err != nil {
			t.Fatal(name, err)
		}
		if !slices.EqualFunc(got, want, slices.Equal) || !slices.Equal(scores, values) {
			t.Errorf("%s: elsewhere %v, %v; inside %v, %v", name, got, scores, want, values)
		}
		if most > 3 {
			t.Errorf("%s: %d rows are asked for", name, most)
		}
	}
	if driven < 15 {
		t.Errorf("%d spaces are listed", driven)
	}
}

// TestWrongAnswers: an answer that is no output is an error that names its row, and errors of the decoder come through.
func TestWrongAnswers(t *testing.T) {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		t.Fatal(err)
	}
	score, wrong := structure.Scores{Linear: []float64{1, 2, -0.5}}, errors.New("wrong")
	for asked := range 6 {
		calls := 0
		run := func(spoil func(dst []int32) error) error {
			calls = 0
			return PartitionBy(space, score, Options{Nu: 1, Most: 10}, 2, func(of Subproblems, dst []int32) ([]bool, error) {
				if err := decode.Batch(structure.OneSpace(space, of.Linear, of.Magnitude), decode.Exact, 0, dst, nil, 1, nil); err != nil {
					t.Fatal(err)
				}
				if calls++; calls == asked+1 {
					return nil, spoil(dst)
				}
				return nil, nil
			}, func([]int32, float64) bool { return true })
		}
		if err := run(func([]int32) error { return wrong }); err != wrong {
			t.Errorf("question %d: error %v", asked, err)
		}
		var rows int
		err := run(func(dst []int32) error {
			rows = len(dst) / 3
			clear(dst[3*(rows-1):])
			return nil
		})
		if fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != rows-1 {
			t.Errorf("question %d of %d rows: zeros are taken as a ranking: %v", asked, rows, err)
		}
	}
}
