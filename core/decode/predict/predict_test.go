package predict

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/kernel"
	"combpred/core/linalg"
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

func gaussian(rows, cols int, seed uint64) matrix {
	rng := rand.New(rand.NewPCG(11, seed))
	m := linalg.NewMatrix[float64](rows, cols)
	for k := range m.Data {
		m.Data[k] = rng.NormFloat64()
	}
	return m
}

// sparse returns a matrix in compressed rows.
func sparse(m matrix) kernel.Rows {
	s := &linalg.Sparse{Rows: m.Rows, Cols: m.Cols, Indptr: []int64{0}}
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			s.Indices, s.Data = append(s.Indices, int32(j)), append(s.Data, v)
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return kernel.Rows{Sparse: s}
}

const (
	nTrain  = 30
	nInputs = 5
)

// models returns one model of each kind for a space, with a function that computes one score by its definition.
func models(tb testing.TB, space structure.Space, expected *Expected) map[string]struct {
	m     *Model
	score func(x []float64, l int) float64
} {
	d := space.FeatureLen()
	w, a, train, b := gaussian(nInputs, d, 1), gaussian(nTrain, d, 2), gaussian(nTrain, nInputs, 3), gaussian(1, d, 4).Data
	k, err := kernel.New(kernel.Function{Kind: kernel.RBF, Gamma: 0.3}, kernel.Rows{Dense: train})
	if err != nil {
		tb.Fatal(err)
	}
	weighted := func(values func(j int) float64, coef func(j, l int) float64, n, l int) float64 {
		sum := b[l]
		for j := range n {
			sum += values(j) * coef(j, l)
		}
		return sum
	}
	dual := func(j, l int) float64 { return a.Row(j)[l] }
	return map[string]struct {
		m     *Model
		score func(x []float64, l int) float64
	}{
		"linear": {&Model{Space: space, Coef: w, Intercept: b, Expected: expected}, func(x []float64, l int) float64 {
			return weighted(func(j int) float64 { return x[j] }, func(j, l int) float64 { return w.Row(j)[l] }, nInputs, l)
		}},
		"rbf": {&Model{Space: space, Coef: a, Kernel: k, Intercept: b, Expected: expected}, func(x []float64, l int) float64 {
			return weighted(func(j int) float64 {
				var square float64
				for c, v := range train.Row(j) {
					square += (x[c] - v) * (x[c] - v)
				}
				return math.Exp(-0.3 * square)
			}, dual, nTrain, l)
		}},
		"precomputed": {&Model{Space: space, Coef: a, Intercept: b, Expected: expected}, func(x []float64, l int) float64 {
			return weighted(func(j int) float64 { return x[j] }, dual, nTrain, l)
		}},
	}
}

func inputs(name string, n int) matrix {
	if name == "precomputed" {
		return gaussian(n, nTrain, 5)
	}
	return gaussian(n, nInputs, 5)
}

// TestBlocksAreParts: rows of several blocks are scored and decoded as each alone, by any number of workers, dense or sparse.
func TestBlocksAreParts(t *testing.T) {
	space := build(t, "permutations", 5)
	d, parts := space.FeatureLen(), space.PartLen()
	for kind, one := range slicex.InOrder(models(t, space, &Expected{PreImage: true})) {
		x := inputs(kind, 50)
		scores, want := linalg.NewMatrix[float64](50, d), make([]int32, 50*parts)
		if err := errors.Join(one.m.ScoresTo(scores, kernel.Rows{Dense: x}, Options{Workers: 1}),
			one.m.PredictTo(want, nil, linalg.Matrix[float64]{}, kernel.Rows{Dense: x}, Options{Workers: 1})); err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			for l := range d {
				if math.Abs(scores.Row(i)[l]-one.score(x.Row(i), l)) > 1e-12 {
					t.Fatalf("%s: score %d, %d", kind, i, l)
				}
			}
		}
		for _, rows := range []kernel.Rows{{Dense: x}, sparse(x)} {
			for _, length := range []int{1, 7, 50} {
				got, part, returned := make([]int32, 50*parts), linalg.NewMatrix[float64](50, d), linalg.NewMatrix[float64](50, d)
				m := *one.m
				m.blockLength = length
				var counted parallel.Monitor
				if err := errors.Join(m.PredictTo(got, nil, returned, rows, Options{Workers: 3}),
					m.ScoresTo(part, rows, Options{Workers: 3, Monitor: &counted})); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) || counted.Steps() != 50 {
					t.Errorf("%s in blocks of %d: other predictions, or %d steps", kind, length, counted.Steps())
				}
				for k, v := range part.Data {
					if math.Abs(v-scores.Data[k]) > 1e-12 || returned.Data[k] != v {
						t.Fatalf("%s in blocks of %d: other scores", kind, length)
					}
				}
			}
		}
	}
}

