package kernel

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

var functions = map[string]Function{
	"linear":           {Kind: Linear},
	"cubic":            {Kind: Polynomial, Gamma: 0.3, Degree: 3, Coef0: 1},
	"constant":         {Kind: Polynomial, Gamma: 0.3},
	"degree 40":        {Kind: Polynomial, Gamma: 0.01, Degree: 40, Coef0: 0.9},
	"fractional":       {Kind: Polynomial, Gamma: 1e-3, Degree: 2.5, Coef0: 2},
	"rbf":              {Kind: RBF, Gamma: 0.2},
	"rbf, small scale": {Kind: RBF, Gamma: 1e4},
	"laplacian":        {Kind: Laplacian, Gamma: 0.1},
	"cosine":           {Kind: Cosine},
}

// rough returns rows some of whose entries are zero, with the first one of zeros only, and the third equal to the second; rows are padded
// with NaN, which must never be read.
func rough(n, p int, rng *rand.Rand) matrix {
	const pad = 3
	m := matrix{Rows: n, Cols: p, Stride: p + pad, Data: make([]float64, n*(p+pad))}
	for i := range m.Data {
		m.Data[i] = math.NaN()
	}
	for i := range n {
		row := m.Row(i)
		for j := range row {
			row[j] = 0
			if i > 0 && rng.IntN(2) == 0 {
				row[j] = rng.NormFloat64()
			}
		}
	}
	if n > 2 {
		copy(m.Row(2), m.Row(1))
	}
	return m
}

// compressed returns dense rows as sparse ones in any order of columns, with half of the entries stored twice, as halves.
func compressed(m matrix, rng *rand.Rand) Rows {
	s := &linalg.Sparse{Rows: m.Rows, Cols: m.Cols, Indptr: []int64{0}}
	for i := range m.Rows {
		for _, j := range rng.Perm(m.Cols) {
			v := m.Row(i)[j]
			if v == 0 {
				continue
			}
			copies := 1 + rng.IntN(2)
			for range copies {
				s.Indices, s.Data = append(s.Indices, int32(j)), append(s.Data, v/float64(copies))
			}
		}
		s.Indptr = append(s.Indptr, int64(len(s.Data)))
	}
	return Rows{Sparse: s}
}

// direct computes a kernel value by its definition, sums in 200 bits.
func direct(f Function, x, y []float64) float64 {
	sum := func(term func(t *big.Float, a, b *big.Float)) *big.Float {
		total := new(big.Float).SetPrec(200)
		for j := range x {
			t := new(big.Float).SetPrec(200)
			term(t, new(big.Float).SetPrec(200).SetFloat64(x[j]), new(big.Float).SetPrec(200).SetFloat64(y[j]))
			total.Add(total, t)
		}
		return total
	}
	float := func(b *big.Float) float64 { v, _ := b.Float64(); return v }
	dot := func(t, a, b *big.Float) { t.Mul(a, b) }
	switch f.Kind {
	case Polynomial:
		return math.Pow(f.Gamma*float(sum(dot))+f.Coef0, f.Degree)
	case RBF:
		return math.Exp(-f.Gamma * float(sum(func(t, a, b *big.Float) { t.Sub(a, b); t.Mul(t, t) })))
	case Laplacian:
		return math.Exp(-f.Gamma * float(sum(func(t, a, b *big.Float) { t.Sub(a, b); t.Abs(t) })))
	case Cosine:
		xx, yy := sum(func(t, a, _ *big.Float) { t.Mul(a, a) }), sum(func(t, _, b *big.Float) { t.Mul(b, b) })
		if xx.Sign() == 0 || yy.Sign() == 0 {
			return 0
		}
		root := new(big.Float).SetPrec(200).Sqrt(xx)
		root.Mul(root, new(big.Float).SetPrec(200).Sqrt(yy))
		return float(root.Quo(sum(dot), root))
	}
	return float(sum(dot))
}

func values(t *testing.T, f Function, x, y Rows, workers int) matrix {
	t.Helper()
	k, err := New(f, y)
	if err != nil {
		t.Fatal(err)
	}
	dst := matrix{Rows: x.Len(), Cols: y.Len(), Stride: y.Len() + 2, Data: make([]float64, x.Len()*(y.Len()+2))}
	for i := range dst.Data {
		dst.Data[i] = math.NaN()
	}
	if err := k.ValuesTo(dst, x, Options{Workers: workers}); err != nil {
		t.Fatal(err)
	}
	return dst
}

func gram(t *testing.T, f Function, x Rows, workers int) matrix {
	t.Helper()
	k, err := New(f, x)
	if err != nil {
		t.Fatal(err)
	}
	dst := linalg.NewMatrix[float64](x.Len(), x.Len())
	if err := k.GramTo(dst, Options{Workers: workers}); err != nil {
		t.Fatal(err)
	}
	return dst
}

func requireNear(t *testing.T, name string, got matrix, f Function, x, y matrix, tol float64) {
	t.Helper()
	for i := range x.Rows {
		for j := range y.Rows {
			want := direct(f, x.Row(i), y.Row(j))
			if v := got.Row(i)[j]; !(math.Abs(v-want) <= tol*max(1, math.Abs(want))) {
				t.Fatalf("%s: k(x_%d, y_%d) = %.17g, by its definition %.17g", name, i, j, v, want)
			}
		}
	}
}

