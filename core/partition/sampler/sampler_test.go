package sampler_test

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
	"combpred/core/partition/sampler"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func build(t *testing.T, name string, scalars map[string]int64) structure.Space {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: scalars})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func rankings(t *testing.T, n int64) structure.Space {
	return build(t, "permutations", map[string]int64{"n": n})
}

// rowsOf repeats scores.
func rowsOf(n int, scores []float64) blas64.General {
	return blas64.General{Rows: n, Cols: len(scores), Stride: len(scores), Data: slices.Repeat(scores, n)}
}

func constant(d int, v float64) []float64 { return slices.Repeat([]float64{v}, d) }

func normal(d int, seed uint64) []float64 {
	rng, s := rand.New(rand.NewPCG(seed, 1)), make([]float64, d)
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	return s
}

func room(space structure.Space, n int) chain.Draws {
	return chain.Draws{
		Y: make([]int32, n*space.PartLen()), Value: make([]float64, n), Steps: make([]int64, n), Accepted: make([]int64, n),
	}
}

var exact, auto = estimate.ExactSampler, estimate.AutoSampler

func by(m chain.Method) estimate.Sampler { return estimate.Sampler(m) }

// TestWhichSamplerSuits: what structure, scores and time have to say.
func TestWhichSamplerSuits(t *testing.T) {
	sets, large := build(t, "labelsets", map[string]int64{"n": 5}), rankings(t, 24)
	few, many := constant(276, 0.002), constant(276, 0.4)
	for name, c := range slicex.InOrder(map[string]struct {
		space   structure.Space
		scores  []float64
		sampler estimate.Sampler
		seconds float64
		rows    int
		start   []int32
		want    estimate.Sampler
	}{
		"affordable":     {rankings(t, 6), constant(15, 1), auto, 300, 0, nil, exact},
		"no time":        {rankings(t, 6), constant(15, 4), auto, 0, 0, nil, by(chain.LocalMoves)},
		"too many rows":  {rankings(t, 16), constant(120, 1), auto, 300, 1e6, nil, by(chain.LocalMoves)},
		"a lattice":      {sets, constant(5, 1), auto, 0, 0, nil, by(chain.MonotonePast)},
		"few proposals":  {large, few, auto, 300, 0, nil, by(chain.FromPast)},
		"many proposals": {large, many, auto, 300, 0, nil, by(chain.LocalMoves)},
		"a start":        {rankings(t, 3), constant(3, 1), auto, 300, 0, []int32{1, 2, 3}, by(chain.LocalMoves)},
		"a chain":        {sets, constant(5, 1), sampler.AnyChain, 300, 0, nil, by(chain.LocalMoves)},
		"as asked":       {rankings(t, 4), constant(6, 0), by(chain.Reject), 300, 0, nil, by(chain.Reject)},
	}) {
		opt := sampler.Options{
			Sampler: c.sampler, Draws: 2, BurnIn: 5, Thin: 2, Budget: 1e6, ExactSeconds: c.seconds, Rows: c.rows, Start: c.start,
		}
		found, err := sampler.Batch(structure.OneSpaceLinear(c.space, rowsOf(1, c.scores)), opt, room(c.space, 2), 2, nil)
		if err != nil || found.Sampler != c.want || found.Report != nil {
			t.Errorf("%s: %v by %v, not %v", name, err, found.Sampler, c.want)
		}
	}
}

// TestAutoGoesOn: a budget that is spent leaves the work to a chain, and one that was asked for is an error.
func TestAutoGoesOn(t *testing.T) {
	space := rankings(t, 24)
	opt := sampler.Options{Sampler: auto, Draws: 40, BurnIn: 5, Thin: 2, Budget: 1, Seed: 3}
	found, err := sampler.Batch(structure.OneSpaceLinear(space, rowsOf(1, constant(276, 0.002))), opt, room(space, 40), 1, nil)
	if err != nil || found.Sampler != by(chain.LocalMoves) {
		t.Errorf("%v by %v", err, found.Sampler)
	}
	opt.Sampler = by(chain.FromPast)
	_, err = sampler.Batch(structure.OneSpaceLinear(space, rowsOf(1, constant(276, 0.002))), opt, room(space, 40), 1, nil)
	if _, spent := errors.AsType[*chain.BudgetError](err); !spent {
		t.Errorf("a budget of 1: %v", err)
	}
}

