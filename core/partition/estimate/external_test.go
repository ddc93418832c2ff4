package estimate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/partition/estimate"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// caller draws and moves outputs of a space as a caller would.
type caller struct {
	t       *testing.T
	space   structure.Space
	scores  []float64
	to      *estimate.External
	rng     *rand.Rand
	outputs map[int64][]int32
	asked   int // for draws
}

func (c *caller) figures(y []int32) []float64 {
	psi := make([]float64, c.space.FeatureLen())
	c.space.Embed(psi, y)
	if c.to.Features == 1 {
		return []float64{structure.Scores{Linear: c.scores}.Value(psi)}
	}
	return psi
}

func (c *caller) supply(n int) error {
	if c.asked++; n < 1 {
		c.t.Fatalf("%d more draws are asked for", n)
	}
	for range n {
		y := make([]int32, c.space.PartLen())
		c.space.(structure.Sampler).Sample(y, c.rng)
		c.outputs[int64(c.to.Len())] = y
		c.to.Draws = append(c.to.Draws, c.figures(y)...)
	}
	return nil
}

// Move implements walks.Mover. Every tenth move leads to no output.
func (c *caller) Move(_, from, to []int64, psi, ratio []float64) error {
	for k := range from {
		y := c.outputs[from[k]]
		if y == nil {
			c.t.Fatalf("a move from %d, which is no output", from[k])
		}
		if c.rng.IntN(10) == 0 {
			delete(c.outputs, to[k])
			ratio[k] = math.Inf(-1)
			continue
		}
		z := make([]int32, len(y))
		c.space.(structure.Proposer).Propose(z, y, c.rng)
		c.outputs[to[k]] = z
		copy(psi[k*c.to.Features:], c.figures(z))
	}
	return nil
}

// serve lets an estimate have draws and moves of a space, until it ends, and says how often it asked for draws.
func serve(t *testing.T, s *estimate.External, space structure.Space, scores []float64, run func() error) (asked int) {
	t.Helper()
	c := &caller{t, space, scores, s, rand.New(rand.NewPCG(5, 5)), map[int64][]int32{}, 0}
	s.Supply = c.supply
	if s.Mover != nil {
		s.Mover = c
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	return c.asked
}

// TestWalks: with chains of a caller's own moves estimates are near.
func TestWalks(t *testing.T) {
	space := build(t, "labelsets", map[string]int64{"n": 6, "size": 3})
	d := space.FeatureLen()
	scores := normal(d, 10)
	all := list(space, scores)
	logCount, _ := structure.LogCount(space)
	opt := estimate.Options{Epsilon: 0.3, Delta: 0.05, Sampler: estimate.Sampler(chain.LocalMoves), MaxSteps: 1e8, Seed: 2}
	one := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}
	s := &estimate.External{Features: 1, Log: logCount, Mover: &caller{}}
	var found []estimate.Row
	asked := serve(t, s, space, scores, func() (err error) {
		found, err = estimate.Anneal(structure.Rows(s, one), opt, 1, nil)
		return err
	})
	value := logCount + found[0].LogRatio
	if exact := all.logZ(); exact < value-math.Log1p(0.3) || exact > value-math.Log1p(-0.3) {
		t.Errorf("%v, must be near %v", value, exact)
	}
	if found[0].Failure != "" || asked > 80 || found[0].Accepted > found[0].Steps {
		t.Errorf("asked %d times for draws: %+v", asked, found[0])
	}
	s = &estimate.External{Features: d, Log: math.NaN(), Mover: &caller{}}
	value1, bound := blank(1, d), blank(1, d)
	opt.Epsilon = 0.05
	asked = serve(t, s, space, scores, func() error {
		_, err := estimate.ChainMeans(structure.Rows(s, rowsOf(1, scores)), opt, value1.Data, bound.Data, 1, nil)
		return err
	})
	for j, want := range all.mean() {
		if off := math.Abs(value1.Data[j] - want); off > bound.Data[j] {
			t.Errorf("entry %d: off by %v, said to be within %v", j, off, bound.Data[j])
		}
	}
	if asked > 80 {
		t.Errorf("asked %d times for draws", asked)
	}
	s.Mover = nil
	if _, err := estimate.ChainMeans(structure.Rows(s, rowsOf(1, scores)), opt, value1.Data, bound.Data, 1, nil); err == nil {
		t.Error("chains without moves")
	}
	samples := estimate.MarginalOptions{Options: opt}
	samples.Sampler = estimate.AutoSampler
	_, err := estimate.Marginals(structure.Rows(s, rowsOf(1, scores)), samples, value1.Data, bound.Data, 1, nil)
	if err == nil || fault.KindOf(err) != fault.KindCapability || !strings.Contains(err.Error(), "feature_range") {
		t.Errorf("ranges that only the caller knows: %v", err)
	}
}

