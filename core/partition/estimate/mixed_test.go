package estimate_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/partition"
	"combpred/core/partition/estimate"
	"combpred/core/structure"
)

// estimable says which spaces are estimated: those with recursions or moves, and few outputs.
func estimable(_ string, s structure.Space) bool {
	count, err := structure.LogCount(s)
	_, decodes := s.(structure.Decoder)
	return err == nil && count > 2 && count < 4 && decodes && partition.Drawable(s) && chain.Capable(s, chain.LocalMoves) == nil
}

// TestRowsOfSeveralSpaces: estimates for rows of several spaces are those for each row alone.
func TestRowsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 2, 0.5, false, estimable)
	opt := estimate.Options{Epsilon: 0.5, Delta: 0.2, Sampler: estimate.AutoSampler, MaxSteps: 1e7, Seed: 3}
	chains := opt
	chains.Sampler = estimate.Sampler(chain.LocalMoves)
	bounded := opt
	for i := range m.Len() {
		most := 0.0
		for _, v := range m.Linear(i) {
			most += math.Abs(v)
		}
		bounded.Bound = append(bounded.Bound, most)
	}
	bounded.Levels = estimate.Uniform
	for _, c := range []struct {
		opt estimate.Options
		run func(b *structure.Batch, opt estimate.Options, value, bound []float64, workers int) ([]estimate.Row, error)
	}{
		{opt, func(b *structure.Batch, opt estimate.Options, _, _ []float64, workers int) ([]estimate.Row, error) {
			return estimate.Anneal(b, opt, workers, nil)
		}},
		{bounded, func(b *structure.Batch, opt estimate.Options, _, _ []float64, workers int) ([]estimate.Row, error) {
			return estimate.Anneal(b, opt, workers, nil)
		}},
		{opt, func(b *structure.Batch, opt estimate.Options, value, bound []float64, workers int) ([]estimate.Row, error) {
			return estimate.Marginals(b, estimate.MarginalOptions{Options: opt}, value, bound, workers, nil)
		}},
		{chains, func(b *structure.Batch, opt estimate.Options, value, bound []float64, workers int) ([]estimate.Row, error) {
			return estimate.ChainMeans(b, opt, value, bound, workers, nil)
		}},
	} {
		value, bound := make([]float64, m.Entries()), make([]float64, m.Entries())
		all, err := c.run(m.Batch, c.opt, value, bound, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Len() {
			alone, own := m.Alone(i), c.opt
			own.Bound = structuretest.Pick(own.Bound, i)
			v, w := make([]float64, alone.Entries()), make([]float64, alone.Entries())
			found, err := c.run(alone, own, v, w, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(all[i], found[0]) || !slices.Equal(m.Vector(value, i), v) || !slices.Equal(m.Vector(bound, i), w) {
				s, _ := m.Row(i)
				t.Errorf("row %d of %s is %+v with means %v, alone %+v with %v", i, structure.Describe(s), all[i], m.Vector(value, i), found[0], v)
			}
		}
	}
}

// TestRefusalsOfSeveralSpaces: what is wrong with a row, or with its space, is about that row.
func TestRefusalsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 2, 0.5, false, estimable)
	opt := estimate.Options{Epsilon: 0.5, Delta: 0.2, Sampler: estimate.AutoSampler, MaxSteps: 1e7, Seed: 3}
	value := make([]float64, m.Entries())
	opt.Bound = slices.Repeat([]float64{1e6}, m.Len())
	row := m.Len() / 2
	opt.Bound[row] = 0
	if _, err := estimate.Anneal(m.Batch, opt, 1, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	opt.Bound = nil
	given := estimate.MarginalOptions{Options: opt, Low: make([]float64, 3), High: make([]float64, 3)}
	if _, err := estimate.Marginals(m.Batch, given, value, value, 1, nil); err == nil || fault.RowOf(err) != fault.NoRow {
		t.Errorf("least values of several spaces give the error %v", err)
	}
	if _, err := estimate.Marginals(m.Batch, estimate.MarginalOptions{Options: opt}, value[1:], value, 1, nil); err == nil {
		t.Error("too little room is taken")
	}
	opt.Sampler = estimate.Sampler(chain.MonotonePast)
	if _, err := estimate.Anneal(m.Batch, opt, 1, nil); fault.KindOf(err) != fault.KindCapability || fault.RowOf(err) == fault.NoRow {
		t.Errorf("the error is %v, must be about a row whose outputs are no sets", err)
	}
	m.Spoil(row, math.NaN())
	if _, err := estimate.Anneal(m.Batch, opt, 1, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
}

// TestProspectsOfSeveralSpaces: coupling without a prospect is refused for the row.
func TestProspectsOfSeveralSpaces(t *testing.T) {
	easy, hard := build(t, "labelsets", map[string]int64{"n": 4}), build(t, "labelsets", map[string]int64{"n": 60})
	linear := slices.Concat(make([]float64, 4), slices.Repeat([]float64{3}, 60), make([]float64, 4))
	b, err := structure.NewBatch(3, []structure.Space{easy, hard}, []int32{0, 1, 0}, nil, linear, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = estimate.Prospect(b, nil, 100, 1, nil)
	if fault.KindOf(err) != fault.KindBudget || fault.RowOf(err) != 1 {
		t.Errorf("the error is %v, must be about row 1", err)
	}
}
