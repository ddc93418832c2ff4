package structure

import (
	"errors"
	"math/rand/v2"
	"testing"

	"combpred/core/structure/examples"
)

// TestManyItemsUnderMasks: local search keeps to relations that are required, with what follows from them, and to some that are ruled out.
func TestManyItemsUnderMasks(t *testing.T) {
	const n = 40
	base := mustNew(t, "partialorders", examples.Sized(n))
	p, rng := pairs{n}, rand.New(rand.NewPCG(1, 3))
	var conditions []EntryCondition
	for v := range 15 {
		conditions = append(conditions, EntryCondition{p.pair(2*v, 2*v+2), 1, true}) // a chain of the even ones
	}
	for v := 1; v < n-4; v += 4 {
		conditions = append(conditions, EntryCondition{p.pair(v, v+1), 1, false}, EntryCondition{p.pair(v, v+2), 0, true})
	}
	space, err := Within(base, MaskOf(p.len(), conditions))
	if err != nil {
		t.Fatal(err)
	}
	y := make([]int32, p.len())
	for range 4 {
		score := Scores{Linear: make([]float64, p.len()), Magnitude: make([]float64, p.len())}
		for i := range score.Linear {
			score.Linear[i], score.Magnitude[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		for _, find := range []func([]int32, Scores, func() error) (Certificate, error){space.(Searcher).Start, space.(Searcher).Search} {
			cert, err := find(y, score, nil)
			if err != nil || space.Check(y) != nil || cert.UpperBound < cert.Value || cert.Nu != 1 {
				t.Fatalf("%+v, error %v, %v", cert, err, space.Check(y))
			}
		}
		if _, err := space.(Decoder).Decode(y, score); !isLimit(err) {
			t.Errorf("exact decoding gives %v", err)
		}
	}
	score := Scores{Linear: make([]float64, p.len())}
	if cert, err := space.(Decoder).Decode(y, score); err != nil || !cert.Optimal || space.Check(y) != nil {
		t.Errorf("scores of 0 give %v with %+v, error %v", y, cert, err)
	}
	if _, err := space.(Partitioner).LogPartition(nil, score.Linear, nil); !isLimit(err) {
		t.Errorf("the sum gives %v", err)
	}
	if space.(Counter).Count() != nil {
		t.Error("there is a count")
	}
	stop := errors.New("stop")
	if _, err := space.(Searcher).Search(y, score, func() error { return stop }); err != stop {
		t.Errorf("a search that is stopped gives %v", err)
	}
}
