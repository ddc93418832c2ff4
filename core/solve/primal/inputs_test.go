package primal

import (
	"slices"
	"testing"

	"combpred/core/linalg"
)

// TestRowsAreThoseGiven: doubles in place, other types as copies that a later call overwrites.
func TestRowsAreThoseGiven(t *testing.T) {
	var buffer []float64
	doubles := []float64{1, 2, -9, 3, 4, -9, 5, 6}
	rows := Dense(doubles, 3, 2, 3).Rows(1, 3, &buffer).Dense
	if rows.Rows != 2 || !slices.Equal(rows.Row(1), []float64{5, 6}) || &rows.Data[0] != &doubles[3] || buffer != nil {
		t.Errorf("%+v", rows)
	}
	x := Dense([]uint8{1, 2, 9, 3, 4, 9, 5, 250}, 3, 2, 3)
	first := x.Rows(0, 2, &buffer).Dense
	if !slices.Equal(first.Row(0), []float64{1, 2}) || !slices.Equal(first.Row(1), []float64{3, 4}) {
		t.Errorf("%+v", first)
	}
	if last := x.Rows(2, 3, &buffer).Dense; !slices.Equal(last.Row(0), []float64{5, 250}) || &last.Data[0] != &first.Data[0] {
		t.Errorf("%+v", last)
	}
	if none := x.Rows(1, 1, &buffer); none.Len() != 0 || none.Features() != 2 || none.Check() != nil {
		t.Errorf("%+v", none)
	}
	s := &linalg.Sparse{Rows: 2, Cols: 3, Data: []float64{7, 8}, Indices: []int32{2, 0}, Indptr: []int64{0, 1, 2}}
	if part := CSR(s).Rows(1, 2, &buffer).Sparse; part.Rows != 1 || part.Data[0] != 8 || part.Indices[0] != 0 {
		t.Errorf("%+v", part)
	}
}
