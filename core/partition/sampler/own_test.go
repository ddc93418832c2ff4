package sampler_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/chain"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// TestOwnDraws: from a caller's draws chains are measured, and samples drawn.
func TestOwnDraws(t *testing.T) {
	space := build(t, "labelsets", map[string]int64{"n": 3})
	scores := []float64{1, -0.5, 0.2}
	g := enumerate(space, scores)
	rng := rand.New(rand.NewPCG(1, 1))
	for name, c := range slicex.InOrder(map[string]struct {
		opt  sampler.Options
		want chain.Method
	}{
		"auto":         {sampler.Options{Sampler: auto}, chain.Meta},
		"a chain":      {sampler.Options{Sampler: sampler.AnyChain}, chain.Meta},
		"a bound":      {sampler.Options{Sampler: auto, Bound: []float64{1.2}}, chain.FromPast},
		"a far bound":  {sampler.Options{Sampler: auto, Bound: []float64{40}}, chain.Meta},
		"a fair bound": {sampler.Options{Sampler: by(chain.Reject), Bound: []float64{2}}, chain.Reject},
	}) {
		const draws = 500
		opt := c.opt
		opt.Draws, opt.Diagnosed, opt.Budget, opt.Thin = draws, true, 1e6, 1
		s := &estimate.External{Features: 1, Log: math.NaN()}
		dst := chain.Draws{Y: make([]int32, draws), Value: make([]float64, draws)}
		s.Supply = func(n int) error {
			for range n {
				s.Draws = append(s.Draws, g.values[rng.IntN(len(g.values))])
			}
			return nil
		}
		found, err := sampler.Batch(structure.Rows(s, rowsOf(1, []float64{1})), opt, dst, 1, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if found.Sampler != by(c.want) || (found.Report != nil) != (c.want == chain.Meta) {
			t.Errorf("%s: by %v", name, found.Sampler)
		}
		var mean, want float64
		for k, number := range dst.Y {
			if s.Draws[number] != dst.Value[k] {
				t.Fatalf("%s: sample %d scores %v, not %v", name, k, dst.Value[k], s.Draws[number])
			}
			mean += dst.Value[k] / draws
		}
		for i, p := range g.p {
			want += p * g.values[i]
		}
		if math.Abs(mean-want) > 0.2 { // five standard errors, of chains seven
			t.Errorf("%s: the mean score is %v, not %v", name, mean, want)
		}
	}
}