// TestSuppliedDraws: with a caller's own draws estimates are as near as with the library's.
func TestExternalDraws(t *testing.T) {
	space := build(t, "labelsets", map[string]int64{"n": 5, "size": 2})
	d := space.FeatureLen()
	scores := normal(d, 10)
	all := list(space, scores)
	var reach float64
	for _, h := range all.scores {
		reach = max(reach, math.Abs(h))
	}
	logCount, _ := structure.LogCount(space)
	one := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}
	for name, c := range slicex.InOrder(map[string]struct {
		sampler, taken estimate.Sampler
		bound          []float64
		levels         estimate.Levels
	}{
		"no bound":  {estimate.AutoSampler, estimate.Sampler(chain.Meta), nil, estimate.Adaptive},
		"coupling":  {estimate.AutoSampler, estimate.Sampler(chain.FromPast), []float64{reach}, estimate.Adaptive},
		"rejection": {estimate.Sampler(chain.Reject), estimate.Sampler(chain.Reject), []float64{reach + 0.1}, estimate.Uniform},
	}) {
		opt := estimate.Options{Epsilon: 0.3, Delta: 0.05, Sampler: c.sampler, MaxSteps: 1e8, Seed: 2, Bound: c.bound, Levels: c.levels}
		s := &estimate.External{Features: 1, Log: logCount}
		var found []estimate.Row
		asked := serve(t, s, space, scores, func() (err error) {
			found, err = estimate.Anneal(structure.Rows(s, one), opt, 1, nil)
			return err
		})
		value := logCount + found[0].LogRatio
		if exact := all.logZ(); exact < value-math.Log1p(0.3) || exact > value-math.Log1p(-0.3) {
			t.Errorf("%s: %v, must be near %v", name, value, exact)
		}
		if found[0].Sampler != c.taken || found[0].Failure != "" {
			t.Errorf("%s: %+v", name, found[0])
		}
		if asked > 60 || int64(s.Len()) > 2*found[0].Steps+4096 {
			t.Errorf("%s: was asked %d times for %d draws, of which %d are taken", name, asked, s.Len(), found[0].Steps)
		}
	}
	opt := estimate.Options{Epsilon: 0.1, Delta: 0.05, Sampler: estimate.Sampler(chain.Meta), MaxSteps: 1e8, Seed: 2}
	exact := all.mean()
	low, high := make([]float64, d), make([]float64, d)
	for j := range high {
		high[j] = 1
	}
	for name, run := range slicex.InOrder(map[string]func(s *estimate.External, value, bound blas64.General) error{
		"samples": func(s *estimate.External, value, bound blas64.General) error {
			averaging := estimate.MarginalOptions{Options: opt, Low: low, High: high}
			_, err := estimate.Marginals(structure.Rows(s, rowsOf(1, scores)), averaging, value.Data, bound.Data, 1, nil)
			return err
		},
		"counting": func(s *estimate.External, value, bound blas64.General) error {
			mean := make([]float64, d)
			space.(structure.Momenter).Mean(mean)
			counting := estimate.MarginalOptions{Options: opt, Low: low, High: high, Counting: true, Mean: mean}
			counting.Epsilon, counting.Delta = 0.5, 0.2
			_, err := estimate.Marginals(structure.Rows(s, rowsOf(1, scores)), counting, value.Data, bound.Data, 1, nil)
			return err
		},
		"chains": func(s *estimate.External, value, bound blas64.General) error {
			_, err := estimate.ChainMeans(structure.Rows(s, rowsOf(1, scores)), opt, value.Data, bound.Data, 1, nil)
			return err
		},
	}) {
		s := &estimate.External{Features: d, Log: math.NaN()}
		value, bound := blank(1, d), blank(1, d)
		serve(t, s, space, scores, func() error { return run(s, value, bound) })
		for j, want := range exact {
			if off := math.Abs(value.Data[j] - want); off > bound.Data[j] {
				t.Errorf("%s, entry %d: off by %v, said to be within %v", name, j, off, bound.Data[j])
			}
		}
	}
}

// drawBy draws from the scores of a caller's draws.
func drawBy(s *estimate.External, opt chain.Options, dst chain.Draws) error {
	if err := s.Begin(opt.Start); err != nil {
		return err
	}
	return s.Batch(structure.Rows(s, rowsOf(1, []float64{1})), opt, dst, nil)
}

