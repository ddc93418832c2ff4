package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Float is the element type of a Matrix.
type Float interface{ float32 | float64 }

// Matrix is a row-major matrix in one of two precisions.
type Matrix[T Float] struct {
	Rows, Cols, Stride int
	Data               []T
}

// NewMatrix returns a zero matrix.
func NewMatrix[T Float](rows, cols int) Matrix[T] {
	return Shaped(make([]T, rows*cols), rows, cols)
}

// Shaped returns data, of rows·cols numbers, as a matrix.
func Shaped[T Float](data []T, rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// General returns the double matrix m in gonum's form, sharing its data.
func General(m Matrix[float64]) blas64.General {
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// FromGeneral returns m as a Matrix that shares its data.
func FromGeneral(m blas64.General) Matrix[float64] {
	return Matrix[float64]{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// Row returns row i.
func (m Matrix[T]) Row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// Zero sets all elements to zero.
func (m Matrix[T]) Zero() {
	for i := range m.Rows {
		clear(m.Row(i))
	}
}

// CopyFrom writes the entries of v, of the same size, to m.
func (m Matrix[T]) CopyFrom(v Matrix[T]) {
	for i := range v.Rows {
		copy(m.Row(i), v.Row(i))
	}
}

// Convert returns v in the precision T.
func Convert[T Float](v Matrix[float64]) Matrix[T] {
	out := NewMatrix[T](v.Rows, v.Cols)
	for i := range v.Rows {
		row := out.Row(i)
		for j, x := range v.Row(i) {
			row[j] = T(x)
		}
	}
	return out
}

// Slice returns the view of rows [i0, i1) and columns [j0, j1).
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	v := Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if v.Rows > 0 && v.Cols > 0 {
		v.Data = m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	}
	return v
}

// Gemm computes c = alpha·op(a)·op(b) + beta·c.
func Gemm[T Float](ta, tb blas.Transpose, alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if (ta == blas.NoTrans && a.Cols == 0) || (ta == blas.Trans && a.Rows == 0) {
		for i := range c.Rows {
			row := c.Row(i)
			for j := range row {
				row[j] *= beta
			}
		}
		return
	}
	switch a := any(a).(type) {
	case Matrix[float64]:
		b, c := any(b).(Matrix[float64]), any(c).(Matrix[float64])
		blas64.Gemm(ta, tb, float64(alpha), General(a), General(b), float64(beta), General(c))
	case Matrix[float32]:
		b, c := any(b).(Matrix[float32]), any(c).(Matrix[float32])
		blas32.Gemm(ta, tb, float32(alpha), single(a), single(b), float32(beta), single(c))
	}
}

// syrk computes the uplo triangle of c = alpha·a·aᵀ + beta·c, or of alpha·aᵀ·a + beta·c when t is blas.Trans.
func syrk[T Float](uplo blas.Uplo, t blas.Transpose, alpha T, a Matrix[T], beta T, c Matrix[T]) {
	switch a := any(a).(type) {
	case Matrix[float64]:
		c := any(c).(Matrix[float64])
		blas64.Syrk(t, float64(alpha), General(a), float64(beta), blas64.Symmetric{Uplo: uplo, N: c.Rows, Stride: c.Stride, Data: c.Data})
	case Matrix[float32]:
		c := any(c).(Matrix[float32])
		blas32.Syrk(t, float32(alpha), single(a), float32(beta), blas32.Symmetric{Uplo: uplo, N: c.Rows, Stride: c.Stride, Data: c.Data})
	}
}

// trsm overwrites b with op(a)⁻¹b (side Left) or b·op(a)⁻¹ (side Right) for the uplo triangle of a.
func trsm[T Float](side blas.Side, uplo blas.Uplo, t blas.Transpose, a, b Matrix[T]) {
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	switch a := any(a).(type) {
	case Matrix[float64]:
		b := any(b).(Matrix[float64])
		blas64.Trsm(side, t, 1, blas64.Triangular{Uplo: uplo, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}, General(b))
	case Matrix[float32]:
		b := any(b).(Matrix[float32])
		blas32.Trsm(side, t, 1, blas32.Triangular{Uplo: uplo, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}, single(b))
	}
}

func single(m Matrix[float32]) blas32.General {
	return blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// trmm overwrites b with op(a)·b (side Left) or b·op(a) (side Right) for the uplo triangle of a.
func trmm[T Float](side blas.Side, uplo blas.Uplo, t blas.Transpose, a, b Matrix[T]) {
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	switch a := any(a).(type) {
	case Matrix[float64]:
		b := any(b).(Matrix[float64])
		blas64.Trmm(side, t, 1, blas64.Triangular{Uplo: uplo, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}, General(b))
	case Matrix[float32]:
		b := any(b).(Matrix[float32])
		blas32.Trmm(side, t, 1, blas32.Triangular{Uplo: uplo, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}, single(b))
	}
}

// symm computes c = a·b for the symmetric a given by its uplo triangle.
func symm[T Float](uplo blas.Uplo, a, b, c Matrix[T]) {
	switch a := any(a).(type) {
	case Matrix[float64]:
		b, c := any(b).(Matrix[float64]), any(c).(Matrix[float64])
		blas64.Symm(blas.Left, 1, blas64.Symmetric{Uplo: uplo, N: a.Rows, Stride: a.Stride, Data: a.Data}, General(b), 0, General(c))
	case Matrix[float32]:
		b, c := any(b).(Matrix[float32]), any(c).(Matrix[float32])
		blas32.Symm(blas.Left, 1, blas32.Symmetric{Uplo: uplo, N: a.Rows, Stride: a.Stride, Data: a.Data}, single(b), 0, single(c))
	}
}

// symv computes y = a·x for the symmetric a given by its uplo triangle.
func symv[T Float](uplo blas.Uplo, a Matrix[T], x, y []T) {
	clear(y) // gonum adds to what it should overwrite, be it NaN
	switch a := any(a).(type) {
	case Matrix[float64]:
		x, y := any(x).([]float64), any(y).([]float64)
		blas64.Symv(1, blas64.Symmetric{Uplo: uplo, N: a.Rows, Stride: a.Stride, Data: a.Data},
			blas64.Vector{N: len(x), Inc: 1, Data: x}, 0, blas64.Vector{N: len(y), Inc: 1, Data: y})
	case Matrix[float32]:
		x, y := any(x).([]float32), any(y).([]float32)
		blas32.Symv(1, blas32.Symmetric{Uplo: uplo, N: a.Rows, Stride: a.Stride, Data: a.Data},
			blas32.Vector{N: len(x), Inc: 1, Data: x}, 0, blas32.Vector{N: len(y), Inc: 1, Data: y})
	}
}
