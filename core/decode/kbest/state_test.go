package kbest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/decode"
	"combpred/core/structure"
)

// TestSteps drives the machine as a caller does who decodes outside, by states that go from call to call, a few rows at a time.
func TestSteps(t *testing.T) {
	driven := 0
	for name, space := range small(t) {
		score := scoresOf(space.FeatureLen(), rand.New(rand.NewPCG(7, 8)))[0]
		want, _, _, err := list(space, score, Options{Method: Partition, Nu: 0.7}, mostListed, 1)
		if err != nil {
			continue
		}
		driven++
		state := NewMachine(space, score, 0.7, mostListed, 3).State()
		var answers []int32
		var got [][]int32
		for {
			m, err := Resume(space, score, 0.7, mostListed, 3, slices.Concat(state, []byte{1, 2, 3}))
			if err != nil {
				t.Fatal(name, err)
			}
			r, err := m.Next(answers, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			if state = m.State(); r.Ask == Done {
				break
			}
			if r.Ask == Listed {
				got, answers = append(got, r.Parts), nil
				continue
			}
			if r.Linear.Rows > 3 {
				t.Fatalf("%s: %d rows are asked for", name, r.Linear.Rows)
			}
			answers = make([]int32, r.Linear.Rows*space.PartLen())
			if err := decode.Batch(structure.OneSpace(space, r.Linear, r.Magnitude), decode.Exact, 0, answers, nil, 1, nil); err != nil {
				t.Fatal(name, err)
			}
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: step by step %v, at once %v", name, got, want)
		}
	}
	if driven < 15 {
		t.Errorf("%d spaces are listed step by step", driven)
	}
}

// TestDamagedStates: a state with any byte changed, cut off, or of another problem is an error, never a panic.
func TestDamagedStates(t *testing.T) {
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		t.Fatal(err)
	}
	score := structure.Scores{Linear: []float64{1, 2, -0.5}}
	m := NewMachine(space, score, 1, 10, 2)
	var answers []int32
	for range 12 {
		state := m.State()
		for i := range state {
			for _, flip := range []byte{1, 0x80, 0xff} {
				bad := slices.Clone(state)
				bad[i] ^= flip
				if _, err := Resume(space, score, 1, 10, 2, bad); err == nil {
					t.Fatalf("byte %d of %d may be changed", i, len(state))
				}
			}
			if _, err := Resume(space, score, 1, 10, 2, state[:i]); err == nil {
				t.Fatalf("%d bytes of %d suffice", i, len(state))
			}
		}
		if _, err := Resume(space, structure.Scores{Linear: []float64{1, 2, 0.5}}, 1, 10, 2, state); err == nil {
			t.Fatal("a state goes on with other scores")
		}
		r, err := m.Next(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		answers = nil
		if r.Ask == Decode {
			answers = make([]int32, 3*r.Linear.Rows)
			if _, err := m.Next(answers, nil); err == nil {
				t.Fatal("outputs of zeros are taken as rankings")
			}
			if _, err := m.Next(answers[1:], nil); err == nil {
				t.Fatal("too few answers are taken")
			}
			if err := decode.Batch(structure.OneSpace(space, r.Linear, r.Magnitude), decode.Exact, 0, answers, nil, 1, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}
