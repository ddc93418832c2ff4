package linalg

import (
	"gonum.org/v1/gonum/blas"

	"combpred/core/parallel"
)

// Invert overwrites the factor with the same triangle of A⁻¹ and returns it; c must not be used afterwards. It polls mon between
// calls of at most about pollFlops operations. Cost: 2n³/3.
func (c Cholesky[T]) Invert(mon *parallel.Monitor) (Symmetric[T], error) {
	s := Symmetric[T](c)
	if err := invertTriangle(c.uplo, c.a, mon); err != nil {
		return s, err
	}
	return s, timesTranspose(c.uplo, c.a, mon)
}

// InverseDiagonal returns the diagonal of A⁻¹; the factor is overwritten, and c must not be used afterwards. Cost: n³/3.
func (c Cholesky[T]) InverseDiagonal(mon *parallel.Monitor) ([]T, error) {
	if err := invertTriangle(c.uplo, c.a, mon); err != nil {
		return nil, err
	}
	// A⁻¹ is L⁻ᵀL⁻¹, or U⁻¹U⁻ᵀ: sums of squares over the columns of the one, over the rows of the other.
	diagonal := make([]T, c.a.Rows)
	for i := range diagonal {
		if c.uplo == blas.Upper {
			row := c.a.Row(i)[i:]
			diagonal[i] = Dot(row, row)
			continue
		}
		for j, v := range c.a.Row(i)[:i+1] {
			diagonal[j] += v * v
		}
	}
	return diagonal, nil
}

// AddProduct adds v[k]·a[i, j+k] to s[i, j+k], for k in the range of v and j+k ≤ i.
func (s Symmetric[T]) AddProduct(i, j int, a Symmetric[T], v []T) {
	to, at, step := s.Walk(i, j)
	from, atA, stepA := a.Walk(i, j)
	if step == 1 && stepA == 1 {
		from, to = from[atA:atA+len(v)], to[at:at+len(v)]
		for k, x := range v {
			to[k] += from[k] * x
		}
		return
	}
	for _, x := range v {
		to[at] += from[atA] * x
		at, atA = at+step, atA+stepA
	}
}

// Multiply multiplies s[i, k] by c·a[i, k], for k in [j0, j1) with j1 ≤ i+1.
func (s Symmetric[T]) Multiply(i, j0, j1 int, c T, a Symmetric[T]) {
	to, at, step := s.Walk(i, j0)
	from, atA, stepA := a.Walk(i, j0)
	if step == 1 && stepA == 1 {
		to, from = to[at:at+j1-j0], from[atA:atA+j1-j0]
		for k, x := range from {
			to[k] *= c * x
		}
		return
	}
	for range j1 - j0 {
		to[at] *= c * from[atA]
		at, atA = at+step, atA+stepA
	}
}

// Symmetric is a symmetric matrix stored in one triangle of a square one.
type Symmetric[T Float] struct {
	uplo blas.Uplo
	a    Matrix[T]
}

// NewSymmetric returns the symmetric matrix whose uplo triangle is that of a, sharing its data.
func NewSymmetric[T Float](uplo blas.Uplo, a Matrix[T]) Symmetric[T] { return Symmetric[T]{uplo, a} }

// At returns element (i, j).
func (s Symmetric[T]) At(i, j int) T {
	data, at, _ := s.Walk(max(i, j), min(i, j))
	return data[at]
}

// Set sets the elements (i, j) and (j, i).
func (s Symmetric[T]) Set(i, j int, v T) {
	data, at, _ := s.Walk(max(i, j), min(i, j))
	data[at] = v
}

// Walk returns what is needed to visit the elements (i, j), (i, j+1), … up to j = i in a loop: the data, the place of (i, j) in it and
// the step from one element to the next.
func (s Symmetric[T]) Walk(i, j int) (data []T, at, step int) {
	if s.uplo == blas.Lower {
		return s.a.Data, i*s.a.Stride + j, 1
	}
	return s.a.Data, j*s.a.Stride + i, s.a.Stride
}

// Row returns the stored part of row i, and the column at which it starts.
func (s Symmetric[T]) Row(i int) (row []T, first int) {
	if s.uplo == blas.Lower {
		return s.a.Row(i)[:i+1], 0
	}
	return s.a.Row(i)[i:], i
}

// SetDiagonal clears the matrix and sets its diagonal.
func (s Symmetric[T]) SetDiagonal(d []T) {
	for i, v := range d {
		row, first := s.Row(i)
		clear(row)
		row[i-first] = v
	}
}

// Factor is FactorCholesky of s.
func (s Symmetric[T]) Factor(mon *parallel.Monitor) (Cholesky[T], error) {
	return FactorCholesky(s.uplo, s.a, mon)
}