// TestChoosingAlone: without rows nothing is drawn, and what is lacking is told.
func TestChoosingAlone(t *testing.T) {
	for _, c := range []struct {
		space   structure.Space
		sampler estimate.Sampler
		want    estimate.Sampler
		lacks   string
	}{
		{rankings(t, 30), auto, by(chain.FromPast), ""},
		{rankings(t, 4), auto, exact, ""},
		{rankings(t, 30), exact, 0, "limited to"},
		{rankings(t, 4), by(chain.CubeMoves), 0, "elements"},
		{rankings(t, 4), by(chain.Reject), by(chain.Reject), ""},
	} {
		opt := sampler.Options{Sampler: c.sampler, ExactSeconds: 300}
		d := c.space.FeatureLen()
		found, err := sampler.Batch(structure.OneSpaceLinear(c.space, blas64.General{Cols: d, Stride: d}), opt, chain.Draws{}, 1, nil)
		if c.lacks == "" && (err != nil || found.Sampler != c.want) ||
			c.lacks != "" && (err == nil || !strings.Contains(err.Error(), c.lacks)) {
			t.Errorf("%v: %v by %v", c.sampler, err, found.Sampler)
		}
	}
	for _, opt := range []sampler.Options{
		{Draws: -1}, {Rows: -1}, {ExactSeconds: math.NaN()}, {Sampler: exact, Bound: []float64{1}},
		{Sampler: exact, Start: []int32{1, 2, 3, 4}},
	} {
		if _, err := sampler.Batch(structure.OneSpaceLinear(rankings(t, 4), rowsOf(1, constant(6, 1))), opt, chain.Draws{}, 1, nil); err == nil {
			t.Errorf("%+v is not refused", opt)
		}
	}
}

// gibbs are all outputs of a small space, with their probabilities.
type gibbs struct {
	outputs [][]int32
	values  []float64
	p       []float64
}

func enumerate(space structure.Space, scores []float64) (g gibbs) {
	psi := make([]float64, space.FeatureLen())
	for y := range space.(structure.Enumerator).All() {
		space.Embed(psi, y)
		g.outputs = append(g.outputs, slices.Clone(y))
		g.values = append(g.values, structure.Scores{Linear: scores}.Value(psi))
	}
	top, sum := slices.Max(g.values), 0.0
	for _, v := range g.values {
		g.p = append(g.p, math.Exp(v-top))
		sum += g.p[len(g.p)-1]
	}
	for i := range g.p {
		g.p[i] /= sum
	}
	return g
}

// TestSamplesFollowTheDistribution: χ² of 24 outputs, halved for the draws of chains, which are correlated by some per cent.
func TestSamplesFollowTheDistribution(t *testing.T) {
	space := rankings(t, 4)
	scores := normal(6, 2)
	g := enumerate(space, scores)
	const draws = 8000
	for _, s := range []estimate.Sampler{exact, by(chain.LocalMoves), by(chain.Meta), by(chain.FromPast)} {
		dst := room(space, 2*draws)
		opt := sampler.Options{Sampler: s, Draws: draws, Budget: 1e6, Thin: 1, Seed: 1, Diagnosed: true}
		found, err := sampler.Batch(structure.OneSpaceLinear(space, rowsOf(2, scores)), opt, dst, 2, nil)
		if err != nil || found.Sampler != s || (found.Report != nil) == s.Exact() {
			t.Fatalf("%v: %v %+v", s, err, found)
		}
		counts := make([]float64, len(g.p))
		for k := draws; k < 2*draws; k++ { // the second row
			i := slices.IndexFunc(g.outputs, func(y []int32) bool { return slices.Equal(y, dst.Y[4*k:4*k+4]) })
			counts[i]++
			if math.Abs(dst.Value[k]-g.values[i]) > 1e-12 || dst.Accepted[k] < 0 || dst.Accepted[k] > dst.Steps[k] {
				t.Fatalf("%v: draw %d scores %v, is said to score %v in %d of %d steps", s, k, g.values[i], dst.Value[k], dst.Accepted[k],
					dst.Steps[k])
			}
		}
		var statistic float64
		for i, p := range g.p {
			statistic += (counts[i] - draws*p) * (counts[i] - draws*p) / (draws * p)
		}
		if !s.Exact() {
			statistic /= 2
		}
		if statistic > 71 { // the quantile of one in a million for 23 degrees of freedom
			t.Errorf("%v: χ² is %v", s, statistic)
		}
	}
}

