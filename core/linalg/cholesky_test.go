package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// spd returns a positive definite matrix of order n with condition number below about 100.
func spd(n int, rng *rand.Rand) Matrix[float64] {
	x := NewMatrix[float64](n, n)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64() / math.Sqrt(float64(n))
	}
	a := NewMatrix[float64](n, n)
	Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, a)
	for i := range n {
		a.Data[i*n+i] += 0.1
	}
	return a
}

// testPair factors two matrices that share one n×(n+1) array and checks both solutions against the products.
func testPair[T Float](t *testing.T, n, m int, tol float64) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	shared := make([]T, n*(n+1))
	views := []Matrix[T]{
		{Rows: n, Cols: n, Stride: n + 1, Data: shared[: n*(n+1)-1 : n*(n+1)-1]},
		{Rows: n, Cols: n, Stride: n + 1, Data: shared[1:]},
	}
	uplos := []blas.Uplo{blas.Lower, blas.Upper}
	full := []Matrix[float64]{spd(n, rng), spd(n, rng)}
	for k, v := range views {
		for i := range n {
			for j := range n {
				if (uplos[k] == blas.Lower) == (j <= i) || i == j {
					v.Data[i*v.Stride+j] = T(full[k].Data[i*n+j])
				}
			}
		}
	}
	var factors [2]Cholesky[T]
	for k, v := range views {
		f, err := FactorCholesky(uplos[k], v, nil)
		if err != nil {
			t.Fatal(err)
		}
		factors[k] = f
	}
	for k := range views {
		x := NewMatrix[float64](n, m)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		b := NewMatrix[float64](n, m)
		Gemm(blas.NoTrans, blas.NoTrans, 1, full[k], x, 0, b)
		got := NewMatrix[T](n, m)
		for i, v := range b.Data {
			got.Data[i] = T(v)
		}
		if err := factors[k].Solve(got, nil); err != nil {
			t.Fatal(err)
		}
		for i := range got.Data {
			if math.Abs(float64(got.Data[i])-x.Data[i]) > tol {
				t.Fatalf("n=%d %c: x[%d] = %g, want %g", n, uplos[k], i, float64(got.Data[i]), x.Data[i])
			}
		}
	}
}

func TestCholeskySolvesInBothTrianglesAndPrecisions(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 200, 257, 600} {
		testPair[float64](t, n, 5, 1e-9)
		testPair[float32](t, n, 5, 5e-3)
	}
}

func TestCholeskyRefusesIndefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		a := spd(150, rng)
		a.Data[140*150+140] = bad
		if _, err := FactorCholesky(blas.Lower, a, nil); !errors.Is(err, ErrNotPositiveDefinite) {
			t.Errorf("pivot %g: got %v", bad, err)
		}
	}
}

func TestCholeskyCancels(t *testing.T) {
	var mon parallel.Monitor
	mon.Cancel()
	a := spd(200, rand.New(rand.NewPCG(5, 6)))
	if _, err := FactorCholesky(blas.Lower, a, &mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("got %v", err)
	}
}

func TestSymEigReconstructs(t *testing.T) {
	n := 40
	a := spd(n, rand.New(rand.NewPCG(7, 8)))
	v := NewMatrix[float64](n, n)
	copy(v.Data, a.Data)
	w, err := SymEig(General(v))
	if err != nil {
		t.Fatal(err)
	}
	scaled := NewMatrix[float64](n, n)
	for i := range n {
		for j := range n {
			scaled.Data[i*n+j] = v.Data[i*n+j] * w[j]
		}
	}
	got := NewMatrix[float64](n, n)
	Gemm(blas.NoTrans, blas.Trans, 1, scaled, v, 0, got)
	for i := range got.Data {
		if math.Abs(got.Data[i]-a.Data[i]) > 1e-12 {
			t.Fatalf("entry %d: %g, want %g", i, got.Data[i], a.Data[i])
		}
	}
}

func TestInvertInBothTrianglesAndPrecisions(t *testing.T) {
	for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
		for _, n := range []int{1, 2, 64, 65, 130, 300} {
			testInverse[float64](t, uplo, n, 1e-10)
			testInverse[float32](t, uplo, n, 5e-3)
		}
	}
}

