package structuretest

import (
	"errors"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"combpred/core/structure"
)

// distribution compares the frequencies of samples from p with the probabilities by χ², outputs of small expected
// frequency taken together. A correct Partitioner fails with probability falseAlarm for each of two score vectors.
func (e *enumerated) distribution(t *testing.T) {
	d, ok := e.space.(structure.Partitioner)
	if !ok {
		t.Skip("no Partitioner")
	}
	at := 0
	for s := range testedScores(e.space.FeatureLen(), generator(61)) {
		_, _, p := e.gibbs(s)
		draw, err := d.Distribution(s, nil)
		if err != nil {
			t.Fatalf("Distribution(%v) fails: %v", s, err)
		}
		n := 200
		if at == 4 || at == 6 { // moderate scores
			n = drawsPerOutput * len(p)
		}
		seen := e.drawn(t, draw, n, 62)
		if !slices.Equal(seen, e.drawn(t, draw, n, 62)) {
			t.Fatal("the same seed gives different samples")
		}
		for i, f := range seen {
			if f > 0 && p[i] < falseAlarm/1e6 {
				t.Fatalf("for the scores %v an output of probability %v is drawn %v times of %d", s, p[i], f, n)
			}
		}
		if at == 4 || at == 6 {
			if q := goodness(seen, p, float64(n)); q < falseAlarm {
				t.Errorf("for the scores %v the frequencies of samples have p = %.2g", s, q)
			}
		}
		at++
	}
}

// drawn returns how often each output of the list is drawn.
func (e *enumerated) drawn(t *testing.T, draw structure.Draw, n int, seed uint64) []float64 {
	t.Helper()
	rng, seen := generator(seed), make([]float64, len(e.outputs))
	for range n {
		y := garbageParts(e.space.PartLen())
		draw(y, rng)
		i, ok := e.index[key(y)]
		if !ok {
			t.Fatalf("the sample %v is not in the list", y)
		}
		seen[i]++
	}
	return seen
}

// goodness returns the p-value of the χ² test of n draws.
func goodness(seen, p []float64, n float64) float64 {
	const least = 5 // expected frequency of a cell
	var statistic, cells, pooled, expected float64
	cell := func(f, e float64) {
		statistic += (f - e) * (f - e) / e
		cells++
	}
	for i, f := range seen {
		if e := p[i] * n; e >= least {
			cell(f, e)
		} else {
			pooled += f
			expected += e
		}
	}
	if expected >= least {
		cell(pooled, expected)
	}
	if cells < 2 {
		return 1
	}
	return mathext.GammaIncRegComp((cells-1)/2, statistic/2)
}

// refusesToDraw: where ln Z is refused, so are samples.
func (s subject) refusesToDraw(t *testing.T) {
	t.Helper()
	if d, ok := s.space.(structure.Partitioner); ok {
		_, err := d.Distribution(make([]float64, s.space.FeatureLen()), nil)
		if _, ok := errors.AsType[*structure.LimitError](err); !ok {
			t.Fatalf("beyond the limit Distribution gives the error %v", err)
		}
	}
}