// TestKernelsAreWhatTheirDefinitionSays for all combinations of dense and sparse rows.
func TestKernelsAreWhatTheirDefinitionSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := rough(23, 19, rng), rough(31, 19, rng)
	copy(y.Row(5), x.Row(7))
	lefts := map[string]Rows{"dense": {Dense: x}, "sparse": compressed(x, rng)}
	rights := map[string]Rows{"dense": {Dense: y}, "sparse": compressed(y, rng)}
	for name, f := range slicex.InOrder(functions) {
		for a, left := range slicex.InOrder(lefts) {
			for b, right := range slicex.InOrder(rights) {
				got := values(t, f, left, right, 2)
				requireNear(t, name+", "+a+" and "+b, got, f, x, y, 2e-14)
				if f.Unit() && got.Row(7)[5] != 1 {
					t.Errorf("%s, %s and %s: equal rows have the value %.17g", name, a, b, got.Row(7)[5])
				}
			}
			own := gram(t, f, left, 2)
			requireNear(t, name+", "+a, own, f, x, x, 2e-14)
			requireSymmetric(t, name, own, f)
		}
	}
}

func requireSymmetric(t *testing.T, name string, k matrix, f Function) {
	t.Helper()
	for i := range k.Rows {
		for j := range i {
			if k.Row(i)[j] != k.Row(j)[i] {
				t.Fatalf("%s: entries %d, %d differ", name, i, j)
			}
		}
		if d := k.Row(i)[i]; (f.Unit() && d != 1) || (f.Kind == Cosine && d != 1 && d != 0) {
			t.Errorf("%s: k(x_%d, x_%d) = %.17g", name, i, i, d)
		}
	}
}

// TestResultsDoNotDependOnWorkers, on more than one panel.
func TestResultsDoNotDependOnWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := rough(2*panelRows+17, 7, rng)
	for name, f := range slicex.InOrder(functions) {
		for _, rows := range []Rows{{Dense: x}, compressed(x, rng)} {
			want := gram(t, f, rows, 1)
			for _, workers := range []int{2, 5} {
				if got := gram(t, f, rows, workers); !slices.Equal(got.Data, want.Data) {
					t.Errorf("%s depends on the number of workers", name)
				}
			}
			full := values(t, f, rows, rows, 1)
			for i := range x.Rows {
				for j, v := range want.Row(i) {
					if math.Abs(v-full.Row(i)[j]) > 1e-13*max(1, math.Abs(v)) {
						t.Fatalf("%s: the matrix with itself differs from that with an equal one", name)
					}
				}
			}
		}
	}
}

func TestCancelledAndCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	x := rough(40, 6, rng)
	for name, f := range slicex.InOrder(functions) {
		for _, rows := range []Rows{{Dense: x}, compressed(x, rng)} {
			var counted, cancelled parallel.Monitor
			cancelled.Cancel()
			k, err := New(f, rows)
			if err != nil {
				t.Fatal(err)
			}
			dst := linalg.NewMatrix[float64](40, 40)
			if err := k.GramTo(dst, Options{Monitor: &counted}); err != nil || counted.Steps() != 40 {
				t.Errorf("%s: %d steps, %v", name, counted.Steps(), err)
			}
			if err := k.GramTo(dst, Options{Monitor: &cancelled}); !errors.Is(err, parallel.ErrCancelled) {
				t.Errorf("%s: cancelled, %v", name, err)
			}
		}
	}
}

// TestProducts are those of the definition for dense and sparse rows.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	x, y := rough(300, 11, rng), rough(4, 11, rng)
	w := linalg.NewMatrix[float64](11, 4)
	for j := range 11 {
		for k := range 4 {
			w.Row(j)[k] = y.Row(k)[j]
		}
	}
	for _, rows := range []Rows{{Dense: x}, compressed(x, rng)} {
		dst := linalg.NewMatrix[float64](300, 4)
		if err := ProductTo(dst, rows, w, 2, nil); err != nil {
			t.Fatal(err)
		}
		requireNear(t, "products", dst, Function{}, x, y, 1e-14)
	}
}

func TestGammaScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	x := rough(12, 5, rng)
	weights := make([]float64, 12)
	var all []float64
	for i := range weights {
		weights[i] = float64(rng.IntN(4))
		for range int(weights[i]) {
			all = append(all, x.Row(i)...)
		}
	}
	var mean, variance float64
	for _, v := range all {
		mean += v / float64(len(all))
	}
	for _, v := range all {
		variance += (v - mean) * (v - mean) / float64(len(all))
	}
	for _, rows := range []Rows{{Dense: x}, compressed(x, rng)} {
		got, err := GammaScale(rows, weights, 2, nil)
		if want := 1 / (5 * variance); err != nil || math.Abs(got-want) > 1e-13*want {
			t.Errorf("gamma %v, want %v (%v)", got, want, err)
		}
	}
	if got, err := GammaScale(Rows{Dense: linalg.NewMatrix[float64](3, 2)}, nil, 2, nil); got != 1 || err != nil {
		t.Errorf("gamma of constant inputs is %v (%v)", got, err)
	}
	if _, err := GammaScale(Rows{Dense: matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float64{-1e300, 1e300}}}, nil, 2, nil); err == nil {
		t.Error("a variance that overflows is accepted")
	}
	bad := matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0, 1, 2, math.NaN()}}
	if _, err := GammaScale(Rows{Dense: bad}, nil, 2, nil); err == nil || err.Error() != "row 1: a feature is NaN, must be finite" {
		t.Errorf("NaN: %v", err)
	}
	var cancelled parallel.Monitor
	cancelled.Cancel()
	if _, err := GammaScale(Rows{Dense: x}, nil, 1, &cancelled); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkGram(b *testing.B) {
	rng := rand.New(rand.NewPCG(8, 1))
	x := linalg.NewMatrix[float64](1000, 50)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	dst := linalg.NewMatrix[float64](1000, 1000)
	for _, name := range []string{"linear", "cubic", "rbf", "laplacian", "cosine"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				k, err := New(functions[name], Rows{Dense: x})
				if err == nil {
					err = k.GramTo(dst, Options{Workers: 1})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