// A sparse row that stores an entry in two parts, and a zero, has the stream of the same row when it is dense.
func TestStreamsDoNotDependOnStorage(t *testing.T) {
	dense := linalg.Matrix[float64]{Rows: 1, Cols: 3, Stride: 3, Data: []float64{0, 5, 3}}
	stored := &linalg.Sparse{Rows: 1, Cols: 3, Data: []float64{3, 1, 0, 4}, Indices: []int32{2, 1, 0, 1}, Indptr: []int64{0, 4}}
	streams := make([]uint64, 2)
	kernel.StreamsTo(streams[:1], kernel.Rows{Dense: dense})
	kernel.StreamsTo(streams[1:], kernel.Rows{Sparse: stored})
	if streams[0] != streams[1] {
		t.Errorf("the dense row has stream %#x, the sparse one %#x", streams[0], streams[1])
	}
}

// TestRandomDecodersFollowTheSeed and the features of the row, neither its place nor other rows, blocks or workers.
func TestRandomDecodersFollowTheSeed(t *testing.T) {
	space := build(t, "permutations", 30)
	const rows = 5
	m := &Model{Space: space, Coef: gaussian(nInputs, space.FeatureLen(), 1), blockLength: 3}
	dense := gaussian(rows, nInputs, 2)
	copy(dense.Row(4), dense.Row(0))
	x := kernel.Rows{Dense: dense}
	predicted := func(seed uint64, workers int) []int32 {
		dst := make([]int32, rows*space.PartLen())
		if err := m.PredictTo(dst, nil, linalg.Matrix[float64]{}, x,
			Options{Method: decode.Metropolis, Seed: seed, Workers: workers}); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	if !slices.Equal(predicted(3, 1), predicted(3, 4)) {
		t.Error("predictions depend on the number of workers")
	}
	if reflect.DeepEqual(predicted(3, 2), predicted(4, 2)) {
		t.Error("predictions do not depend on the seed")
	}
	all, parts := predicted(3, 1), space.PartLen()
	if !slices.Equal(all[:parts], all[4*parts:]) {
		t.Error("equal rows in different blocks have different predictions")
	}
	for i := range rows {
		for _, one := range []kernel.Rows{{Dense: dense.Slice(i, i+1, 0, nInputs)}, sparse(dense.Slice(i, i+1, 0, nInputs))} {
			dst := make([]int32, parts)
			o := Options{Method: decode.Metropolis, Seed: 3, Workers: 1}
			if err := m.PredictTo(dst, nil, linalg.Matrix[float64]{}, one, o); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(dst, all[i*parts:(i+1)*parts]) {
				t.Errorf("row %d alone has another prediction", i)
			}
		}
	}
}

func TestErrorsNameRows(t *testing.T) {
	space := build(t, "permutations", 4)
	d, parts := space.FeatureLen(), space.PartLen()
	dst, scores := make([]int32, 9*parts), linalg.NewMatrix[float64](9, d)
	requireRow := func(what string, err error, row int, text string) {
		t.Helper()
		if fault.RowOf(err) != row || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, want row %d", what, err, row)
		}
	}
	for kind, one := range slicex.InOrder(models(t, space, nil)) {
		m := *one.m
		m.blockLength = 2
		x := inputs(kind, 9)
		x.Row(7)[0] = math.NaN()
		for _, rows := range []kernel.Rows{{Dense: x}, sparse(x)} {
			requireRow(kind, m.ScoresTo(scores, rows, Options{}), 7, "row 7: X holds NaN in column 0")
			requireRow(kind, m.ScoresTo(scores, rows, Options{First: 30}), 37, "row 37: X holds NaN in column 0")
		}
	}
	// Scores that are finite, but not their sum.
	m := &Model{Space: space, Coef: gaussian(1, d, 1), blockLength: 2}
	x := linalg.NewMatrix[float64](9, 1)
	x.Data[5] = 1e307
	for l := range d {
		m.Coef.Data[l] = 9
	}
	requireRow("decoding", m.PredictTo(dst, nil, linalg.Matrix[float64]{}, kernel.Rows{Dense: x}, Options{}), 5, "row 5: ")
	requireRow("decoding", m.PredictTo(dst, nil, linalg.Matrix[float64]{}, kernel.Rows{Dense: x}, Options{First: 2}), 7, "row 7: ")
	x.Data[8] = 1e308
	requireRow("scores", m.ScoresTo(scores, kernel.Rows{Dense: x}, Options{First: 2}), 10, "row 10: the scores overflow")
	x.Data[8] = 0
	outputs := make([]int32, 9*parts)
	for i := range 9 {
		for u := range parts {
			outputs[i*parts+u] = int32(u + 1)
		}
	}
	if err := m.ValuesTo(make([]float64, 9), kernel.Rows{Dense: x}, outputs, Options{}); err != nil {
		t.Fatal(err)
	}
	outputs[3*parts] = 77
	requireRow("values", m.ValuesTo(make([]float64, 9), kernel.Rows{Dense: x}, outputs, Options{}), 3, "row 3: ")
	var cancelled parallel.Monitor
	cancelled.Cancel()
	for kind, one := range slicex.InOrder(models(t, space, &Expected{PreImage: true})) {
		err := one.m.PredictTo(dst, nil, linalg.Matrix[float64]{}, kernel.Rows{Dense: inputs(kind, 9)}, Options{Monitor: &cancelled})
		if !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("%s, cancelled: %v", kind, err)
		}
	}
}

