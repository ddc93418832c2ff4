package partition_test

import (
	"math"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/internal/structuretest"
	"combpred/core/partition"
	"combpred/core/structure"
)

// TestRowsOfSeveralSpaces: ln Z, marginals and samples of rows of all structures in one batch are those of the rows of each space, bit for
// bit, and of each row alone, but for the last digits where outputs are listed.
func TestRowsOfSeveralSpaces(t *testing.T) {
	const samples = 5
	m := structuretest.NewMixed(t, 4, 1, false, func(_ string, s structure.Space) bool { return partition.Drawable(s) })
	logZ, marginals, without := make([]float64, m.Len()), make([]float64, m.Entries()), make([]float64, m.Len())
	drawn, byRow := make([]int32, samples*m.Parts()), make([]int32, samples*m.Parts())
	for _, workers := range []int{1, 3} {
		for _, err := range []error{partition.Batch(m.Batch, logZ, marginals, workers, nil),
			partition.Batch(m.Batch, without, nil, workers, nil), partition.Sample(m.Batch, samples, 8, nil, drawn, workers, nil),
			partition.SampleRows(m.Batch, samples, 8, nil, byRow, workers, nil)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		listed, summed := 0, 0
		for g := range m.Groups() {
			own := m.Of(g)
			z, mean := make([]float64, own.Len()), make([]float64, own.Entries())
			if err := partition.Batch(own, z, mean, 1, nil); err != nil {
				t.Fatal(err)
			}
			engine, _, err := partition.Choose(g.Space, true)
			if err != nil {
				t.Fatal(err)
			}
			byList := engine == partition.Enumeration || g.Space.Facts().Table.Rows > 0
			if listed++; !byList {
				listed, summed = listed-1, summed+1
			}
			for k := range g.Len() {
				i := g.Row(k)
				if z[k] != logZ[i] || !slices.Equal(own.Vector(mean, k), m.Vector(marginals, i)) {
					t.Errorf("row %d of %s: ln Z is %v, by itself %v", i, structure.Describe(g.Space), logZ[i], z[k])
				}
				alone(t, m, i, byList, logZ[i], without[i], m.Vector(marginals, i))
				draws := make([]int32, samples*m.Alone(i).Parts())
				if err := partition.SampleRows(m.Alone(i), samples, 8, nil, draws, 1, nil); err != nil {
					t.Fatal(err)
				}
				for s := range samples {
					y := m.OutputOf(byRow, i, s, samples)
					if !slices.Equal(y, m.Alone(i).OutputOf(draws, 0, s, samples)) ||
						!slices.Equal(y, m.Output(drawn[s*m.Parts():(s+1)*m.Parts()], i)) {
						t.Errorf("row %d: sample %d is %v", i, s, y)
					}
				}
			}
		}
		if listed < 3 || summed < 30 {
			t.Errorf("%d spaces are listed, %d summed over", listed, summed)
		}
	}
}

// alone compares what is known of row i with what is found for it alone.
func alone(t *testing.T, m structuretest.Mixed, i int, byList bool, logZ, without float64, marginals []float64) {
	t.Helper()
	space, _ := m.Row(i)
	z, mean, tolerance := []float64{0}, make([]float64, len(marginals)), 0.0
	if byList {
		tolerance = 1e-12
	}
	if err := partition.Batch(m.Alone(i), z, mean, 1, nil); err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) }
	if !near(logZ, z[0]) || !slices.EqualFunc(marginals, mean, near) {
		t.Errorf("row %d of %s: ln Z is %v, alone %v", i, structure.Describe(space), logZ, z[0])
	}
	if err := partition.Batch(m.Alone(i), z, nil, 1, nil); err != nil || !near(without, z[0]) {
		t.Errorf("row %d of %s: ln Z without marginals is %v, alone %v, error %v", i, structure.Describe(space), without, z[0], err)
	}
}

// TestPositionsInSeveralSpaces: rankings of several sizes.
func TestPositionsInSeveralSpaces(t *testing.T) {
	m := structuretest.NewMixed(t, 5, 1, false, func(_ string, s structure.Space) bool { return s.Facts().Positions != nil })
	places := 0
	for i := range m.Len() {
		lo, hi := m.PartsOf(i)
		places += (hi - lo) * (hi - lo)
	}
	dst := make([]float64, places)
	if err := partition.Positions(m.Batch, dst, 2, nil); err != nil {
		t.Fatal(err)
	}
	if err := partition.Positions(m.Batch, dst[1:], 2, nil); err == nil {
		t.Error("too little room is taken")
	}
	rest := dst
	for i := range m.Len() {
		k := m.Alone(i).Parts()
		own := make([]float64, k*k)
		if err := partition.Positions(m.Alone(i), own, 1, nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(own, rest[:k*k]) {
			t.Errorf("row %d is %v, alone %v", i, rest[:k*k], own)
		}
		rest = rest[k*k:]
	}
}

// TestRefusalsOfSeveralSpaces: what is wrong with a row, or with its space, is about that row.
func TestRefusalsOfSeveralSpaces(t *testing.T) {
	classes, large := build(t, "multiclass", map[string]int64{"n": 2}), build(t, "partialorders", map[string]int64{"n": 40})
	d := large.FeatureLen()
	b, err := structure.NewBatch(3, []structure.Space{large, classes}, []int32{1, 0, 1}, nil, make([]float64, d+4), nil)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]int32, b.Parts())
	for _, err := range []error{partition.Batch(b, make([]float64, 3), nil, 1, nil), partition.Sample(b, 1, 1, nil, dst, 1, nil)} {
		if fault.KindOf(err) != fault.KindCapability || fault.RowOf(err) != 1 {
			t.Errorf("the error is %v, must be about row 1", err)
		}
	}
	if err := partition.Positions(b, nil, 1, nil); fault.KindOf(err) != fault.KindCapability || fault.RowOf(err) < 0 {
		t.Errorf("the error is %v, must be about a row", err)
	}
	for _, err := range []error{partition.Batch(b, make([]float64, 2), nil, 1, nil),
		partition.Batch(b, make([]float64, 3), make([]float64, 7), 1, nil)} {
		if err == nil || fault.RowOf(err) != fault.NoRow {
			t.Errorf("what does not fit gives the error %v", err)
		}
	}
	listed := build(t, "labelsets", map[string]int64{"n": 40})
	list := listOnly{listed, listed.(structure.Enumerator)} // which does not know how many there are
	b, err = structure.NewBatch(2, []structure.Space{classes, list}, []int32{0, 1}, nil, make([]float64, 42), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := partition.Batch(b, make([]float64, 2), nil, 1, nil); fault.KindOf(err) != fault.KindCapability || fault.RowOf(err) != 1 {
		t.Errorf("with too long a list the error is %v", err)
	}
	scores := []float64{0, 0, 0, 1e308}
	b, err = structure.NewBatch(2, []structure.Space{classes, classes}, []int32{0, 1}, nil, scores, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := partition.Batch(b, make([]float64, 2), nil, 1, nil); fault.RowOf(err) != 1 {
		t.Errorf("the error is %v, must be about row 1", err)
	}
}
