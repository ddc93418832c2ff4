package decode

import (
	"errors"
	"math"
	"slices"
	"testing"

	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// TestLevelsOfAProcess: annealing cools by 1 − 1/√n from the range to R/(4n)², or to ε/ln(|Y|/δ), and Metropolis has one level.
func TestLevelsOfAProcess(t *testing.T) {
	const spread, parts = 12.0, 9
	factor := 1 - 1/3.0
	own := (&Process{Method: Anneal}).Levels(spread, parts, math.NaN())
	to := (&Process{Method: Anneal, Epsilon: 0.5, Delta: 0.1}).Levels(spread, parts, math.Log(50))
	if last := own[len(own)-1]; last*factor > spread/(36*36) || last < spread/(36*36) {
		t.Errorf("the last level is %v, cooling ends at %v", last, spread/(36*36.0))
	}
	if last, want := to[len(to)-1], 0.5/math.Log(500); math.Abs(last-want) > 1e-12 {
		t.Errorf("the last level is %v, for epsilon it is %v", last, want)
	}
	for _, levels := range [][]float64{own, to[:len(to)-1]} {
		for i, level := range levels {
			if want := spread * math.Pow(factor, float64(i)); math.Abs(level-want) > 1e-9*want {
				t.Fatalf("level %d is %v, should be %v", i, level, want)
			}
		}
	}
	if one := (&Process{Method: Metropolis}).Levels(spread, parts, 0); len(one) != 1 || one[0] != spread/90 {
		t.Errorf("Metropolis has the levels %v", one)
	}
}

// TestSearchesDoNotDependOnWorkers: rows have streams of their own, and traces say what was done in each.
func TestSearchesDoNotDependOnWorkers(t *testing.T) {
	for name, n := range slicex.InOrder(map[string]int64{"routes": 6, "labelsets": 6, "permutations": 7}) {
		space := build(t, name, n)
		linear := gaussian(5, space.FeatureLen(), 3)
		for _, proposals := range []Proposals{AnyProposals, Moves, Uniform} {
			p := Process{Method: Metropolis, Proposals: proposals, Temperatures: []float64{0.5}, Steps: 50, Runs: 3, Seed: 9}
			run := func(workers int) ([]int32, []Trace) {
				dst, traces := make([]int32, 5*space.PartLen()), make([]Trace, 5)
				mon := new(parallel.Monitor)
				if err := SearchBatch(structure.Rows(space, linear), p, dst, nil, traces, workers, mon); err != nil {
					t.Fatal(name, err)
				}
				if mon.Steps() != 15 {
					t.Errorf("%s: %d runs are counted, not 15", name, mon.Steps())
				}
				return dst, traces
			}
			one, traces := run(1)
			two, again := run(2)
			if !slices.Equal(one, two) || !slices.Equal(traces, again) {
				t.Errorf("%s: proposals %d depend on the number of workers", name, proposals)
			}
			for _, trace := range traces {
				if trace.Success < 1 && (trace.Steps != 150 || trace.Accepted > 150 || trace.Temperature != 0.5) {
					t.Errorf("%s: %+v", name, trace)
				}
			}
		}
	}
}

// TestProcessesAreRefused: what cannot be, what the structure lacks, and a search that is cancelled.
func TestProcessesAreRefused(t *testing.T) {
	space := build(t, "permutations", 5)
	linear := gaussian(1, space.FeatureLen(), 1)
	try := func(space structure.Space, p Process, mon *parallel.Monitor) error {
		return SearchBatch(structure.Rows(space, linear), p, make([]int32, space.PartLen()), nil, nil, 1, mon)
	}
	for _, p := range []Process{
		{Method: Exact, Runs: 1},
		{Method: Anneal},
		{Method: Anneal, Runs: 1, Steps: -1},
		{Method: Anneal, Runs: 1, Temperatures: []float64{1, 0}},
		{Method: Metropolis, Runs: 1, Temperatures: []float64{2, 1}},
		{Method: Metropolis, Runs: 1, Epsilon: 1, Delta: 0.5},
		{Method: Anneal, Runs: 1, Epsilon: 1},
		{Method: Anneal, Runs: 1, Epsilon: math.NaN()},
	} {
		if try(space, p, nil) == nil {
			t.Errorf("%+v is taken", p)
		}
	}
	bare := struct {
		structure.Space
		structure.Sampler
	}{space, space.(structure.Sampler)}
	err := try(bare, Process{Method: Anneal, Proposals: Moves, Runs: 1}, nil)
	if _, ok := errors.AsType[*structure.CapabilityError](err); !ok {
		t.Errorf("moves that are not there: %v", err)
	}
	err = try(bare, Process{Method: Anneal, Proposals: Uniform, Runs: 1}, nil)
	if _, ok := errors.AsType[*structure.CapabilityError](err); !ok {
		t.Errorf("temperatures without bounds on scores: %v", err)
	}
	err = try(bare, Process{Method: Metropolis, Proposals: Uniform, Runs: 1, Temperatures: []float64{1}}, nil)
	if err != nil {
		t.Errorf("uniform proposals at a given temperature: %v", err)
	}
	mon := new(parallel.Monitor)
	mon.Cancel()
	if err := try(space, Process{Method: Anneal, Runs: 1}, mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("a cancelled search: %v", err)
	}
}
