package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// definite returns a positive definite matrix with eigenvalues from about 1 to n.
func definiteOf(n int) Matrix[float64] {
	rng := rand.New(rand.NewPCG(uint64(n), 6))
	root, a := NewMatrix[float64](n, n), NewMatrix[float64](n, n)
	for i := range root.Data {
		root.Data[i] = rng.NormFloat64()
	}
	for i := range n {
		a.Row(i)[i] = 1
	}
	Gemm(blas.NoTrans, blas.Trans, 1/float64(n), root, root, 1, a)
	return a
}

// The basis is orthogonal, and the factors of the banded form have the inverses that Cholesky factors of the matrix itself have: for orders
// that are one block, two, and more, with last ones of any size.
func TestBandedFormHasTheInversesOfTheMatrix(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 128, 129, 200, 256, 257} {
		a := definiteOf(n)
		bandedInverses(t, a, 1e-11)
		bandedInverses(t, Convert[float32](a), 2e-4)
	}
}

func bandedInverses[T Float](t *testing.T, a Matrix[T], tol float64) {
	t.Helper()
	n := a.Rows
	upper := NewMatrix[T](n, n)
	for i := range n {
		copy(upper.Row(i)[i:], a.Row(i)[i:])
		for j := range i {
			upper.Row(i)[j] = T(math.NaN()) // not to be read
		}
	}
	b, err := Reduce(upper, nil)
	if err != nil {
		t.Fatal(err)
	}
	gram := NewMatrix[T](n, n)
	Gemm(blas.NoTrans, blas.Trans, 1, b.Basis, b.Basis, 0, gram)
	for i := range n {
		for j, v := range gram.Row(i) {
			want := 0.0
			if i == j {
				want = 1
			}
			if gap := math.Abs(float64(v) - want); !(gap < tol) {
				t.Fatalf("order %d: the inner product of rows %d and %d of the basis is off by %g", n, i, j, gap)
			}
		}
	}
	for _, shift := range []T{0, 0.5, 100} {
		f, err := b.Shifted(shift)
		if err != nil {
			t.Fatal(err)
		}
		want := NewMatrix[T](n, n)
		want.CopyFrom(a)
		for i := range n {
			want.Row(i)[i] += shift
		}
		c, err := FactorCholesky(blas.Lower, want, nil)
		if err != nil {
			t.Fatal(err)
		}
		inverse, err := c.Invert(nil)
		if err != nil {
			t.Fatal(err)
		}
		diagonal := make([]float64, n)
		if err := f.InverseDiagonal(diagonal, nil); err != nil {
			t.Fatal(err)
		}
		inner, got := NewMatrix[T](n, n), NewMatrix[T](n, n)
		inner.CopyFrom(b.Basis)
		if err := f.Solve(inner, nil); err != nil {
			t.Fatal(err)
		}
		Gemm(blas.Trans, blas.NoTrans, 1, b.Basis, inner, 0, got)
		for i := range n {
			if gap := math.Abs(diagonal[i] - float64(inverse.At(i, i))); !(gap < tol) {
				t.Fatalf("order %d, shift %g: entry %d of the diagonal is off by %g", n, shift, i, gap)
			}
			for j := range n {
				if gap := math.Abs(float64(got.Row(i)[j] - inverse.At(i, j))); !(gap < tol) {
					t.Fatalf("order %d, shift %g: entry (%d, %d) of the inverse is off by %g", n, shift, i, j, gap)
				}
			}
		}
	}
}

// A shift that leaves a negative eigenvalue is refused, and zero rows, which reflections leave alone, are not in the way.
func TestBandedFormOfMatricesOnTheEdge(t *testing.T) {
	a := definiteOf(150)
	b, err := Reduce(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Shifted(-10); err != ErrNotPositiveDefinite {
		t.Errorf("a shift of -10: %v", err)
	}
	zero, err := Reduce(NewMatrix[float32](150, 150), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := zero.Shifted(4)
	if err != nil {
		t.Fatal(err)
	}
	diagonal := make([]float64, 150)
	if err := f.InverseDiagonal(diagonal, nil); err != nil {
		t.Fatal(err)
	}
	for i, v := range diagonal {
		if v != 0.25 {
			t.Fatalf("entry %d of the inverse of 4I is %g", i, v)
		}
	}
}
