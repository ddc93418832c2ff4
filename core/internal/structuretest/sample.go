package structuretest

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"combpred/core/structure"
)

// falseAlarm is the probability with which a correct sampler fails the χ² test, for one size. Seeds are fixed, so that
// a sampler that passes goes on passing.
const falseAlarm = 1e-4

// drawsPerOutput makes the expected frequencies large enough for the χ² approximation.
const drawsPerOutput = 20

// sample compares the frequencies of sampled outputs with the uniform distribution.
func (e *enumerated) sample(t *testing.T) {
	sampler, ok := e.space.(structure.Sampler)
	if !ok {
		t.Skip("no Sampler")
	}
	first, second := e.draw(t, sampler, 20), e.draw(t, sampler, 20)
	if !slices.Equal(first, second) {
		t.Error("the same seed gives different samples")
	}
	frequency := make([]float64, len(e.outputs))
	for _, i := range first {
		frequency[i]++
	}
	var statistic float64
	for _, f := range frequency {
		statistic += (f - drawsPerOutput) * (f - drawsPerOutput) / drawsPerOutput
	}
	freedom := float64(len(e.outputs) - 1)
	if freedom == 0 {
		return // every draw was found in the list of one
	}
	if p := mathext.GammaIncRegComp(freedom/2, statistic/2); p < falseAlarm {
		t.Errorf("χ² is %.1f with %.0f degrees of freedom, p = %.2g: not uniform", statistic, freedom, p)
	}
}

// draw returns the places in the list of drawsPerOutput samples for each output.
func (e *enumerated) draw(t *testing.T, sampler structure.Sampler, seed uint64) []int {
	t.Helper()
	rng := generator(seed)
	drawn := make([]int, drawsPerOutput*len(e.outputs))
	for i := range drawn {
		y := garbageParts(e.space.PartLen())
		sampler.Sample(y, rng)
		at, ok := e.index[key(y)]
		if !ok {
			t.Fatalf("the sample %v is not in the list", y)
		}
		drawn[i] = at
	}
	return drawn
}
