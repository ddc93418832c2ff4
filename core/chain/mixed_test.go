package chain

import (
	"math"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// withRoom returns where draws go.
func withRoom(parts, n int) Draws {
	return Draws{Y: make([]int32, parts), Value: make([]float64, n), Steps: make([]int64, n), Accepted: make([]int64, n)}
}

// TestRowsOfSeveralSpaces: what is drawn for rows of all structures in one batch is what is drawn for each row alone, by every method.
func TestRowsOfSeveralSpaces(t *testing.T) {
	for _, method := range Methods() {
		m := structuretest.NewMixed(t, 4, 0.3, false, func(_ string, s structure.Space) bool {
			count, err := structure.LogCount(s)
			return Capable(s, method) == nil && err == nil && count < 5
		})
		const draws = 20 // of which exact ones are of two blocks
		opt := optionsOf(method, draws)
		for _, workers := range []int{1, 3} {
			all := withRoom(draws*m.Parts(), draws*m.Len())
			if err := Batch(m.Batch, opt, all, workers, nil); err != nil {
				t.Fatal(method, err)
			}
			for i := range m.Len() {
				own := withRoom(draws*m.Alone(i).Parts(), draws)
				if err := Batch(m.Alone(i), opt, own, 1, nil); err != nil {
					t.Fatal(method, err)
				}
				lo, hi := m.PartsOf(i)
				from, to := i*draws, (i+1)*draws
				if s, _ := m.Row(i); !slices.Equal(all.Y[lo*draws:hi*draws], own.Y) || !slices.Equal(all.Value[from:to], own.Value) ||
					!slices.Equal(all.Steps[from:to], own.Steps) || !slices.Equal(all.Accepted[from:to], own.Accepted) {
					t.Fatalf("%s, row %d of %s: draws are %v, alone %v", method, i, structure.Describe(s), all.Y[lo*draws:hi*draws], own.Y)
				}
			}
		}
	}
}

// TestStartsOfSeveralSpaces: starts are packed, and what is wrong with one, or with a space, is about its row.
func TestStartsOfSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 2, 1, false, func(_ string, s structure.Space) bool { return Capable(s, LocalMoves) == nil })
	opt, all := optionsOf(LocalMoves, 2), withRoom(2*m.Parts(), 2*m.Len())
	if err := Batch(m.Batch, opt, all, 1, nil); err != nil {
		t.Fatal(err)
	}
	opt.Start = make([]int32, m.Parts())
	for i := range m.Len() {
		copy(m.Output(opt.Start, i), m.OutputOf(all.Y, i, 1, 2))
	}
	next := withRoom(2*m.Parts(), 2*m.Len())
	if err := Batch(m.Batch, opt, next, 2, nil); err != nil {
		t.Fatal(err)
	}
	for i := range m.Len() {
		own, alone := withRoom(2*m.Alone(i).Parts(), 2), opt
		alone.Start = m.Output(opt.Start, i)
		if err := Batch(m.Alone(i), alone, own, 1, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.OutputOf(next.Y, i, 1, 2), m.Alone(i).OutputOf(own.Y, 0, 1, 2)) {
			t.Errorf("row %d goes on to %v, alone to %v", i, m.OutputOf(next.Y, i, 1, 2), own.Y)
		}
	}
	row := m.Len() / 2
	m.Output(opt.Start, row)[0] = -9
	if err := Batch(m.Batch, opt, next, 1, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	m.Spoil(row, math.NaN())
	if err := Batch(m.Batch, optionsOf(LocalMoves, 2), next, 1, nil); fault.RowOf(err) != row {
		t.Errorf("the error is %v, must be about row %d", err, row)
	}
	err := Batch(m.Batch, optionsOf(MonotonePast, 2), next, 1, nil)
	if fault.KindOf(err) != fault.KindCapability || fault.RowOf(err) == fault.NoRow {
		t.Errorf("the error is %v, must be about a row whose outputs are no sets", err)
	}
	opt.Start = opt.Start[1:]
	if err := Batch(m.Batch, opt, next, 1, nil); err == nil || fault.RowOf(err) != fault.NoRow {
		t.Errorf("too few starts give the error %v", err)
	}
}
