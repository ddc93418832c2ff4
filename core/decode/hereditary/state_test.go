package hereditary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestStatesThatAreNone(t *testing.T) {
	weights := []float64{1, 2, 3, 0.5, 2.5}
	good := make([]float64, StateLen(len(weights)))
	m := New(weights, Auto, 3)
	verdicts := []uint8(nil)
	rng := rand.New(rand.NewPCG(4, 0))
	holds := forest(4)
	for range 40 {
		r, err := m.Next(verdicts)
		if err != nil || r.Ask != Holds {
			break
		}
		verdicts = verdicts[:0]
		for _, set := range r.Sets {
			verdicts = append(verdicts, 0)
			if holds(append(set, false)) {
				verdicts[len(verdicts)-1] = 1
			}
		}
		m.StateTo(good)
		for range 200 {
			state := slices.Clone(good)
			for range 1 + rng.IntN(3) {
				state[rng.IntN(len(state))] = []float64{-1, 0, 1, 2, 0.5, math.NaN(), 7, 1e9}[rng.IntN(8)]
			}
			if damaged, err := Resume(weights, Auto, 3, state); err == nil { // it must not panic, nor go on for ever
				answers := verdicts
				for range 1000 {
					r, err := damaged.Next(answers[:min(len(answers), damaged.Asked())])
					if err != nil || r.Ask != Holds {
						break
					}
					answers = make([]uint8, len(r.Sets))
				}
			}
		}
	}
	if _, err := Resume(weights, Auto, 3, good[1:]); err == nil {
		t.Error("a shorter state is taken")
	}
	if _, err := New(weights, Auto, 3).Next(nil); err != nil {
		t.Error(err)
	}
	one := New(weights, Auto, 3)
	if _, err := one.Next(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Next([]uint8{3}); err == nil {
		t.Error("3 is taken for a verdict")
	}
	if _, err := one.Next(nil); err == nil {
		t.Error("nothing is taken for a verdict")
	}
}
