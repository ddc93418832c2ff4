package kernel

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
)

// sparseOf returns the same rows as a sparse matrix without zeros.
func sparseOf(d matrix) Rows {
	s := &linalg.Sparse{Rows: d.Rows, Cols: d.Cols, Indptr: []int64{0}}
	for i := range d.Rows {
		for j, v := range d.Row(i) {
			if v != 0 {
				s.Indices = append(s.Indices, int32(j))
				s.Data = append(s.Data, v)
			}
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return Rows{Sparse: s}
}

// TestNearestAreThoseOfAllDistances: with few values, so that many are as far; far from the origin and near one another, so that products
// tell nothing; and where squares overflow. Dense and sparse rows alike, to the last bit.
func TestNearestAreThoseOfAllDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, m, p = 30, 300, 6
	for name, draw := range map[string]func() float64{
		"few":      func() float64 { return float64(rng.IntN(3)) / 3 },
		"many":     rng.NormFloat64,
		"far":      func() float64 { return 1e8 + float64(rng.IntN(1000))*1e-7 },
		"huge":     func() float64 { return 1e200 * float64(rng.IntN(3)-1) },
		"edge":     func() float64 { return 5.4e153 * (1 + float64(rng.IntN(5))/16) },
		"tiny":     func() float64 { return 1e-170 * float64(rng.IntN(5)) },
		"constant": func() float64 { return 1.5 },
	} {
		x, y := linalg.NewMatrix[float64](n, p), linalg.NewMatrix[float64](m, p)
		for at := range y.Data {
			y.Data[at] = draw()
		}
		for at := range x.Data {
			x.Data[at] = draw()
		}
		for _, wanted := range []int{1, 7, m} {
			var numbers []int64
			squares := make([]float64, 0, n*wanted)
			for i := range n {
				far, order := make([]float64, m), make([]int64, m)
				for j := range m {
					order[j] = int64(j)
					for f, v := range x.Row(i) {
						far[j] += float64((v - y.Row(j)[f]) * (v - y.Row(j)[f]))
					}
				}
				slices.SortStableFunc(order, func(a, b int64) int { return cmp.Compare(far[a], far[b]) })
				for _, j := range order[:wanted] {
					numbers, squares = append(numbers, j), append(squares, far[j])
				}
			}
			for which, pair := range map[string][2]Rows{"dense": {{Dense: x}, {Dense: y}}, "sparse": {sparseOf(x), sparseOf(y)},
				"sparse x": {sparseOf(x), {Dense: y}}, "sparse y": {{Dense: x}, sparseOf(y)}} {
				found, places := linalg.NewMatrix[float64](n, wanted), make([]int64, n*wanted)
				if err := NearestTo(places, found, pair[0], pair[1], 2, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(places, numbers) || !slices.Equal(found.Data, squares) {
					t.Errorf("%s, %s, %d wanted: others are nearer", name, which, wanted)
				}
			}
		}
	}
}

// TestNearestTakesManyRows: more than are looked at together.
func TestNearestTakesManyRows(t *testing.T) {
	y := linalg.NewMatrix[float64](2*nearestWidth+5, 2)
	for i := range y.Rows {
		y.Row(i)[0] = float64((i * 7919) % y.Rows)
	}
	x := y.Slice(0, panelRows+3, 0, 2)
	found, numbers := linalg.NewMatrix[float64](x.Rows, 2), make([]int64, 2*x.Rows)
	if err := NearestTo(numbers, found, Rows{Dense: x}, Rows{Dense: y}, 2, nil); err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		if numbers[2*i] != int64(i) || found.Row(i)[0] != 0 || found.Row(i)[1] != 1 {
			t.Fatalf("row %d: %v at %v", i, numbers[2*i:2*i+2], found.Row(i))
		}
	}
}

func TestNearestRefuses(t *testing.T) {
	x, y := Rows{Dense: linalg.NewMatrix[float64](2, 3)}, Rows{Dense: linalg.NewMatrix[float64](4, 3)}
	for name, call := range map[string]func() error{
		"features": func() error {
			return NearestTo(make([]int64, 2), linalg.NewMatrix[float64](2, 1), Rows{Dense: linalg.NewMatrix[float64](2, 2)}, y, 1, nil)
		},
		"too many": func() error { return NearestTo(make([]int64, 10), linalg.NewMatrix[float64](2, 5), x, y, 1, nil) },
		"none":     func() error { return NearestTo(nil, linalg.NewMatrix[float64](2, 0), x, y, 1, nil) },
		"numbers":  func() error { return NearestTo(make([]int64, 1), linalg.NewMatrix[float64](2, 1), x, y, 1, nil) },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var cancelled parallel.Monitor
	cancelled.Cancel()
	for _, others := range []Rows{y, sparseOf(y.Dense)} {
		if err := NearestTo(make([]int64, 2), linalg.NewMatrix[float64](2, 1), x, others, 1, &cancelled); !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}
