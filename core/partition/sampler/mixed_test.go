package sampler_test

import (
	"math"
	"slices"
	"testing"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/partition"
	"combpred/core/partition/estimate"
	"combpred/core/partition/sampler"
	"combpred/core/structure"
)

// drawable says from which spaces samples are drawn.
func drawable(_ string, s structure.Space) bool {
	count, err := structure.LogCount(s)
	return err == nil && count > 1.5 && count < 3.2 && partition.Drawable(s) && chain.Capable(s, chain.LocalMoves) == nil &&
		chain.Capable(s, chain.FromPast) == nil
}

// TestRowsOfSeveralSpaces: samples of rows of several spaces, and what is known of their chains, are those of the rows of each space by
// themselves, and where a space has one row, of that row.
func TestRowsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 2, 0.5, false, drawable)
	const draws = 4
	all := []estimate.Sampler{estimate.AutoSampler, sampler.AnyChain, estimate.ExactSampler, by(chain.FromPast), by(chain.Meta)}
	for _, s := range all {
		for _, diagnosed := range []bool{false, true} {
			opt := sampler.Options{Sampler: s, Draws: draws, BurnIn: 5, Thin: 2, Budget: 1 << 20, Seed: 6, Diagnosed: diagnosed}
			all := roomOf(m.Batch, draws)
			found, err := sampler.Batch(m.Batch, opt, all, 2, nil)
			if err != nil {
				t.Fatal(s, err)
			}
			for g := range m.Groups() {
				own := m.Of(g)
				if g.Len() == 1 {
					own = m.Alone(g.Row(0))
				}
				some := roomOf(own, draws)
				alone, err := sampler.Batch(own, opt, some, 1, nil)
				if err != nil {
					t.Fatal(s, err)
				}
				if found.Samplers[g.At] != alone.Sampler || alone.Report != nil && found.Report == nil {
					t.Fatalf("%v: by %v, alone by %v", s, found.Samplers[g.At], alone.Sampler)
				}
				for k := range g.Len() {
					i := g.Row(k)
					compareDraws(t, m.Batch, i, all, own, k, some, draws)
					if alone.Report != nil {
						compareReports(t, m.Batch, i, found.Report, own, k, alone.Report)
					}
				}
			}
			if found.Samplers[0] != sampler.AnyChain || found.Sampler != found.Samplers[1] {
				t.Errorf("spaces are drawn from by %v", found.Samplers)
			}
		}
	}
}

func roomOf(b *structure.Batch, draws int) chain.Draws {
	n := b.Len() * draws
	return chain.Draws{Y: make([]int32, b.Parts()*draws), Value: make([]float64, n), Steps: make([]int64, n), Accepted: make([]int64, n)}
}

// compareDraws compares what was drawn for row i of one batch and row k of another.
func compareDraws(t *testing.T, b *structure.Batch, i int, all chain.Draws, own *structure.Batch, k int, some chain.Draws, draws int) {
	t.Helper()
	for j := range draws {
		x, y := i*draws+j, k*draws+j
		if !slices.Equal(b.OutputOf(all.Y, i, j, draws), own.OutputOf(some.Y, k, j, draws)) || all.Value[x] != some.Value[y] ||
			all.Steps[x] != some.Steps[y] || all.Accepted[x] != some.Accepted[y] {
			t.Errorf("row %d: draw %d is %v, by itself %v", i, j, b.OutputOf(all.Y, i, j, draws), own.OutputOf(some.Y, k, j, draws))
		}
	}
}

func compareReports(t *testing.T, b *structure.Batch, i int, all *sampler.Report, own *structure.Batch, k int, some *sampler.Report) {
	t.Helper()
	numbers := func(r *sampler.Report, i int) []float64 {
		return []float64{float64(r.Steps[i]), float64(r.Thin[i]), r.Acceptance[i], r.EffectiveSize[i], r.RHat[i], r.Time[i],
			r.Correlation[i], r.MixingBound[i]}
	}
	if !slices.Equal(numbers(all, i), numbers(some, k)) || !slices.Equal(b.Output(all.States, i), own.Output(some.States, k)) {
		t.Errorf("row %d: the report is %v, by itself %v", i, numbers(all, i), numbers(some, k))
	}
}

// TestStartsAndBoundsOfSeveralSpaces: both come with their rows.
func TestStartsAndBoundsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 3, 0.5, false, drawable)
	opt := sampler.Options{Sampler: by(chain.LocalMoves), Draws: 4, Thin: 3, Budget: 1, Seed: 6}
	all := roomOf(m.Batch, 4)
	if _, err := sampler.Batch(m.Batch, opt, all, 2, nil); err != nil {
		t.Fatal(err)
	}
	opt.Start, opt.Diagnosed = all.Y, true // four for each row
	if _, err := sampler.Batch(m.Batch, opt, roomOf(m.Batch, 4), 2, nil); err != nil {
		t.Error(err)
	}
	row := m.Len() - 2
	m.OutputOf(all.Y, row, 2, 4)[0] = -7
	if _, err := sampler.Batch(m.Batch, opt, roomOf(m.Batch, 4), 2, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	bounded := sampler.Options{Sampler: by(chain.Reject), Draws: 4, Thin: 1, Budget: 1 << 20, Seed: 6}
	for i := range m.Len() {
		space, score := m.Row(i)
		bound, err := chain.UpperBound(space, score, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		bounded.Bound = append(bounded.Bound, bound)
	}
	if _, err := sampler.Batch(m.Batch, bounded, roomOf(m.Batch, 4), 2, nil); err != nil {
		t.Error(err)
	}
	bounded.Bound[row] = math.Inf(-1)
	if _, err := sampler.Batch(m.Batch, bounded, roomOf(m.Batch, 4), 2, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	for _, spoil := range []func(o *sampler.Options, to *chain.Draws){
		func(o *sampler.Options, _ *chain.Draws) { o.Start = o.Start[1:] },
		func(o *sampler.Options, _ *chain.Draws) { o.Bound = []float64{1} },
		func(o *sampler.Options, _ *chain.Draws) { o.Streams = []uint64{1} }, func(_ *sampler.Options, to *chain.Draws) { to.Y = to.Y[1:] },
	} {
		bad, to := opt, roomOf(m.Batch, 4)
		spoil(&bad, &to)
		if _, err := sampler.Batch(m.Batch, bad, to, 1, nil); err == nil || fault.RowOf(err) != fault.NoRow {
			t.Errorf("what does not fit gives the error %v", err)
		}
	}
}

// TestMixingBoundsOfSeveralSpaces: bounds are those of each row alone, and infinite where a space has none.
func TestMixingBoundsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 3, 0.1, false, func(string, structure.Space) bool { return true })
	finite := 0
	for _, method := range []chain.Method{chain.LocalMoves, chain.Meta, chain.CubeMoves} {
		all, err := sampler.MixingBounds(m.Batch, method, 0.01, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, bound := range all {
			alone, err := sampler.MixingBounds(m.Alone(i), method, 0.01, nil)
			if err != nil || bound != alone[0] {
				t.Errorf("%s: the bound of row %d is %v, alone %v, error %v", method, i, bound, alone, err)
			}
			if !math.IsInf(bound, 1) {
				finite++
			}
		}
	}
	if finite < 30 {
		t.Errorf("%d bounds are finite", finite)
	}
}
