package structuretest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"combpred/core/structure"
)

// rows: the parts of an output are a row of data that reads as the output, rows with a number that is not whole do not read as anything
// but what Check takes, and messages end in what rows hold.
func (e *enumerated) rows(t *testing.T) {
	s := e.space
	if format := structure.FormatOf(s); format == "" || strings.HasSuffix(format, ".") {
		t.Errorf("the format is %q, must be a clause", format)
	}
	if !structure.Reads(s, s.PartLen()) {
		t.Fatal("rows of as many numbers as there are parts are refused")
	}
	row, got := make([]float64, s.PartLen()), make([]int32, s.PartLen())
	for _, y := range e.outputs[:min(len(e.outputs), 100)] {
		for i, v := range y {
			row[i] = float64(v)
		}
		if err := structure.ReadTo(s, got, row); err != nil || !slices.Equal(got, y) {
			t.Fatalf("the row %v reads as %v, error %v", row, got, err)
		}
		for i, x := range row {
			for _, wrong := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), x + .5, 1 << 40, -2} {
				row[i] = wrong
				if err := structure.ReadTo(s, got, row); err != nil {
					continue
				}
				if err := s.Check(got); err != nil || wrong != wrong || math.IsInf(wrong, 0) {
					t.Fatalf("the row %v reads as %v, of which Check says %v", row, got, err)
				}
			}
			row[i] = x
		}
	}
}

// names: each entry of ψ has a name of its own, and its cell, if there is one, lies in the matrix.
func (e *enumerated) names(t *testing.T) {
	d, n, known := e.space.FeatureLen(), 0, map[string]bool{}
	for name := range structure.NamesOf(e.space) {
		known[name] = true
		n++
	}
	if n != d || len(known) != d {
		t.Errorf("%d names, %d of them different, for %d entries", n, len(known), d)
	}
	cells := e.space.Facts().Cells
	if cells.Kind == "" {
		return
	}
	n = 0
	for u, v := range cells.At {
		if u < 0 || v < 0 || u > cells.Items || v > cells.Items {
			t.Errorf("entry %d has the cell (%d, %d) among %d items", n, u, v, cells.Items)
		}
		n++
	}
	if n > d || n == 0 {
		t.Errorf("%d cells for %d entries", n, d)
	}
}