// meanless is a space without moments.
type meanless struct{ structure.Space }

func TestIllegalModels(t *testing.T) {
	space := build(t, "permutations", 4)
	d, parts := space.FeatureLen(), space.PartLen()
	w, a := gaussian(2, d, 1), gaussian(3, d, 2)
	k, err := kernel.New(kernel.Function{}, kernel.Rows{Dense: gaussian(3, 2, 3)})
	if err != nil {
		t.Fatal(err)
	}
	x := kernel.Rows{Dense: gaussian(2, 2, 4)}
	for name, m := range slicex.InOrder(map[string]*Model{
		"nothing":          {Space: space},
		"coefficients":     {Space: space, Coef: gaussian(d, 2, 1)},
		"rows of training": {Space: space, Coef: gaussian(4, d, 2), Kernel: k},
		"intercept":        {Space: space, Coef: w, Intercept: make([]float64, d+1)},
		"mean":             {Space: space, Coef: w, Expected: &Expected{Mean: make([]float64, d+1)}},
		"no mean":          {Space: meanless{space}, Coef: w, Expected: &Expected{}},
		"kernel values":    {Space: space, Coef: a},
	}) {
		if err := m.PredictTo(make([]int32, 2*parts), nil, linalg.Matrix[float64]{}, x, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	m := &Model{Space: space, Coef: w, Expected: &Expected{PreImage: true, Mean: make([]float64, d)}}
	if err := m.PredictTo(make([]int32, 2*parts), nil, linalg.Matrix[float64]{}, x, Options{}); err != nil {
		t.Error(err)
	}
	for _, err := range []error{
		m.ScoresTo(linalg.NewMatrix[float64](2, d+1), x, Options{}),
		m.PredictTo(make([]int32, 1), nil, linalg.Matrix[float64]{}, x, Options{}),
		m.PredictTo(make([]int32, 2*parts), make([]structure.Certificate, 1), linalg.Matrix[float64]{}, x, Options{}),
		m.ValuesTo(make([]float64, 1), x, make([]int32, 2*parts), Options{}),
		m.ValuesTo(make([]float64, 2), x, make([]int32, parts), Options{}),
	} {
		if err == nil {
			t.Error("illegal shapes are accepted")
		}
	}
}
