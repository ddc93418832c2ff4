package kbest

import (
	"math"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// TestRowsOfSeveralSpaces: the best outputs of rows of all structures in one batch are those of each row alone.
func TestRowsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 4, 1, true, func(_ string, s structure.Space) bool {
		_, decodes := s.(structure.Decoder)
		return decodes && !s.Facts().General && s.FeatureLen() < 20
	})
	const capacity = 7
	for _, o := range []Options{{Nu: 1}, {Nu: 1, Method: Partition, Skip: 2}, {Nu: 0.5, Method: Unordered}} {
		dst, values := make([]int32, capacity*m.Parts()), make([]float64, capacity*m.Len())
		all, err := Batch(m.Batch, o, capacity, dst, values, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Len() {
			alone := m.Alone(i)
			y, v := make([]int32, capacity*alone.Parts()), make([]float64, capacity)
			r, err := Batch(alone, o, capacity, y, v, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			count := r.Counts[0]
			lo, hi := m.PartsOf(i)
			if s, _ := m.Row(i); all.Counts[i] != count || all.Methods[i] != r.Methods[0] || !slices.Equal(dst[lo*capacity:hi*capacity], y) ||
				!slices.Equal(values[i*capacity:(i+1)*capacity], v) {
				t.Fatalf("row %d of %s has %d outputs %v by method %d, alone %d outputs %v by %d", i, structure.Describe(s), all.Counts[i],
					dst[lo*capacity:hi*capacity], all.Methods[i], count, y, r.Methods[0])
			}
		}
	}
	row := m.Len() - 1
	m.Spoil(row, math.NaN())
	_, err := Batch(m.Batch, Options{Nu: 1}, 1, make([]int32, m.Parts()), nil, 1, nil)
	if fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	_, err = Batch(m.Batch, Options{Nu: 1, Method: Combinations}, 1, make([]int32, m.Parts()), nil, 1, nil)
	if fault.KindOf(err) != fault.KindCapability || fault.RowOf(err) == fault.NoRow {
		t.Errorf("the error is %v, must be about a row whose entries depend on each other", err)
	}
}
