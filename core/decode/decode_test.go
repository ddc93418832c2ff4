package decode

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func build(tb testing.TB, name string, n int64) structure.Space {
	tb.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": n}})
	if err != nil {
		tb.Fatal(err)
	}
	return space
}

// gaussian returns scores whose rows are padded with NaN, which decoding must never read.
func gaussian(rows, cols int, seed uint64) blas64.General {
	const pad = 2
	rng := rand.New(rand.NewPCG(7, seed))
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + pad, Data: make([]float64, rows*(cols+pad))}
	for i := range m.Data {
		m.Data[i] = math.NaN()
		if i%m.Stride < cols {
			m.Data[i] = rng.NormFloat64()
		}
	}
	return m
}

// TestBatchRows: a batch gives what decoding row by row gives, for every kind of magnitude, and the same for 1, 2 and 5
// workers.
func TestBatchRows(t *testing.T) {
	const n = 100
	for name, size := range slicex.InOrder(map[string]int64{"permutations": 6, "labelsets": 9, "ordinal": 5}) {
		space := build(t, name, size)
		d, parts := space.FeatureLen(), space.PartLen()
		linear := gaussian(n, d, 1)
		for _, rows := range []int{0, 1, n} {
			var magnitude blas64.General
			if rows > 0 {
				magnitude = gaussian(rows, d, 2)
			}
			want, certs := make([]int32, n*parts), make([]structure.Certificate, n)
			for i := range n {
				score := structure.Scores{Linear: row(linear, i)}
				if rows > 0 {
					score.Magnitude = row(magnitude, i%rows)
				}
				var err error
				if certs[i], err = space.(structure.Decoder).Decode(want[i*parts:(i+1)*parts], score); err != nil {
					t.Fatal(err)
				}
			}
			for _, workers := range []int{1, 2, 5} {
				var mon parallel.Monitor
				got, gotCerts := make([]int32, n*parts), make([]structure.Certificate, n)
				if err := Batch(structure.OneSpace(space, linear, magnitude), Auto, 0, got, gotCerts, workers, &mon); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) || !reflect.DeepEqual(gotCerts, certs) {
					t.Errorf("%T, %d magnitude rows, %d workers: the batch differs from its rows", space, rows, workers)
				}
				if mon.Steps() != n {
					t.Errorf("progress counts %d rows, want %d", mon.Steps(), n)
				}
				err := Batch(structure.OneSpace(space, linear, magnitude), Exact, 0, got, nil, workers, nil)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%T: Exact without certificates differs, error %v", space, err)
				}
			}
		}
	}
}

// TestMethods: beyond the exact method's size Auto searches, Exact refuses with a LimitError that names the row, and
// Search answers; rows that can be solved exactly are proven optimal by Auto in the same batch.
func TestMethods(t *testing.T) {
	const k = 30
	space := build(t, "permutations", k)
	linear := gaussian(3, space.FeatureLen(), 3)
	for j := range linear.Cols {
		linear.Data[j] = -1 // row 0: the reversed order, consistent
	}
	dst, certs := make([]int32, 3*k), make([]structure.Certificate, 3)
	if err := Batch(structure.OneSpaceLinear(space, linear), Auto, 0, dst, certs, 2, nil); err != nil {
		t.Fatal(err)
	}
	if !certs[0].Optimal || certs[1].Optimal || certs[1].Nu != 0.5 || certs[1].UpperBound <= certs[1].Value {
		t.Errorf("Auto certifies %+v", certs)
	}
	for label, pos := range dst[:k] {
		if int(pos) != k-label {
			t.Fatalf("the reversed order is decoded as %v", dst[:k])
		}
	}
	err := Batch(structure.OneSpaceLinear(space, linear), Exact, 0, dst, certs, 2, nil)
	limit, ok := errors.AsType[*structure.LimitError](err)
	if !ok || limit.Limit != 20 || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("Exact gives the error %v", err)
	}
	if err := Batch(structure.OneSpaceLinear(space, linear), Search, 0, dst, certs, 2, nil); err != nil || certs[2].Value < 0 {
		t.Errorf("Search certifies %+v, error %v", certs[2], err)
	}
	classes := build(t, "multiclass", 4)
	one, cert := make([]int32, 3), make([]structure.Certificate, 3)
	err = Batch(structure.OneSpaceLinear(classes, gaussian(3, 4, 4)), Search, 0, one, cert, 1, nil)
	if err != nil || !cert[0].Optimal {
		t.Errorf("Search on a structure without one certifies %+v, error %v", cert[0], err)
	}
}

