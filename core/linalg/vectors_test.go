package linalg

import (
	"fmt"
	"math"
	"testing"
)

// check compares products of vectors of all lengths around that from which on gonum computes them with sums of products.
func checkVectors[T Float](t *testing.T, tol float64) {
	for n := range 3 * shortRow {
		x, y := make([]T, n), make([]T, n+2)
		var want float64
		for i := range n {
			x[i], y[i] = T(math.Sin(float64(i+1))), T(math.Cos(float64(3*i)))
			want += float64(x[i]) * float64(y[i])
		}
		if got := float64(Dot(x, y)); math.Abs(got-want) > tol {
			t.Errorf("%T: the product of %d numbers is %g, want %g", x, n, got, want)
		}
		sum := append([]T{}, x...)
		Axpy(sum, y, -2)
		for i := range sum {
			if want := x[i] - 2*y[i]; math.Abs(float64(sum[i]-want)) > tol {
				t.Errorf("%T: entry %d of %d is %g, want %g", x, i, n, sum[i], want)
			}
		}
		ScaleTo(sum, 3, x)
		for i := range sum {
			if sum[i] != 3*x[i] {
				t.Errorf("%T: entry %d of %d is %g, want %g", x, i, n, sum[i], 3*x[i])
			}
		}
		if got, want := float64(Sum(sum)), 3*float64(Sum(x)); math.Abs(got-want) > 10*tol {
			t.Errorf("%T: the sum is %g, want %g", x, got, want)
		}
	}
}

func TestProductsOfVectors(t *testing.T) {
	checkVectors[float64](t, 1e-14)
	checkVectors[float32](t, 1e-5)
}

func TestProductsWithSparseRows(t *testing.T) {
	for n := range 3 * shortRow {
		for step := 1; step < 4; step++ {
			var columns []int32
			var values []float64
			dense, y := make([]float64, n), make([]float64, n)
			for j := range n {
				y[j] = math.Cos(float64(j))
				if j%step == 0 {
					dense[j] = float64(j%5) - 2
					columns, values = append(columns, int32(j)), append(values, dense[j])
				}
			}
			if got, want := Gather(columns, values, y), Dot(dense, y); math.Abs(got-want) > 1e-13 {
				t.Errorf("every %d of %d: the product is %g, want %g", step, n, got, want)
			}
			want := append([]float64{}, y...)
			Axpy(want, dense, 1.5)
			Scatter(y, columns, values, 1.5)
			if fmt.Sprint(y) != fmt.Sprint(want) {
				t.Errorf("every %d of %d: the sum is %v, want %v", step, n, y, want)
			}
		}
	}
}

func TestFinite(t *testing.T) {
	nan := float32(math.NaN())
	if !Finite([]float64{3, -4}) || !Finite[float32](nil) || Finite([]float64{1, math.Inf(-1)}) || Finite([]float32{nan, 1}) {
		t.Error("finite numbers are not told from others")
	}
}

// BenchmarkVectors shows from which length on gonum's products are faster than a loop: see shortRow.
func BenchmarkVectors(b *testing.B) {
	for _, n := range []int{5, 15, 16, 45, 190, 1000} {
		x, y := make([]float64, n), make([]float64, n)
		b.Run(fmt.Sprintf("dot/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				y[0] = Dot(x, y)
			}
		})
		b.Run(fmt.Sprintf("axpy/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Axpy(y, x, 2)
			}
		})
	}
}
