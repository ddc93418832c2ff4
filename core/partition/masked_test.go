package partition_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/partition"
	"combpred/core/structure"
)

// parts yields a part of each small space of all structures whose ψ is −1, 0 or 1: that of the outputs which agree with the first one in
// two entries of ψ.
func parts(t *testing.T, f func(all structuretest.Listed, part structure.Space, mask structure.Mask)) {
	t.Helper()
	spaces := 0
	for _, spec := range structure.Catalogue() {
		for _, all := range structuretest.SmallOf(t, spec) {
			if all.Facts().General {
				continue
			}
			d := all.FeatureLen()
			psi := make([]float64, d)
			for y := range all.All() {
				all.Embed(psi, y)
				break
			}
			mask := structure.NewMask()
			for _, i := range []int{0, d - 1} {
				mask.Limit(d, i, 1<<(int8(psi[i])+1))
			}
			part, err := structure.Within(all, mask)
			if err != nil {
				t.Fatalf("%s: %v", structure.Describe(all), err)
			}
			spaces++
			f(all, part, mask)
		}
	}
	if spaces < 30 {
		t.Errorf("%d spaces", spaces)
	}
}

// TestSumsOverParts compares ln Z and marginals of parts of spaces with a list of the outputs that are allowed, and checks that samples are
// of these.
func TestSumsOverParts(t *testing.T) {
	const n = 3
	parts(t, func(all structuretest.Listed, part structure.Space, mask structure.Mask) {
		d, p := all.FeatureLen(), all.PartLen()
		rng := rand.New(rand.NewPCG(3, uint64(d)))
		scores := matrix(n, d, rng.NormFloat64)
		logZ, marginals := make([]float64, n), matrix(n, d, math.NaN)
		if err := partition.Batch(structure.OneSpaceLinear(part, scores), logZ, marginals.Data, 2, nil); err != nil {
			t.Fatalf("%s: %v", structure.Describe(part), err)
		}
		psi := make([]float64, d)
		for i := range n {
			s := scores.Data[i*d : (i+1)*d]
			sum, mean := 0.0, make([]float64, d)
			for y := range all.All() {
				if all.Embed(psi, y); !mask.Allows(psi) {
					continue
				}
				w := math.Exp(structure.Scores{Linear: s}.Value(psi) - logZ[i])
				sum += w
				for j, v := range psi {
					mean[j] += w * v
				}
			}
			if !(math.Abs(sum-1) <= 1e-10) {
				t.Errorf("%s, row %d: probabilities add up to %v", structure.Describe(part), i, sum)
			}
			for j, v := range mean {
				if !(math.Abs(marginals.Data[i*d+j]-v) <= 1e-10) {
					t.Errorf("%s, row %d: marginal %d is %v, want %v", structure.Describe(part), i, j, marginals.Data[i*d+j], v)
				}
			}
		}
		const samples = 5
		dst := make([]int32, samples*n*p)
		if err := partition.Sample(structure.OneSpaceLinear(part, scores), samples, 1, nil, dst, 2, nil); err != nil {
			t.Fatalf("%s: %v", structure.Describe(part), err)
		}
		for y := range slices.Chunk(dst, p) {
			if err := part.Check(y); err != nil {
				t.Fatalf("%s: %v", structure.Describe(part), err)
			}
		}
	})
}

// TestIllegalScoresOfParts: scores that are no numbers, or too large to add up, are refused with their row under conditions as without.
func TestIllegalScoresOfParts(t *testing.T) {
	parts(t, func(_ structuretest.Listed, part structure.Space, _ structure.Mask) {
		d := part.FeatureLen()
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
			scores := matrix(3, d, func() float64 { return 0 })
			scores.Data[3*d-1] = bad
			batch := partition.Batch(structure.OneSpaceLinear(part, scores), make([]float64, 3), nil, 1, nil)
			for _, err := range []error{batch, partition.Sample(structure.OneSpaceLinear(part, scores), 1, 1, nil, make([]int32, 3*part.PartLen()), 1, nil)} {
				if err == nil || fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != 2 {
					t.Errorf("%s: %v is refused by %v", structure.Describe(part), bad, err)
				}
			}
		}
	})
}

// TestPartsWithoutOutputs: where conditions turn out to leave nothing, sums and samples are errors about values that name the row.
func TestPartsWithoutOutputs(t *testing.T) {
	is := func(feature int, value int8) structure.EntryCondition {
		return structure.EntryCondition{Feature: feature, Value: value, Must: true}
	}
	for _, c := range []struct {
		name string
		n    int64
		all  []structure.EntryCondition
	}{
		{"weakorders", 3, []structure.EntryCondition{is(0, 1), is(1, -1), is(2, 1)}},   // 0 before 1 before 2 before 0
		{"partialorders", 3, []structure.EntryCondition{is(0, 1), is(1, 0), is(2, 1)}}, // 0 before 1 before 2, and not before 2
	} {
		all := build(t, c.name, map[string]int64{"n": c.n})
		d := all.FeatureLen()
		part, err := structure.Within(all, structure.MaskOf(d, c.all))
		if err == nil {
			scores := matrix(2, d, func() float64 { return 0 })
			err = partition.Batch(structure.OneSpaceLinear(part, scores), make([]float64, 2), matrix(2, d, math.NaN).Data, 1, nil)
			if !errors.Is(err, structure.ErrNone) || fault.KindOf(err) != fault.KindValue || fault.RowOf(err) != 0 {
				t.Errorf("%s: sums give %v", c.name, err)
			}
			err = partition.Sample(structure.OneSpaceLinear(part, scores), 1, 1, nil, make([]int32, 2*part.PartLen()), 1, nil)
			if fault.RowOf(err) != 0 {
				t.Errorf("%s: samples give %v", c.name, err)
			}
		}
		if !errors.Is(err, structure.ErrNone) || fault.KindOf(err) != fault.KindValue {
			t.Errorf("%s: the error is %v", c.name, err)
		}
	}
}
