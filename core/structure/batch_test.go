package structure_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/slicex"
	. "combpred/core/structure"
)

// sized is a space of which nothing is known but the lengths.
type sized struct {
	Space
	d, p int
}

func (s sized) FeatureLen() int { return s.d }
func (s sized) PartLen() int    { return s.p }
func (s sized) String() string  { return fmt.Sprint("sized ", s.d) }

// ascending returns 0, 1, 2, ….
func ascending(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func TestRowsOfSeveralSpaces(t *testing.T) {
	spaces := []Space{sized{d: 3, p: 2}, sized{d: 9, p: 9}, sized{d: 1, p: 4}, sized{d: 0, p: 1}}
	of := []int32{2, 0, 3, 2, 0}
	linear := ascending(8)
	for name, first := range slicex.InOrder(map[string][]int{"packed": nil, "anywhere": {7, 0, 8, 1, 5}}) {
		b, err := NewBatch(5, spaces, of, first, linear, linear)
		if err != nil {
			t.Fatal(err)
		}
		starts := first
		if first == nil {
			starts = []int{0, 1, 4, 4, 5}
		}
		if !b.Mixed() || b.Len() != 5 || b.Parts() != 4+2+1+4+2 || b.Entries() != 1+3+0+1+3 || len(b.Spaces()) != 4 || b.Check() != nil {
			t.Errorf("%s: %+v", name, b)
		}
		y, v := make([]int32, b.Parts()), ascending(b.Entries())
		parts, entries := 0, 0
		for i, at := range of {
			s, score := b.Row(i)
			d, p := s.FeatureLen(), s.PartLen()
			if s != spaces[at] || b.At(i) != int(at) || b.Width(i) != d || !slices.Equal(score.Linear, linear[starts[i]:][:d]) ||
				!slices.Equal(score.Magnitude, score.Linear) {
				t.Errorf("%s: row %d is %v of %v", name, i, score, s)
			}
			lo, hi := b.PartsOf(i)
			if lo != parts || hi != parts+p || len(b.Output(y, i)) != p || !slices.Equal(b.Vector(v, i), v[entries:entries+d]) {
				t.Errorf("%s: row %d goes from %d to %d", name, i, lo, hi)
			}
			parts, entries = parts+p, entries+d
		}
		checkGroups(t, b, [][]int{{1, 4}, {}, {0, 3}, {2}})
		if negative := b.Negative(); !slices.Equal(negative.Linear(4), []float64{-linear[starts[4]], -linear[starts[4]+1], -linear[starts[4]+2]}) ||
			negative.Magnitudes() != 0 || negative.Linear(0)[0] != -linear[starts[0]] {
			t.Errorf("%s: negative scores are %v", name, negative.Linear(4))
		}
	}
}

// checkGroups compares the groups of a batch, all at once, by Each and as batches of their own, with the rows of each space.
func checkGroups(t *testing.T, b *Batch, want [][]int) {
	t.Helper()
	for g := range b.Groups() {
		rows := make([]int, g.Len())
		own := b.Of(g)
		for k := range rows {
			rows[k] = g.Row(k)
			if !slices.Equal(own.Linear(k), b.Linear(rows[k])) || !slices.Equal(own.Magnitude(k), b.Magnitude(rows[k])) {
				t.Errorf("row %d alone is %v", rows[k], own.Linear(k))
			}
		}
		if g.Space != b.Spaces()[g.At] || !slices.Equal(rows, want[g.At]) || own.Mixed() || own.Len() != g.Len() || g.Len() == 0 {
			t.Errorf("space %d has the rows %v, must have %v", g.At, rows, want[g.At])
		}
	}
	for _, atOnce := range []int{1, 2, 3, 100} {
		var monitor parallel.Monitor
		seen := make([]int, b.Len())
		if err := b.Each(atOnce, 1, &monitor, func(g Group) error {
			if g.Len() > atOnce {
				t.Errorf("%d rows at once", g.Len())
			}
			for k := range g.Len() {
				seen[g.Row(k)]++
				if b.At(g.Row(k)) != g.At {
					t.Errorf("row %d is in a group of space %d", g.Row(k), g.At)
				}
			}
			return nil
		}); err != nil || monitor.Steps() != b.Len() || slices.Min(seen) != 1 || slices.Max(seen) != 1 {
			t.Errorf("rows were seen %v times, error %v", seen, err)
		}
	}
}

// TestRowsOfOneSpace: rows of a padded matrix, and of a batch that says where they begin.
func TestRowsOfOneSpace(t *testing.T) {
	space := sized{d: 2, p: 3}
	padded := blas64.General{Rows: 3, Cols: 2, Stride: 4, Data: ascending(10)}
	shared := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{7, 8}}
	spread, err := NewBatch(3, []Space{space, sized{d: 5, p: 5}}, nil, []int{0, 4, 8}, ascending(10), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*Batch{OneSpaceLinear(space, padded), OneSpace(space, padded, shared), OneSpace(space, padded, padded), spread} {
		if b.Mixed() || b.Parts() != 9 || b.Entries() != 6 || b.Check() != nil {
			t.Errorf("%+v", b)
		}
		for i := range 3 {
			if !slices.Equal(b.Linear(i), []float64{float64(4 * i), float64(4*i + 1)}) {
				t.Errorf("row %d is %v", i, b.Linear(i))
			}
			want := map[int][]float64{0: nil, 1: {7, 8}, 3: b.Linear(i)}[b.Magnitudes()]
			if !slices.Equal(b.Magnitude(i), want) {
				t.Errorf("row %d has the magnitudes %v, must have %v", i, b.Magnitude(i), want)
			}
		}
		checkGroups(t, b, [][]int{{0, 1, 2}})
	}
	y := make([]int32, 18)
	y[3+2*6] = 5
	if b := OneSpaceLinear(space, padded); b.OutputOf(y, 2, 1, 2)[0] != 5 {
		t.Error("the second output of a row is elsewhere")
	}
}

func TestBatchesAreChecked(t *testing.T) {
	three, four := sized{d: 3, p: 1}, sized{d: 4, p: 1}
	spaces := []Space{three, four}
	for _, c := range []struct {
		row  int
		want string
		n    int
		of   []int32
		at   []int
		data int
	}{
		{fault.NoRow, "there are -1 rows", -1, nil, nil, 0},
		{fault.NoRow, "of has 1 entries, must have one for each of 2 rows", 2, []int32{0}, nil, 3},
		{fault.NoRow, "first has 3 entries, must have one for each of 2 rows", 2, []int32{0, 1}, []int{0, 0, 0}, 3},
		{1, "of is 2, must be the number of one of 2 spaces", 2, []int32{0, 2}, nil, 3},
		{0, "of is -1, must be the number of one of 2 spaces", 2, []int32{-1, 2}, nil, 3},
		{fault.NoRow, "linear has 6 entries, the scores of 2 rows have 7", 2, []int32{0, 1}, nil, 6},
		{fault.NoRow, "linear has 8 entries, the scores of 2 rows have 7", 2, []int32{0, 1}, nil, 8},
		{1, "the row has 4 scores from number 4 on, linear has 7", 2, []int32{0, 1}, []int{0, 4}, 7},
		{0, "the row has 3 scores from number -1 on, linear has 7", 2, []int32{0, 1}, []int{-1, 3}, 7},
		{1, "the row has 4 scores from number 9223372036854775807 on", 2, []int32{0, 1}, []int{0, math.MaxInt}, 7},
		{1, "the row has 3 scores from number 5 on, linear has 7", 2, nil, []int{0, 5}, 7},
	} {
		_, err := NewBatch(c.n, spaces, c.of, c.at, make([]float64, c.data), nil)
		if err == nil || fault.RowOf(err) != c.row || !strings.HasPrefix(fault.TextOf(err), c.want) || fault.KindOf(err) != fault.KindValue {
			t.Errorf("the error is %v of kind %d, want row %d: %s", err, fault.KindOf(err), c.row, c.want)
		}
	}
	if _, err := NewBatch(0, nil, nil, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "there are no spaces") {
		t.Errorf("without spaces the error is %v", err)
	}
	if _, err := NewBatch(1, spaces, nil, nil, make([]float64, 3), make([]float64, 2)); err == nil {
		t.Error("too few magnitudes are taken")
	}
	huge := []Space{sized{d: 0, p: math.MaxInt / 2}, three}
	if _, err := NewBatch(3, huge, []int32{0, 0, 0}, nil, nil, nil); fault.KindOf(err) != fault.KindMemory || fault.RowOf(err) != 2 {
		t.Errorf("outputs beyond memory give the error %v", err)
	}
	matrix := func(rows, cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
	}
	for want, b := range slicex.InOrder(map[string]*Batch{
		"linear has 2 columns, sized 3 needs 3":      OneSpaceLinear(three, matrix(2, 2)),
		"magnitude has 3 rows, must have 0, 1 or 2":  OneSpace(three, matrix(2, 3), matrix(3, 3)),
		"magnitude has 2 columns, sized 3 needs 3":   OneSpace(three, matrix(2, 3), matrix(2, 2)),
		"there are 1 rows of magnitudes, must be no": OneSpace(three, matrix(2, 3), matrix(1, 3)),
	}) {
		if err := b.CheckLinear(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

// general is an error that all rows of a space have.
type general struct{}

func (general) Error() string  { return "nobody can" }
func (general) EveryRow() bool { return true }

// TestErrorsNameRows: what all rows of a space have in common is about none of them, but about a row of several spaces.
func TestErrorsNameRows(t *testing.T) {
	linear := ascending(8)
	several, err := NewBatch(3, []Space{sized{d: 3}, sized{d: 1}, sized{d: 4}}, []int32{2, 0, 1}, nil, linear, nil)
	if err != nil {
		t.Fatal(err)
	}
	one := OneSpaceLinear(sized{d: 4}, blas64.General{Rows: 2, Cols: 4, Stride: 4, Data: linear})
	for _, c := range []struct {
		b    *Batch
		err  error
		want int
	}{
		{one, general{}, fault.NoRow}, {several, general{}, 1}, {one, errors.New("own"), 1}, {several, errors.New("own"), 1},
		{several, parallel.ErrCancelled, fault.NoRow}, {one, parallel.ErrCancelled, fault.NoRow},
	} {
		err := c.b.EachRow(2, 2, nil, func(i int) error {
			if i == 1 {
				return c.err
			}
			return nil
		})
		if fault.RowOf(err) != c.want || !errors.Is(err, c.err) || fault.KindOf(err) != fault.KindOf(c.err) {
			t.Errorf("the error is %v, about row %d", err, c.want)
		}
	}
	calls := 0
	_, err = ForSpaces(several, func(at int, s Space) (string, error) {
		if calls++; at == 1 {
			return "", general{}
		}
		return Describe(s), nil
	})
	if fault.RowOf(err) != 2 || calls != 2 {
		t.Errorf("the error is %v after %d calls", err, calls)
	}
	linear[5] = math.NaN()
	if err := several.CheckAllScores(); fault.RowOf(err) != 1 || fault.TextOf(err) != "score 1 is NaN, must be finite" {
		t.Errorf("the error is %v", err)
	}
}

// TestStreamsOfRows: equal rows of the same space are told apart, and those of two spaces need not be.
func TestStreamsOfRows(t *testing.T) {
	rows := []float64{1, 2, 1, 2, 1, 2, 3, 4}
	spaces := []Space{sized{d: 2, p: 1}, sized{d: 2, p: 2}}
	mixed, err := NewBatch(4, spaces, []int32{0, 1, 0, 1}, nil, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	one := OneSpaceLinear(spaces[0], blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: rows})
	a, b := mixed.Streams(), one.Streams()
	if a[0] != a[1] || a[0] != b[0] || a[2] != b[1] || b[2] == b[1] || a[3] == a[0] || a[0] != parallel.RowStream(nil, rows[:2]) {
		t.Errorf("the streams are %v and %v", a, b)
	}
}