// opaque hides the capabilities of a space.
type opaque struct{ structure.Space }

// searchOnly is a space with a search and no exact decoder.
type searchOnly struct{ structure.Space }

func (searchOnly) Search(dst []int32, _ structure.Scores, _ func() error) (structure.Certificate, error) {
	dst[0] = 2
	return structure.Certificate{UpperBound: 1, Nu: 0.5}, nil
}

func (s searchOnly) Start(dst []int32, score structure.Scores, poll func() error) (structure.Certificate, error) {
	return s.Search(dst, score, poll)
}

func TestCapabilities(t *testing.T) {
	space := build(t, "multiclass", 3)
	linear := gaussian(1, 3, 5)
	dst := make([]int32, 1)
	for _, method := range []Method{Auto, Exact, Search} {
		err := Batch(structure.OneSpaceLinear(opaque{space}, linear), method, 0, dst, nil, 1, nil)
		if _, ok := errors.AsType[*structure.CapabilityError](err); !ok {
			t.Errorf("method %d without any capability gives the error %v", method, err)
		}
	}
	for _, method := range []Method{Auto, Search} {
		err := Batch(structure.OneSpaceLinear(searchOnly{space}, linear), method, 0, dst, nil, 1, nil)
		if err != nil || dst[0] != 2 {
			t.Errorf("method %d with a search alone gives %v, error %v", method, dst, err)
		}
	}
	err := Batch(structure.OneSpaceLinear(searchOnly{space}, linear), Exact, 0, dst, nil, 1, nil)
	if _, ok := errors.AsType[*structure.CapabilityError](err); !ok {
		t.Errorf("Exact with a search alone gives the error %v", err)
	}
}

// TestBadInput: every illegal argument is an error that says what is wrong, and where.
func TestBadInput(t *testing.T) {
	const n, d = 50, 4
	space := build(t, "labelsets", d)
	good := gaussian(n, d, 6)
	with := func(m blas64.General, i, j int, v float64) blas64.General {
		m.Data = slices.Clone(m.Data)
		m.Data[i*m.Stride+j] = v
		return m
	}
	huge := with(with(good, 31, 0, math.MaxFloat64), 31, 1, math.MaxFloat64)
	none := blas64.General{}
	dst, certs := make([]int32, n*d), make([]structure.Certificate, n)
	cases := []struct {
		name              string
		linear, magnitude blas64.General
		method            Method
		dst               []int32
		certs             []structure.Certificate
		want              string
	}{
		{"NaN", with(good, 17, 2, math.NaN()), none, Auto, dst, certs, "row 17: score 2 is NaN"},
		{"infinite", with(good, 49, 0, math.Inf(-1)), none, Search, dst, certs, "row 49: score 0 is -Inf"},
		{"first of two", with(with(good, 40, 0, math.NaN()), 18, 1, math.NaN()), none, Auto, dst, certs, "row 18"},
		{"overflow", huge, none, Auto, dst, certs, "row 31: the scores add up"},
		{"magnitude", good, with(good, 3, 3, math.NaN()), Auto, dst, certs, "row 3: magnitude: score 3 is NaN"},
		{"one magnitude", good, with(gaussian(1, d, 8), 0, 1, math.Inf(1)), Auto, dst, certs,
			"magnitude: score 1 is +Inf"},
		{"columns", gaussian(n, d+1, 9), none, Auto, dst, certs, "linear has 5 columns"},
		{"magnitude rows", good, gaussian(2, d, 9), Auto, dst, certs, "magnitude has 2 rows"},
		{"magnitude columns", good, gaussian(1, d+1, 9), Auto, dst, certs, "magnitude has 5 columns"},
		{"dst", good, none, Auto, dst[1:], certs, "dst has 199 entries"},
		{"certs", good, none, Auto, dst, certs[1:], "certs has 49 entries"},
		{"method", good, none, Method(7), dst, certs, "method number 7"},
	}
	for _, c := range cases {
		for _, workers := range []int{1, 3} {
			err := Batch(structure.OneSpace(space, c.linear, c.magnitude), c.method, 0, c.dst, c.certs, workers, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
			}
		}
	}
	if err := Batch(structure.OneSpaceLinear(space, blas64.General{Cols: d}), Auto, 0, nil, nil, 2, nil); err != nil {
		t.Errorf("a batch without rows gives the error %v", err)
	}
}

