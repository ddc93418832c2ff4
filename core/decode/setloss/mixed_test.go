package setloss

import (
	"errors"
	"math"
	"slices"
	"testing"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// TestRowsOfSeveralSpaces: sets of several spaces are decided for as those of each row alone.
func TestRowsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 6, 1, false, func(_ string, s structure.Space) bool { return s.Facts().SizeMarginals != nil })
	own := decode.Keyed{First: []int{0}}
	for i := range m.Len() {
		space, _ := m.Row(i)
		one := structure.Condition{Key: structure.ForbiddenKey, U: i % space.PartLen(), V: structure.Alone}
		if r, err := space.(structure.Restricter).Restrict()([]structure.Condition{one}); i%2 == 0 && err == nil {
			if _, err = r.Within(space); err == nil {
				own.All = append(own.All, one)
			}
		}
		own.First = append(own.First, len(own.All))
	}
	if len(own.All) < 10 {
		t.Errorf("%d conditions", len(own.All))
	}
	for _, loss := range []Loss{F1, Ranking} {
		for _, conditions := range []*decode.Keyed{nil, &own} {
			y, values, again := make([]int32, m.Parts()), make([]float64, m.Len()), make([]float64, m.Len())
			if err := errors.Join(Batch(m.Batch, loss, conditions, y, values, 3, nil),
				Values(m.Batch, loss, y, again, 2, nil)); err != nil {
				t.Fatal(err)
			}
			for i := range m.Len() {
				alone, k := m.Alone(i), (*decode.Keyed)(nil)
				if conditions != nil {
					some := own.All[own.First[i]:own.First[i+1]]
					k = &decode.Keyed{First: []int{0, len(some)}, All: some}
				}
				set, value, known := make([]int32, alone.Parts()), []float64{0}, []float64{0}
				if err := errors.Join(Batch(alone, loss, k, set, value, 1, nil), Values(alone, loss, set, known, 1, nil)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(m.Output(y, i), set) || values[i] != value[0] || again[i] != known[0] {
					t.Errorf("row %d is %v of value %v, %v, alone %v of %v, %v", i, m.Output(y, i), values[i], again[i], set, value, known)
				}
			}
		}
	}
	y, values := make([]int32, m.Parts()), make([]float64, m.Len())
	row := m.FirstOf(func(s structure.Space) bool { return s.PartLen() > 1 })
	m.Output(y, row)[0] = 2
	if err := Values(m.Batch, F1, y, values, 1, nil); err == nil || fault.RowOf(err) == fault.NoRow {
		t.Errorf("the error is %v, must be about a row that is no set", err)
	}
	m.Spoil(row, math.NaN())
	if err := Batch(m.Batch, F1, nil, y, values, 1, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
}
