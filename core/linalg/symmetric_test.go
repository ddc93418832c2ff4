package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
	"combpred/core/slicex"
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

// symmetricCase is a symmetric matrix, of the inner products of the rows of a.
type symmetricCase[T Float] struct {
	t    *testing.T
	rng  *rand.Rand
	uplo blas.Uplo
	n    int
	tol  float64
	a    Matrix[T]
	s    Symmetric[T]
	full Matrix[T] // see all
}

func (c *symmetricCase[T]) fail(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Errorf("%T, triangle %c, n = %d: %v", *new(T), c.uplo, c.n, err)
	}
}

// all returns the entries of s, until the next call.
func (c *symmetricCase[T]) all(s Symmetric[T]) Matrix[T] {
	for i := range c.n {
		for j := range c.n {
			c.full.Row(i)[j] = s.At(i, j)
		}
	}
	return c.full
}

// product returns an entry of the matrix.
func (c *symmetricCase[T]) product(i, j int) float64 {
	var v float64
	for k, x := range c.a.Row(i) {
		v += float64(x) * float64(c.a.Row(j)[k])
	}
	return v
}

// outer sets s to aaᵀ.
func outer[T Float](s Symmetric[T], a Matrix[T]) {
	for i := range a.Rows {
		for j := range i + 1 {
			s.Set(i, j, Dot(a.Row(i), a.Row(j)))
		}
	}
}

// checkSymmetric compares what symmetric matrices can do, in either triangle, with sums over their entries.
func checkSymmetric[T Float](t *testing.T, tol float64) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
		for _, n := range []int{1, 7, leafSize + 9} {
			c := &symmetricCase[T]{t: t, rng: rng, uplo: uplo, n: n, tol: tol, a: gaussian[T](n, n+3, rng),
				s: NewSymmetric(uplo, NewMatrix[T](n, n)), full: NewMatrix[T](n, n)}
			outer(c.s, c.a)
			c.fail(near(c.all(c.s), tol, c.product))
			out := c.checkProducts()
			c.checkUpdates()
			c.checkInverse(out)
		}
	}
}

// checkProducts multiplies with a matrix and with a vector, and returns the product with the latter.
func (c *symmetricCase[T]) checkProducts() []T {
	n := c.n
	x, y := gaussian[T](n, 3, c.rng), NewMatrix[T](n, 3)
	c.fail(c.s.MulTo(y, x, nil))
	c.fail(near(y, c.tol, func(i, j int) (v float64) {
		for k := range n {
			v += c.product(i, k) * float64(x.Row(k)[j])
		}
		return v
	}))
	column, out := make([]T, n), make([]T, n)
	for i := range column {
		column[i] = x.Row(i)[1]
	}
	c.s.MulVecTo(out, column)
	for i, v := range out {
		if w := float64(y.Row(i)[1]); !(math.Abs(float64(v)-w) <= c.tol*(1+math.Abs(w))) {
			c.t.Errorf("the product with a vector is %g, want %g", v, w)
		}
	}
	return out
}

// checkUpdates adds and multiplies entries of a row.
func (c *symmetricCase[T]) checkUpdates() {
	n := c.n
	other := NewSymmetric(c.uplo, NewMatrix[T](n, n))
	outer(other, gaussian[T](n, 2, c.rng))
	sum := NewSymmetric(c.uplo, NewMatrix[T](n, n))
	factors := gaussian[T](n, n, c.rng)
	for i := range n {
		sum.Set(i, 0, T(i))
		sum.AddProduct(i, 0, other, factors.Row(i)[:i+1])
		sum.Multiply(i, 0, i+1, 2, c.s)
	}
	c.fail(near(c.all(sum), 10*c.tol, func(i, j int) float64 {
		i, j = max(i, j), min(i, j)
		start := 0.0
		if j == 0 {
			start = float64(i)
		}
		return 2 * c.product(i, j) * (start + float64(factors.Row(i)[j])*float64(other.At(i, j)))
	}))
}

// checkInverse computes A⁻¹, and its diagonal, of a matrix whose eigenvalues are from 1 on; then it replaces the diagonal.
func (c *symmetricCase[T]) checkInverse(diagonalEntries []T) {
	n := c.n
	for i := range n {
		c.s.Set(i, i, c.s.At(i, i)+1)
	}
	square := NewMatrix[T](n, n)
	square.CopyFrom(c.all(c.s))
	factor, err := c.s.Factor(nil)
	c.fail(err)
	copied := NewSymmetric(c.uplo, NewMatrix[T](n, n))
	copied.a.CopyFrom(square)
	again, err := copied.Factor(nil)
	c.fail(err)
	diagonal, err := again.InverseDiagonal(nil)
	c.fail(err)
	inverse, err := factor.Invert(nil)
	c.fail(err)
	for i, d := range diagonal {
		if w := float64(inverse.At(i, i)); !(math.Abs(float64(d)-w) <= c.tol*(1+math.Abs(w))) {
			c.t.Errorf("entry %d of the inverse's diagonal is %g, want %g", i, d, w)
		}
	}
	inverses, one := NewMatrix[T](n, n), NewMatrix[T](n, n)
	inverses.CopyFrom(c.all(inverse))
	c.fail(GemmPolled(blas.NoTrans, square, inverses, one, nil))
	identity := func(i, j int) float64 { return float64(1 - min(1, max(i-j, j-i))) }
	c.fail(near(one, 30*c.tol, identity))
	c.fail(GemmPolled(blas.Trans, inverses, square, one, nil))
	c.fail(near(one, 30*c.tol, identity))

	c.s.SetDiagonal(diagonalEntries)
	c.fail(near(c.all(c.s), 0, func(i, j int) float64 { return identity(i, j) * float64(diagonalEntries[i]) }))
	c.full.Zero()
	c.fail(near(c.full, 0, func(int, int) float64 { return 0 }))
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

// TestProductsOfWideMatrices: panels of the rows of the product are columns of a transposed factor, of which there may be more than rows.
func TestProductsOfWideMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	a, b, c := gaussian[float64](3, 11, rng), gaussian[float64](3, 2, rng), NewMatrix[float64](11, 2)
	if err := GemmPolled(blas.Trans, a, b, c, nil); err != nil {
		t.Fatal(err)
	}
	if err := near(c, 1e-12, func(i, j int) (v float64) {
		for k := range 3 {
			v += a.Row(k)[i] * b.Row(k)[j]
		}
		return v
	}); err != nil {
		t.Error(err)
	}
}

func TestProductsStop(t *testing.T) {
	var mon parallel.Monitor
	mon.Cancel()
	a := NewMatrix[float64](3, 3)
	s := NewSymmetric(blas.Lower, NewMatrix[float64](3, 3))
	for name, err := range slicex.InOrder(map[string]error{"MulTo": s.MulTo(a, a, &mon),
		"GemmPolled": GemmPolled(blas.NoTrans, a, a, a, &mon)}) {
		if !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