func TestCancel(t *testing.T) {
	var mon parallel.Monitor
	mon.Cancel()
	space := build(t, "multiclass", 3)
	err := Batch(structure.OneSpaceLinear(space, gaussian(5, 3, 1)), Auto, 0, make([]int32, 5), nil, 1, &mon)
	if !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("a cancelled batch gives the error %v", err)
	}
	mon = parallel.Monitor{}
	err = Batch(structure.OneSpaceLinear(stopping{space, &mon}, gaussian(5, 3, 1)), Exact, 0, make([]int32, 5), nil, 1, &mon)
	if !errors.Is(err, parallel.ErrCancelled) || strings.Contains(err.Error(), "row") {
		t.Errorf("a batch that is cancelled at its first row gives the error %v", err)
	}
}

// stopping cancels the batch whose rows it decodes.
type stopping struct {
	structure.Space
	mon *parallel.Monitor
}

func (s stopping) Decode([]int32, structure.Scores) (structure.Certificate, error) {
	s.mon.Cancel()
	return structure.Certificate{}, s.mon.Err()
}

// BenchmarkBatch decodes a thousand rankings of ten labels with Gaussian scores on all processors.
func BenchmarkBatch(b *testing.B) {
	const n, k = 1000, 10
	space := build(b, "permutations", k)
	linear := gaussian(n, space.FeatureLen(), 1)
	dst, certs := make([]int32, n*k), make([]structure.Certificate, n)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Batch(structure.OneSpaceLinear(space, linear), Exact, 0, dst, certs, workers, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// TestRowsToBlame: a limit that depends on the scores names its row, one of the size of the structure names none.
func TestRowsToBlame(t *testing.T) {
	for _, c := range []struct {
		name string
		size int64
		row  int // −1 for none
	}{
		{"permutations", 40, 1}, {"weakorders", 40, 1}, {"partialorders", 40, 1}, {"cliques", 90, 1},
		{"cycles", 17, -1}, {"directedcycles", 17, -1}, {"routes", 17, -1},
	} {
		space := build(t, c.name, c.size)
		linear := gaussian(3, space.FeatureLen(), 6)
		clear(linear.Data[:linear.Cols])
		err := Batch(structure.OneSpaceLinear(space, linear), Exact, 0, make([]int32, 3*space.PartLen()), nil, 1, nil)
		if _, ok := errors.AsType[*structure.LimitError](err); !ok {
			t.Fatalf("%s of size %d give the error %v", c.name, c.size, err)
		}
		row := fault.RowOf(err)
		if row != c.row || strings.Contains(err.Error(), "row ") != (c.row >= 0) {
			t.Errorf("%s: row %d is to blame in %q, want %d", c.name, row, err, c.row)
		}
	}
}

func row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }
