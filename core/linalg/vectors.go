package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/floats"
)

// Products of vectors live here and nowhere else: gonum's, but for rows so short that the call takes longer than the loop, and for sparse
// rows, which gonum has none for.

// shortRow is the length from which on a call of gonum's routine is worth its while.
const shortRow = 16

// Axpy adds a·x to y, over the length of y.
func Axpy[T Float](y, x []T, a T) {
	x = x[:len(y)]
	if len(y) < shortRow {
		for i := range y {
			y[i] += a * x[i]
		}
		return
	}
	switch y := any(y).(type) {
	case []float64:
		floats.AddScaled(y, float64(a), any(x).([]float64))
	case []float32:
		gonum.Implementation{}.Saxpy(len(y), float32(a), any(x).([]float32), 1, y, 1)
	}
}

// Dot returns the inner product over the length of x.
func Dot[T Float](x, y []T) (s T) {
	y = y[:len(x)]
	if len(x) < shortRow {
		for i, v := range x {
			s += v * y[i]
		}
		return s
	}
	switch x := any(x).(type) {
	case []float64:
		s = T(floats.Dot(x, any(y).([]float64)))
	case []float32:
		s = T(gonum.Implementation{}.Sdot(len(x), x, 1, any(y).([]float32), 1))
	}
	return s
}

// SquaredNorm returns the sum of the squares of x, added up in double precision.
func SquaredNorm[T Float](x []T) (s float64) {
	switch x := any(x).(type) {
	case []float64:
		s = floats.Dot(x, x)
	case []float32:
		s = gonum.Implementation{}.Dsdot(len(x), x, 1, x, 1)
	}
	return s
}

// Scatter adds a times the sparse row with the given values to y. Its columns ascend, each named once.
func Scatter(y []float64, columns []int32, values []float64, a float64) {
	if len(columns) == len(y) { // none is missing
		Axpy(y, values, a)
		return
	}
	for k, j := range columns {
		y[j] += a * values[k]
	}
}

// Gather returns the inner product of such a row and y.
func Gather(columns []int32, values, y []float64) (s float64) {
	if len(columns) == len(y) {
		return Dot(values, y)
	}
	for k, j := range columns {
		s += values[k] * y[j]
	}
	return s
}

// Sum returns the sum of the entries of x, in their order.
func Sum[T Float](x []T) T {
	var s T
	for _, v := range x {
		s += v
	}
	return s
}

// ScaleTo writes a·x to dst.
func ScaleTo[T Float](dst []T, a T, x []T) {
	for j, v := range x {
		dst[j] = a * v
	}
}

// Finite reports whether no entry of x is infinite or NaN.
func Finite[T Float](x []T) bool {
	for _, v := range x {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
