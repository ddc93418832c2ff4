package kernel

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// TestDistancesOfRowsFarFromTheOrigin: a common offset and clusters far apart leave the kernel of what differs.
func TestDistancesOfRowsFarFromTheOrigin(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const n, p = 300, 40 // of more rows than a panel
	offset := linalg.NewMatrix[float64](n, p)
	clusters := linalg.NewMatrix[float64](n, p)
	for i := range n {
		for j := range p {
			offset.Row(i)[j] = 1e7 + rng.NormFloat64()
			clusters.Row(i)[j] = float64(i%3)*1e5*float64(j%5) + rng.NormFloat64()
		}
	}
	copy(clusters.Row(9), clusters.Row(270))
	for name, x := range slicex.InOrder(map[string]matrix{"offset": offset, "clusters": clusters}) {
		for _, f := range []Function{{Kind: RBF, Gamma: 1.0 / p}, {Kind: Laplacian, Gamma: 1.0 / p}} {
			for _, rows := range []Rows{{Dense: x}, compressed(x, rng)} {
				k := gram(t, f, rows, 2)
				requireSymmetric(t, name, k, f)
				part := x.Slice(250, n, 0, p)
				for i := range part.Rows {
					for j := range n {
						// Entries of sparse rows stored as halves add up to the same.
						if want := direct(f, part.Row(i), x.Row(j)); math.Abs(k.Row(250 + i)[j]-want) > 2e-13 {
							t.Fatalf("%s: k = %.17g, want %.17g", name, k.Row(250 + i)[j], want)
						}
					}
				}
				if name == "clusters" && k.Row(9)[270] != 1 {
					t.Errorf("equal rows have the value %g", k.Row(9)[270])
				}
			}
		}
	}
	k, err := New(Function{Kind: RBF, Gamma: 1.0 / p}, Rows{Dense: offset})
	if err != nil || k.origin == nil {
		t.Errorf("rows far from the origin are not centred (%v)", err)
	}
	if k, err = New(Function{Kind: RBF, Gamma: 1.0 / p}, Rows{Dense: rough(50, p, rng)}); err != nil || k.origin != nil {
		t.Errorf("rows near the origin are copied (%v)", err)
	}
}

// TestExtremeLengths: cosines do not depend on scale, and distances beyond the largest number are infinite.
func TestExtremeLengths(t *testing.T) {
	for _, scale := range []float64{1e-300, 1e-170, 1, 1e170, 1e300} {
		x := matrix{Rows: 3, Cols: 2, Stride: 2, Data: []float64{scale, 0, scale, scale, -scale, 0}}
		k := gram(t, Function{Kind: Cosine}, Rows{Dense: x}, 1)
		if math.Abs(k.Data[1]-math.Sqrt(0.5)) > 1e-15 || k.Data[0] != 1 || k.Data[2] != -1 {
			t.Errorf("scale %g: cosines %v", scale, k.Data)
		}
	}
	x := matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1e200, -1e200}}
	for _, f := range []Function{{Kind: RBF, Gamma: 1}, {Kind: Laplacian, Gamma: 1e200}} {
		if k := gram(t, f, Rows{Dense: x}, 1); !slices.Equal(k.Data, []float64{1, 0, 0, 1}) {
			t.Errorf("kernel %v of rows far apart: %v", f, k.Data)
		}
	}
}

// TestExponentials are within two units in the last place of math.Exp.
func TestExponentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	check := func(v float64) {
		got, want := exp(v), math.Exp(v)
		if math.Abs(got-want) > 2*(math.Nextafter(want, math.Inf(1))-want) {
			t.Fatalf("exp(%v) = %v, want %v", v, got, want)
		}
	}
	for range 200000 {
		check(-math.Exp(rng.Float64()*60 - 53))
	}
	for _, v := range []float64{0, math.Copysign(0, -1), -5e-324, -700, math.Nextafter(-700, 0), -745, -800, math.Inf(-1)} {
		check(v)
	}
	if exp(0) != 1 || !math.IsNaN(exp(math.NaN())) {
		t.Error("exp of 0 or NaN")
	}
}

func BenchmarkExponentials(b *testing.B) {
	x := make([]float64, 4096)
	for i := range x {
		x[i] = -4 * float64(i) / float64(len(x))
	}
	for name, f := range slicex.InOrder(map[string]func(float64) float64{"table": exp, "math": math.Exp}) {
		b.Run(name, func(b *testing.B) {
			var sum float64
			for b.Loop() {
				for _, v := range x {
					sum += f(v)
				}
			}
			_ = sum
		})
	}
}

// TestAbsoluteDistancesOfManyRows are those of one after the other, whatever the number of entries; padding is not read.
func TestAbsoluteDistancesOfManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for p := range 37 {
		y := rough(5, p, rng)
		x := make([]float64, p)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		for n := range 6 {
			got := make([]float64, n)
			absoluteDistances(got, x, y)
			for i, v := range got {
				if want := absoluteDistance(row{values: x}, row{values: y.Row(i)}); math.Abs(v-want) > 1e-14*want {
					t.Errorf("%d entries, row %d of %d: %v, want %v", p, i, n, v, want)
				}
			}
		}
		if p > 0 {
			same := make([]float64, 1)
			if absoluteDistances(same, y.Row(3), y.Slice(3, 4, 0, p)); same[0] != 0 {
				t.Errorf("%d entries: a row has distance %v to itself", p, same[0])
			}
		}
	}
}

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
	for name, draw := range slicex.InOrder(map[string]func() float64{
		"few":      func() float64 { return float64(rng.IntN(3)) / 3 },
		"many":     rng.NormFloat64,
		"far":      func() float64 { return 1e8 + float64(rng.IntN(1000))*1e-7 },
		"huge":     func() float64 { return 1e200 * float64(rng.IntN(3)-1) },
		"edge":     func() float64 { return 5.4e153 * (1 + float64(rng.IntN(5))/16) },
		"tiny":     func() float64 { return 1e-170 * float64(rng.IntN(5)) },
		"constant": func() float64 { return 1.5 },
	}) {
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
			for which, pair := range slicex.InOrder(map[string][2]Rows{
				"dense": {{Dense: x}, {Dense: y}}, "sparse": {sparseOf(x), sparseOf(y)},
				"sparse x": {sparseOf(x), {Dense: y}}, "sparse y": {{Dense: x}, sparseOf(y)}}) {
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
	for name, call := range slicex.InOrder(map[string]func() error{
		"features": func() error {
			return NearestTo(make([]int64, 2), linalg.NewMatrix[float64](2, 1), Rows{Dense: linalg.NewMatrix[float64](2, 2)}, y, 1, nil)
		},
		"too many": func() error { return NearestTo(make([]int64, 10), linalg.NewMatrix[float64](2, 5), x, y, 1, nil) },
		"none":     func() error { return NearestTo(nil, linalg.NewMatrix[float64](2, 0), x, y, 1, nil) },
		"numbers":  func() error { return NearestTo(make([]int64, 1), linalg.NewMatrix[float64](2, 1), x, y, 1, nil) },
	}) {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var cancelled parallel.Monitor
	cancelled.Cancel()
	for _, others := range []Rows{y, sparseOf(y.Dense)} {
		err := NearestTo(make([]int64, 2), linalg.NewMatrix[float64](2, 1), x, others, 1, &cancelled)
		if !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}
