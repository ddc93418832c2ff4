package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// near reports whether a matrix has the entries that want says, up to tol.
func near[T Float](m Matrix[T], tol float64, want func(i, j int) float64) error {
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if w := want(i, j); !(math.Abs(float64(v)-w) <= tol*(1+math.Abs(w))) {
				return fmt.Errorf("entry %d, %d of %d×%d is %g, want %g", i, j, m.Rows, m.Cols, v, w)
			}
		}
	}
	return nil
}

func gaussian[T Float](rows, cols int, rng *rand.Rand) Matrix[T] {
	m := NewMatrix[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64())
	}
	return m
}

// checkSymmetric compares what symmetric matrices can do, in either triangle, with sums over their entries.
func checkSymmetric[T Float](t *testing.T, tol float64) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
		for _, n := range []int{1, 7, leafSize + 9} {
			a := gaussian[T](n, n+3, rng)
			s := NewSymmetric(uplo, NewMatrix[T](n, n))
			fail := func(err error) {
				t.Helper()
				if err != nil {
					t.Errorf("%T, triangle %c, n = %d: %v", tol, uplo, n, err)
				}
			}
			full := NewMatrix[T](n, n)
			all := func(s Symmetric[T]) Matrix[T] {
				for i := range n {
					for j := range n {
						full.Row(i)[j] = s.At(i, j)
					}
				}
				return full
			}
			product := func(i, j int) float64 {
				var v float64
				for k, x := range a.Row(i) {
					v += float64(x) * float64(a.Row(j)[k])
				}
				return v
			}
			fail(s.Product(a, nil))
			fail(near(all(s), tol, product))

			x, y := gaussian[T](n, 3, rng), NewMatrix[T](n, 3)
			fail(s.MulTo(y, x, nil))
			fail(near(y, tol, func(i, j int) (v float64) {
				for k := range n {
					v += product(i, k) * float64(x.Row(k)[j])
				}
				return v
			}))
			column, out := make([]T, n), make([]T, n)
			for i := range column {
				column[i] = x.Row(i)[1]
			}
			s.MulVecTo(out, column)
			for i, v := range out {
				if w := float64(y.Row(i)[1]); !(math.Abs(float64(v)-w) <= tol*(1+math.Abs(w))) {
					t.Errorf("the product with a vector is %g, want %g", v, w)
				}
			}

			other := NewSymmetric(uplo, NewMatrix[T](n, n))
			fail(other.Product(gaussian[T](n, 2, rng), nil))
			sum := NewSymmetric(uplo, NewMatrix[T](n, n))
			factors := gaussian[T](n, n, rng)
			for i := range n {
				sum.Set(i, 0, T(i))
				sum.AddProduct(i, 0, other, factors.Row(i)[:i+1])
				sum.Multiply(i, 0, i+1, 2, s)
			}
			fail(near(all(sum), 10*tol, func(i, j int) float64 {
				i, j = max(i, j), min(i, j)
				start := 0.0
				if j == 0 {
					start = float64(i)
				}
				return 2 * product(i, j) * (start + float64(factors.Row(i)[j])*float64(other.At(i, j)))
			}))

			// A⁻¹, and its diagonal, of a matrix whose eigenvalues are from 1 on.
			for i := range n {
				s.Set(i, i, s.At(i, i)+1)
			}
			square := NewMatrix[T](n, n)
			square.CopyFrom(all(s))
			factor, err := s.Factor(nil)
			fail(err)
			copied := NewSymmetric(uplo, NewMatrix[T](n, n))
			copied.a.CopyFrom(square)
			again, err := copied.Factor(nil)
			fail(err)
			diagonal, err := again.InverseDiagonal(nil)
			fail(err)
			inverse, err := factor.Invert(nil)
			fail(err)
			for i, d := range diagonal {
				if w := float64(inverse.At(i, i)); !(math.Abs(float64(d)-w) <= tol*(1+math.Abs(w))) {
					t.Errorf("entry %d of the inverse's diagonal is %g, want %g", i, d, w)
				}
			}
			inverses, one := NewMatrix[T](n, n), NewMatrix[T](n, n)
			inverses.CopyFrom(all(inverse))
			fail(GemmPolled(blas.NoTrans, square, inverses, one, nil))
			identity := func(i, j int) float64 { return float64(1 - min(1, max(i-j, j-i))) }
			fail(near(one, 30*tol, identity))
			fail(GemmPolled(blas.Trans, inverses, square, one, nil))
			fail(near(one, 30*tol, identity))

			s.SetDiagonal(out)
			fail(near(all(s), 0, func(i, j int) float64 { return identity(i, j) * float64(out[i]) }))
			full.Zero()
			fail(near(full, 0, func(int, int) float64 { return 0 }))
		}
	}
}

func TestSymmetricMatrices(t *testing.T) {
	checkSymmetric[float64](t, 1e-10)
	checkSymmetric[float32](t, 2e-2)
}

func TestConversions(t *testing.T) {
	m := gaussian[float64](3, 4, rand.New(rand.NewPCG(5, 6)))
	back := FromGeneral(General(m))
	if err := near(back, 0, func(i, j int) float64 { return m.Row(i)[j] }); err != nil || &back.Data[0] != &m.Data[0] {
		t.Errorf("the matrix in gonum's form: %v", err)
	}
	if err := near(Convert[float32](m), 0, func(i, j int) float64 { return float64(float32(m.Row(i)[j])) }); err != nil {
		t.Error(err)
	}
	if row := NewMatrix[float64](2, 0).Row(1); row != nil {
		t.Errorf("a row of no entries is %v", row)
	}
}

func TestProductsStop(t *testing.T) {
	var mon parallel.Monitor
	mon.Cancel()
	a := NewMatrix[float64](3, 3)
	s := NewSymmetric(blas.Lower, NewMatrix[float64](3, 3))
	for name, err := range map[string]error{"Product": s.Product(a, &mon), "MulTo": s.MulTo(a, a, &mon),
		"GemmPolled": GemmPolled(blas.NoTrans, a, a, a, &mon)} {
		if !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
