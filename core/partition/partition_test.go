package partition_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func build(t *testing.T, name string, scalars map[string]int64, ints ...int32) structure.Space {
	t.Helper()
	s, err := structure.New(name, structure.Args{Scalars: scalars, Ints: ints})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func matrix(rows, cols int, f func() float64) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
	for i := range m.Data {
		m.Data[i] = f()
	}
	return m
}

// listOnly hides everything but the list of a space.
type listOnly struct {
	structure.Space
	structure.Enumerator
}

// entropy returns −Σ p ln p in nats from what Batch returns for one row: ln Z − ⟨s, E ψ⟩. Rounding does not make it
// negative.
func entropy(logZ float64, scores, marginals []float64) float64 {
	for i, s := range scores {
		logZ -= s * marginals[i]
	}
	return max(logZ, 0)
}

// TestListAgreesWithRecursion: both engines give the same numbers for sets of 7 labels, for any number of workers.
func TestListAgreesWithRecursion(t *testing.T) {
	space := build(t, "labelsets", map[string]int64{"n": 7})
	list := listOnly{space, space.(structure.Enumerator)}
	const n = 37
	rng := rand.New(rand.NewPCG(1, 2))
	scores := matrix(n, 7, func() float64 { return 3 * rng.NormFloat64() })
	zero := func() float64 { return math.NaN() }
	want, wantMean := make([]float64, n), matrix(n, 7, zero)
	if engine, _, err := partition.Choose(list, true); err != nil || engine != partition.Enumeration {
		t.Fatal(engine, err)
	}
	if err := partition.Batch(structure.OneSpaceLinear(list, scores), want, wantMean.Data, 1, nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range []structure.Space{list, space} {
		for _, workers := range []int{1, 2, 5} {
			got, mean := make([]float64, n), matrix(n, 7, zero)
			if err := partition.Batch(structure.OneSpaceLinear(s, scores), got, mean.Data, workers, nil); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if !(math.Abs(got[i]-want[i]) <= 1e-12*math.Abs(want[i])) {
					t.Fatalf("row %d: ln Z is %v, want %v", i, got[i], want[i])
				}
			}
			for i := range mean.Data {
				if !(math.Abs(mean.Data[i]-wantMean.Data[i]) <= 1e-12) {
					t.Fatalf("marginal %d is %v, want %v", i, mean.Data[i], wantMean.Data[i])
				}
			}
			if err := partition.Batch(structure.OneSpaceLinear(s, scores), got, nil, workers, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range n {
		h := entropy(want[i], scores.Data[i*7:i*7+7], wantMean.Data[i*7:i*7+7])
		var sum float64 // of 7 independent labels
		for _, p := range wantMean.Data[i*7 : i*7+7] {
			sum -= p*math.Log(p) + (1-p)*math.Log1p(-p)
		}
		if math.Abs(h-sum) > 1e-10 {
			t.Errorf("row %d: the entropy is %v, want %v", i, h, sum)
		}
	}
}

func TestIllegalArgumentsAreRefused(t *testing.T) {
	space := build(t, "multiclass", map[string]int64{"n": 3})
	scores := matrix(4, 3, func() float64 { return 0 })
	out := make([]float64, 4)
	refused := func(want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
	batch := func(s blas64.General, z []float64, m blas64.General) error {
		return partition.Batch(structure.OneSpaceLinear(space, s), z, m.Data, 2, nil)
	}
	refused("columns", batch(matrix(4, 2, func() float64 { return 0 }), out, blas64.General{}))
	refused("logZ has 3 entries", batch(scores, out[:3], blas64.General{}))
	refused("marginals has 9 entries", batch(scores, out, matrix(3, 3, func() float64 { return 0 })))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64} {
		spoilt := matrix(4, 3, func() float64 { return 0 })
		spoilt.Data[7] = bad
		refused("row 2", batch(spoilt, out, blas64.General{}))
		refused("row 2", partition.Sample(structure.OneSpaceLinear(space, spoilt), 1, 1, nil, make([]int32, 4), 2, nil))
	}
	refused("dst has 7 entries", partition.Sample(structure.OneSpaceLinear(space, scores), 2, 1, nil, make([]int32, 7), 2, nil))
	refused("-1 samples", partition.Sample(structure.OneSpaceLinear(space, scores), -1, 1, nil, nil, 2, nil))
}

func TestTooLargeSpacesAreRefused(t *testing.T) {
	space := build(t, "partialorders", map[string]int64{"n": 40})
	scores := matrix(1, space.FeatureLen(), func() float64 { return 0 })
	err := partition.Batch(structure.OneSpaceLinear(space, scores), make([]float64, 1), nil, 1, nil)
	if _, ok := errors.AsType[*structure.CapabilityError](err); !ok {
		t.Errorf("without a list the error is %v", err)
	}
	listed := build(t, "labelsets", map[string]int64{"n": 40})
	list := listOnly{listed, listed.(structure.Enumerator)} // which does not know how many there are
	scores = matrix(1, 40, func() float64 { return 0 })
	err = partition.Batch(structure.OneSpaceLinear(list, scores), make([]float64, 1), nil, 1, nil)
	if _, ok := errors.AsType[*structure.LimitError](err); !ok {
		t.Errorf("with too long a list the error is %v", err)
	}
	if err := partition.Sample(structure.OneSpaceLinear(list, scores), 1, 1, nil, make([]int32, 40), 1, nil); err == nil {
		t.Error("samples from too long a list are not refused")
	}
}

func TestCancelledBatchStops(t *testing.T) {
	listed := build(t, "labelsets", map[string]int64{"n": 12})
	list := listOnly{listed, listed.(structure.Enumerator)}
	scores := matrix(3, 12, func() float64 { return 0 })
	mon := new(parallel.Monitor)
	mon.Cancel()
	if err := partition.Batch(structure.OneSpaceLinear(list, scores), make([]float64, 3), nil, 2, mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Error(err)
	}
	if err := partition.Sample(structure.OneSpaceLinear(list, scores), 1, 1, nil, make([]int32, 36), 2, mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Error(err)
	}
}

// TestSamplesDoNotDependOnWorkers, and each row's not on the others.
func TestSamplesDoNotDependOnWorkers(t *testing.T) {
	space := build(t, "labelsets", map[string]int64{"n": 5})
	list := listOnly{space, space.(structure.Enumerator)}
	rng := rand.New(rand.NewPCG(3, 4))
	scores := matrix(9, 5, rng.NormFloat64)
	for _, s := range []structure.Space{space, list} {
		first := make([]int32, 6*9*5)
		if err := partition.Sample(structure.OneSpaceLinear(s, scores), 6, 42, nil, first, 1, nil); err != nil {
			t.Fatal(err)
		}
		again := make([]int32, len(first))
		if err := partition.Sample(structure.OneSpaceLinear(s, scores), 6, 42, nil, again, 4, nil); err != nil || !slices.Equal(first, again) {
			t.Errorf("4 workers draw other samples than 1, or fail with %v", err)
		}
		if err := partition.Sample(structure.OneSpaceLinear(s, scores), 6, 43, nil, again, 4, nil); err != nil || slices.Equal(first, again) {
			t.Errorf("another seed draws the same samples, or fails with %v", err)
		}
	}
}

// TestNoRowIsToBlameForSizes: every row would fail alike.
func TestNoRowIsToBlameForSizes(t *testing.T) {
	for name, n := range slicex.InOrder(map[string]int64{
		"permutations": 40, "weakorders": 40, "assignments": 40, "cliques": 40, "cycles": 40,
	}) {
		space := build(t, name, map[string]int64{"n": n})
		scores := matrix(2, space.FeatureLen(), func() float64 { return 0 })
		summed := partition.Batch(structure.OneSpaceLinear(space, scores), make([]float64, 2), nil, 1, nil)
		drawn := partition.Sample(structure.OneSpaceLinear(space, scores), 1, 1, nil, make([]int32, 2*space.PartLen()), 1, nil)
		for _, err := range []error{summed, drawn} {
			if _, ok := errors.AsType[*structure.LimitError](err); !ok {
				t.Fatalf("%s of size %d give the error %v", name, n, err)
			}
			if row := fault.RowOf(err); row != fault.NoRow {
				t.Errorf("%s: row %d is to blame in %q", name, row, err)
			}
		}
	}
}

// TestSamplesFollowFromTheirRow: those of a row do not depend on its place, on other rows or on workers, and equal rows are drawn for
// independently.
func TestSamplesFollowFromTheirRow(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 9})
	d, rng := space.FeatureLen(), rand.New(rand.NewPCG(1, 8))
	five := matrix(5, d, func() float64 { return rng.NormFloat64() })
	copy(five.Data[4*d:], five.Data[d:2*d])
	const samples = 8
	draw := func(scores blas64.General, workers int) [][]int32 {
		dst := make([]int32, scores.Rows*samples*9)
		if err := partition.SampleRows(structure.OneSpaceLinear(space, scores), samples, 3, nil, dst, workers, nil); err != nil {
			t.Fatal(err)
		}
		return slices.Collect(slices.Chunk(dst, samples*9))
	}
	all := draw(five, 1)
	order := []int{3, 1, 0}
	some := matrix(3, d, func() float64 { return 0 })
	for k, i := range order {
		copy(some.Data[k*d:], five.Data[i*d:(i+1)*d])
	}
	for k, y := range draw(some, 2) {
		if !slices.Equal(y, all[order[k]]) {
			t.Errorf("row %d has other samples in another batch", order[k])
		}
	}
	if slices.Equal(all[1], all[4]) {
		t.Error("two equal rows have the same samples")
	}
}