// testInverse checks A⁻¹(Ax) = x and that the other triangle is left alone.
func testInverse[T Float](t *testing.T, uplo blas.Uplo, n int, tol float64) {
	const untouched = -77
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	a := spd(n, rng)
	half := NewMatrix[T](n, n)
	for i := range n {
		for j := range n {
			half.Data[i*n+j] = untouched
			if (uplo == blas.Lower) == (j <= i) || i == j {
				half.Data[i*n+j] = T(a.Data[i*n+j])
			}
		}
	}
	c, err := FactorCholesky(uplo, half, nil)
	if err != nil {
		t.Fatal(err)
	}
	inv, err := c.Invert(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, b := NewMatrix[float64](n, 3), NewMatrix[float64](n, 3)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	Gemm(blas.NoTrans, blas.NoTrans, 1, a, x, 0, b)
	bT, got := NewMatrix[T](n, 3), NewMatrix[T](n, 3)
	for i, v := range b.Data {
		bT.Data[i] = T(v)
	}
	if err := inv.MulTo(got, bT, nil); err != nil {
		t.Fatal(err)
	}
	for i := range got.Data {
		if math.Abs(float64(got.Data[i])-x.Data[i]) > tol {
			t.Fatalf("%c n=%d: entry %d is %g, want %g", uplo, n, i, float64(got.Data[i]), x.Data[i])
		}
	}
	for i := range n {
		for j := range n {
			stored := (uplo == blas.Lower) == (j <= i) || i == j
			if !stored && half.Data[i*n+j] != untouched {
				t.Fatalf("%c n=%d: entry (%d, %d) of the other triangle changed", uplo, n, i, j)
			}
			if stored && inv.At(i, j) != half.Data[i*n+j] || inv.At(i, j) != inv.At(j, i) {
				t.Fatalf("%c n=%d: At(%d, %d) = %g", uplo, n, i, j, float64(inv.At(i, j)))
			}
		}
	}
}

// Larger than trsmOrder, so that triangles are divided by in halves; against one BLAS call on the whole.
func TestDividingByALargeTriangle(t *testing.T) {
	const n, m = 2*trsmOrder + 37, 9
	rng := rand.New(rand.NewPCG(3, 4))
	a, b := NewMatrix[float64](n, n), NewMatrix[float64](n, m)
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64() / n
	}
	for i := range n {
		a.Data[i*n+i] = 1 + rng.Float64()
	}
	for i := range b.Data {
		b.Data[i] = rng.NormFloat64()
	}
	for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
		for _, op := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			got, want := b, b
			got.Data, want.Data = append([]float64(nil), b.Data...), append([]float64(nil), b.Data...)
			if err := divideLeft(uplo, op, a, got, nil); err != nil {
				t.Fatal(err)
			}
			trsm(blas.Left, uplo, op, a, want)
			for i := range got.Data {
				if math.Abs(got.Data[i]-want.Data[i]) > 1e-12 {
					t.Fatalf("%c %c: entry %d is %g, want %g", uplo, op, i, got.Data[i], want.Data[i])
				}
			}
		}
	}
	across := NewMatrix[float64](m, n)
	for i := range across.Data {
		across.Data[i] = rng.NormFloat64()
	}
	want := across
	want.Data = append([]float64(nil), across.Data...)
	if err := divideRight(a, across, nil); err != nil {
		t.Fatal(err)
	}
	trsm(blas.Right, blas.Lower, blas.Trans, a, want)
	for i := range want.Data {
		if math.Abs(across.Data[i]-want.Data[i]) > 1e-12 {
			t.Fatalf("from the right: entry %d is %g, want %g", i, across.Data[i], want.Data[i])
		}
	}
}

func TestAFactorisationCountsItsStrips(t *testing.T) {
	var mon parallel.Monitor
	if _, err := FactorCholesky(blas.Lower, spd(600, rand.New(rand.NewPCG(1, 2))), &mon); err != nil || mon.Steps() < 10 {
		t.Fatalf("%d steps, error %v", mon.Steps(), err)
	}
}

func BenchmarkCholesky(b *testing.B) {
	b.Run("float32", benchmarkCholesky[float32])
	b.Run("float64", benchmarkCholesky[float64])
}

func benchmarkCholesky[T Float](b *testing.B) {
	const n = 512
	a := NewMatrix[T](n, n)
	for b.Loop() {
		a.Zero()
		for i := range n {
			a.Row(i)[i] = n
			for j := range i {
				a.Row(i)[j] = 1 / T(1+i-j)
			}
		}
		if _, err := FactorCholesky(blas.Lower, a, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEigen(b *testing.B) {
	const n = 256
	a, values := NewMatrix[float64](n, n), make([]float64, n)
	for b.Loop() {
		for i := range n {
			for j := range n {
				a.Row(i)[j] = 1 / float64(1+i+j)
			}
		}
		if err := EigenTo(values, a, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}