// MulVecTo writes s·x to dst.
func (s Symmetric[T]) MulVecTo(dst, x []T) { symv(s.uplo, s.a, x, dst) }

// MulTo writes s·b to dst, in panels of columns that keep each call short.
func (s Symmetric[T]) MulTo(dst, b Matrix[T], mon *parallel.Monitor) error {
	n := float64(s.a.Rows)
	for lo, step := 0, PanelWidth(b.Cols, 2*n*n); lo < b.Cols; lo += step {
		hi := min(lo+step, b.Cols)
		symm(s.uplo, s.a, b.Slice(0, b.Rows, lo, hi), dst.Slice(0, b.Rows, lo, hi))
		if err := mon.Err(); err != nil {
			return err
		}
	}
	return nil
}

// invertTriangle overwrites a triangular matrix with its inverse.
func invertTriangle[T Float](uplo blas.Uplo, u Matrix[T], mon *parallel.Monitor) error {
	if err := mon.Err(); err != nil {
		return err
	}
	n := u.Rows
	if n <= leafSize {
		invertLeaf(uplo, u)
		return nil
	}
	// The off-diagonal block becomes −T11⁻¹ T12 T22⁻¹, or −T22⁻¹ T21 T11⁻¹, in panels of columns and then of rows.
	h := n / 2
	first, last, off := u.Slice(0, h, 0, h), u.Slice(h, n, h, n), u.Slice(0, h, h, n)
	left, right := first, last
	if uplo == blas.Lower {
		off = u.Slice(h, n, 0, h)
		left, right = last, first
	}
	for lo, step := 0, PanelWidth(off.Cols, float64(off.Rows)*float64(off.Rows)); lo < off.Cols; lo += step {
		trsm(blas.Left, uplo, blas.NoTrans, left, off.Slice(0, off.Rows, lo, min(lo+step, off.Cols)))
		if err := mon.Err(); err != nil {
			return err
		}
	}
	for lo, step := 0, PanelWidth(off.Rows, float64(off.Cols)*float64(off.Cols)); lo < off.Rows; lo += step {
		trsm(blas.Right, uplo, blas.NoTrans, right, off.Slice(lo, min(lo+step, off.Rows), 0, off.Cols))
		if err := mon.Err(); err != nil {
			return err
		}
	}
	for i := range off.Rows {
		row := off.Row(i)
		for j := range row {
			row[j] = -row[j]
		}
	}
	if err := invertTriangle(uplo, first, mon); err != nil {
		return err
	}
	return invertTriangle(uplo, last, mon)
}

// timesTranspose overwrites an upper triangle u with that of uuᵀ, a lower triangle l with that of lᵀl.
func timesTranspose[T Float](uplo blas.Uplo, u Matrix[T], mon *parallel.Monitor) error {
	if err := mon.Err(); err != nil {
		return err
	}
	n := u.Rows
	if n <= leafSize {
		timesTransposeLeaf(uplo, u)
		return nil
	}
	h := n / 2
	first, last := u.Slice(0, h, 0, h), u.Slice(h, n, h, n)
	if err := timesTranspose(uplo, first, mon); err != nil {
		return err
	}
	for lo, step := 0, PanelWidth(h, 2*float64(h)*float64(n-h)); lo < h; lo += step {
		hi := min(lo+step, h)
		if uplo == blas.Upper {
			off := u.Slice(0, h, h, n)
			Gemm(blas.NoTrans, blas.Trans, 1, off.Slice(0, lo, 0, n-h), off.Slice(lo, hi, 0, n-h), 1, first.Slice(0, lo, lo, hi))
			syrk(uplo, blas.NoTrans, 1, off.Slice(lo, hi, 0, n-h), 1, first.Slice(lo, hi, lo, hi))
		} else {
			off := u.Slice(h, n, 0, h)
			Gemm(blas.Trans, blas.NoTrans, 1, off.Slice(0, n-h, lo, hi), off.Slice(0, n-h, 0, lo), 1, first.Slice(lo, hi, 0, lo))
			syrk(uplo, blas.Trans, 1, off.Slice(0, n-h, lo, hi), 1, first.Slice(lo, hi, lo, hi))
		}
		if err := mon.Err(); err != nil {
			return err
		}
	}
	for lo, step := 0, PanelWidth(h, float64(n-h)*float64(n-h)); lo < h; lo += step {
		hi := min(lo+step, h)
		if uplo == blas.Upper {
			trmm(blas.Right, uplo, blas.Trans, last, u.Slice(lo, hi, h, n))
		} else {
			trmm(blas.Left, uplo, blas.Trans, last, u.Slice(h, n, lo, hi))
		}
		if err := mon.Err(); err != nil {
			return err
		}
	}
	return timesTranspose(uplo, last, mon)
}