// TestSuppliedSamples: samples from a caller's draws have the frequencies of p, by Pearson's statistic with 9 degrees of freedom: a false
// alarm with 1e-5 for each of two, and the chain by every 20th state, which are nearly independent.
func TestExternalSamples(t *testing.T) {
	space := build(t, "labelsets", map[string]int64{"n": 5, "size": 2})
	scores := normal(space.FeatureLen(), 11)
	all := list(space, scores)
	logZ, top := all.logZ(), slices.Max(all.scores)
	for method, thin := range slicex.InOrder(map[chain.Method]int{chain.Meta: 20, chain.Reject: 1, chain.FromPast: 1}) {
		const draws = 3000
		s := &estimate.External{Features: 1}
		opt := chain.Options{Method: method, Draws: draws, BurnIn: 20, Thin: thin, Budget: 1e6, Seed: 4}
		if method != chain.Meta {
			opt.Bound = []float64{top}
		}
		dst := chain.Draws{Y: make([]int32, draws), Value: make([]float64, draws), Steps: make([]int64, draws)}
		serve(t, s, space, scores, func() error { return drawBy(s, opt, dst) })
		counts := make([]float64, len(all.scores))
		for k, number := range dst.Y {
			if s.Draws[number] != dst.Value[k] {
				t.Fatalf("sample %d is draw %d, and scores %v", k, number, dst.Value[k])
			}
			for i, h := range all.scores {
				if math.Abs(h-dst.Value[k]) < 1e-12 {
					counts[i]++
				}
			}
		}
		var statistic float64
		for i, h := range all.scores {
			expected := draws * math.Exp(h-logZ)
			statistic += (counts[i] - expected) * (counts[i] - expected) / expected
		}
		if statistic > 40.7 { // the quantile
			t.Errorf("method %d: χ² is %v", method, statistic)
		}
	}
	none := errors.New("there are no more")
	s := &estimate.External{Features: 1, Draws: []float64{5, 0, 0, 0}, Supply: func(int) error { return none }}
	dst := chain.Draws{Y: make([]int32, 1), Value: make([]float64, 1)}
	if err := drawBy(s, chain.Options{Method: chain.Meta, Draws: 1, Thin: 3, Budget: 1, Start: []int32{0}}, dst); err != nil {
		t.Fatal(err)
	}
	if err := drawBy(s, chain.Options{Method: chain.Meta, Draws: 1, Thin: 4, Budget: 1, Start: []int32{0}}, dst); !errors.Is(err, none) {
		t.Errorf("four proposals after a start from three draws: %v", err)
	}
	if err := drawBy(s, chain.Options{Method: chain.Meta, Draws: 1, Thin: 4, Budget: 1, Start: []int32{4}}, dst); err == nil {
		t.Error("a start that is no draw is not refused")
	}
}

// TestWhatIsSupplied: errors of the caller come through wherever draws run out, and draws that are none are refused by their number.
func TestWhatIsSupplied(t *testing.T) {
	one := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1}}
	opt := estimate.Options{Epsilon: 0.3, Delta: 0.05, Sampler: estimate.Sampler(chain.Meta), MaxSteps: 1e8, Seed: 2}
	none := errors.New("there are no more")
	rng := rand.New(rand.NewPCG(6, 6))
	for stop := range 6 {
		calls := 0
		s := &estimate.External{Features: 1, Log: 3}
		s.Supply = func(n int) error {
			if calls++; calls > stop {
				return none
			}
			for range n {
				s.Draws = append(s.Draws, 2*rng.NormFloat64())
			}
			return nil
		}
		if _, err := estimate.Anneal(structure.Rows(s, one), opt, 1, nil); !errors.Is(err, none) {
			t.Errorf("after %d blocks: %v", stop, err)
		}
	}
	for name, spoil := range slicex.InOrder(map[string]func(draws []float64) []float64{
		"must be finite": func(draws []float64) []float64 { draws[7] = math.NaN(); return draws },
		"supplied for":   func(draws []float64) []float64 { return draws[1:] },
	}) {
		s := &estimate.External{Features: 1, Log: 3}
		s.Supply = func(n int) error { s.Draws = spoil(make([]float64, n)); return nil }
		_, err := estimate.Anneal(structure.Rows(s, one), opt, 1, nil)
		if err == nil || !strings.Contains(err.Error(), name) || (fault.RowOf(err) == 7) != (name == "must be finite") {
			t.Errorf("%v, want one that says %q", err, name)
		}
	}
}

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