// TestReports: the figures are those of the chains that they speak of, run once more.
func TestReports(t *testing.T) {
	space := rankings(t, 5)
	scores := rowsOf(1, normal(10, 3))
	scores = blas64.General{Rows: 2, Cols: 10, Stride: 10, Data: append(scores.Data, constant(10, 0)...)}
	for _, method := range []chain.Method{chain.LocalMoves, chain.Meta} {
		opt := sampler.Options{Sampler: by(method), Draws: 3, Seed: 5, Diagnosed: true}
		dst := room(space, 6)
		found, err := sampler.Batch(structure.OneSpaceLinear(space, scores), opt, dst, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := found.Report
		slowest := slices.Max(r.Time)
		if thin := int64(math.Ceil(1.5 * slowest)); r.Thin[0] != thin || r.Thin[1] != thin {
			t.Errorf("%v: %v steps apart for autocorrelation times of %v", method, r.Thin, r.Time)
		}
		again := room(space, 2*32)
		err = chain.Batch(structure.OneSpaceLinear(space, scores), chain.Options{
			Method: method, Draws: 32, Thin: int(r.Thin[0]), Budget: 1, Seed: 5 + 1<<31, Start: r.States,
		}, again, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if got, want := dst.Y[i*15:(i+1)*15], again.Y[(i*32+29)*5:(i+1)*32*5]; !slices.Equal(got, want) {
				t.Errorf("%v, row %d: %v, not %v", method, i, got, want)
			}
			lags := make([]float64, 2)
			chain.Autocorrelation(lags, again.Value[i*32:(i+1)*32])
			if want := lags[1]; r.Correlation[i] != want && !math.IsNaN(want) || math.IsNaN(r.Correlation[i]) {
				t.Errorf("%v, row %d: correlation %v, not %v", method, i, r.Correlation[i], want)
			}
			if !(r.RHat[i] < 1.1) || r.EffectiveSize[i] > 256 || !(r.Acceptance[i] > 0) || r.Acceptance[i] > 1 || r.Steps[i] < 256 {
				t.Errorf("%v, row %d: %+v", method, i, r)
			}
		}
		if r.EffectiveSize[1] != 256 || r.RHat[1] != 1 { // all outputs score alike
			t.Errorf("%v: equal scores have %v %v", method, r.EffectiveSize[1], r.RHat[1])
		}
		alone := sampler.Options{Sampler: by(method), Seed: 5, Diagnosed: true}
		measured, err := sampler.Batch(structure.OneSpaceLinear(space, scores), alone, chain.Draws{}, 2, nil)
		if err != nil || !slices.Equal(measured.Report.States, r.States) || !slices.Equal(measured.Report.RHat, r.RHat) {
			t.Errorf("%v: without samples %v %+v", method, err, measured.Report)
		}
		four := slices.Concat(slices.Repeat(r.States[:5], 4), slices.Repeat(r.States[5:], 4))
		alone.Start = four
		if started, err := sampler.Batch(structure.OneSpaceLinear(space, scores), alone, chain.Draws{}, 1, nil); err != nil || started.Report.Steps[0] >= r.Steps[0] {
			t.Errorf("%v: with a start %v %+v", method, err, started.Report)
		}
	}
}

// TestMixingBounds: those of uniform proposals follow from the range of scores, those of local moves from their spectrum, too.
func TestMixingBounds(t *testing.T) {
	space, scores := rankings(t, 4), constant(6, 0.25)
	g := enumerate(space, scores)
	spread := slices.Max(g.values) - slices.Min(g.values)
	meta, local := chain.MixingBoundIndependence(-spread, 0.01), chain.MixingBound(space, chain.LocalMoves, spread, 0.01)
	for method, want := range slicex.InOrder(map[chain.Method]float64{chain.Meta: meta, chain.LocalMoves: local}) {
		opt := sampler.Options{Sampler: by(method), Seed: 1, Diagnosed: true}
		found, err := sampler.Batch(structure.OneSpaceLinear(space, rowsOf(1, scores)), opt, chain.Draws{}, 1, nil)
		if err != nil || found.Report.MixingBound[0] != want {
			t.Errorf("%v: %v, %v is not %v", method, err, found.Report.MixingBound, want)
		}
	}
}

// TestErrorsNameTheRow: not that of one of its four chains.
func TestErrorsNameTheRow(t *testing.T) {
	space := rankings(t, 4)
	scores := rowsOf(3, constant(6, 1))
	scores.Data[2*6] = math.NaN()
	for _, s := range []estimate.Sampler{exact, by(chain.LocalMoves), by(chain.FromPast), auto} {
		opt := sampler.Options{Sampler: s, Draws: 1, Thin: 1, Budget: 9, Diagnosed: true, ExactSeconds: 0}
		_, err := sampler.Batch(structure.OneSpaceLinear(space, scores), opt, room(space, 3), 1, nil)
		if fault.RowOf(err) != 2 {
			t.Errorf("%v: %v", s, err)
		}
	}
	space = rankings(t, 25)
	scores = blas64.General{Rows: 2, Cols: 300, Stride: 300, Data: append(constant(300, 0), normal(300, 1)...)}
	opt := sampler.Options{Sampler: by(chain.FromPast), Draws: 1, Thin: 1, Budget: 1e6, Diagnosed: true}
	_, err := sampler.Batch(structure.OneSpaceLinear(space, scores), opt, room(space, 2), 2, nil)
	if _, hopeless := errors.AsType[*estimate.HopelessError](err); !hopeless || fault.RowOf(err) != 1 {
		t.Errorf("coupling that would not end: %v", err)
	}
}
