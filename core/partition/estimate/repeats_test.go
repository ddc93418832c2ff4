package estimate_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// TestCounts: the number of outputs is within the bounds as often as they say, whoever draws. Of 100 seeds at δ = 0.2, 20 may miss, and 45
// do with probability 1e-8.
func TestCounts(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 5})
	d := space.FeatureLen()
	zeros := blas64.General{Rows: 1, Cols: d, Stride: d, Data: make([]float64, d)}
	missed := 0
	for seed := range uint64(100) {
		opt := estimate.Options{Epsilon: 0.3, Delta: 0.2, MaxSteps: 1e6, Seed: seed, Sampler: estimate.AutoSampler}
		found, err := estimate.Counts(structure.Rows(space, zeros), opt, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if ratio := math.Exp(found[0].Log) / 120; ratio > 1.3 || ratio < 0.7 {
			missed++
		}
		if found[0].Repeats >= found[0].Samples {
			t.Errorf("%+v", found[0])
		}
	}
	if missed > 45 {
		t.Errorf("%d of 100 estimates are farther from 120 than they say", missed)
	}
	s := &estimate.External{Features: d, Log: math.NaN()}
	serve(t, s, space, zeros.Data, func() error {
		found, err := estimate.Counts(structure.Rows(s, zeros), estimate.Options{Epsilon: 0.1, Delta: 0.01, MaxSteps: 1e6}, 1, nil)
		if err == nil && math.Abs(found[0].Log-math.Log(120)) > 0.11 {
			t.Errorf("exp(%v) outputs, must be near 120", found[0].Log)
		}
		return err
	})
}

// TestCountsOfTooMany: where draws do not suffice, the error says how many outputs there are at least.
func TestCountsOfTooMany(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 20})
	d := space.FeatureLen()
	zeros := blas64.General{Rows: 1, Cols: d, Stride: d, Data: make([]float64, d)}
	_, err := estimate.Counts(structure.Rows(space, zeros), estimate.Options{Epsilon: 0.1, Delta: 0.05, MaxSteps: 3000}, 1, nil)
	if err == nil || fault.KindOf(err) != fault.KindCapability || !strings.Contains(err.Error(), "3000 draws show 0 of 787") {
		t.Errorf("%v", err)
	}
}
