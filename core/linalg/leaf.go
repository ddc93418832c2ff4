package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// leafSize is the order below which the recursions over triangles end in plain loops.
const leafSize = 64

// The loops below run along rows, in either triangle: a matrix of leafSize rows of a large one touches as many pages, and walking it
// by columns takes several times as long.

// factorLeaf overwrites the uplo triangle of a with its Cholesky factor.
func factorLeaf[T Float](uplo blas.Uplo, a Matrix[T]) error {
	n := a.Rows
	if uplo == blas.Lower {
		for i := range n {
			row := a.Row(i)[:i+1]
			for j := range i {
				other := a.Row(j)[:j+1]
				row[j] = (row[j] - Dot(row[:j], other)) / other[j]
			}
			root, err := pivotRoot(row[i] - Dot(row[:i], row))
			if err != nil {
				return err
			}
			row[i] = root
		}
		return nil
	}
	for k := range n {
		row := a.Row(k)[k:]
		root, err := pivotRoot(row[0])
		if err != nil {
			return err
		}
		row[0] = root
		for j := range row[1:] {
			row[1+j] /= root
		}
		for i := k + 1; i < n; i++ {
			Axpy(a.Row(i)[i:], row[i-k:], -row[i-k])
		}
	}
	return nil
}

func pivotRoot[T Float](pivot T) (T, error) {
	if !(pivot > 0) || math.IsInf(float64(pivot), 0) {
		return 0, ErrNotPositiveDefinite
	}
	return T(math.Sqrt(float64(pivot))), nil
}

// invertLeaf overwrites the triangle with its inverse X, a row at a time from the corner: the row of T X = I that belongs to row i
// is a sum of the rows of X that are there already.
func invertLeaf[T Float](uplo blas.Uplo, t Matrix[T]) {
	n := t.Rows
	var buffer [leafSize]T
	if uplo == blas.Lower {
		for i := range n {
			row := t.Row(i)[:i+1]
			d := 1 / row[i]
			was := buffer[:copy(buffer[:], row[:i])]
			clear(row[:i])
			for k, v := range was {
				Axpy(row[:k+1], t.Row(k), -d*v)
			}
			row[i] = d
		}
		return
	}
	for i := n - 1; i >= 0; i-- {
		row := t.Row(i)[i:]
		d := 1 / row[0]
		was := buffer[:copy(buffer[:], row[1:])]
		clear(row[1:])
		for k, v := range was {
			Axpy(row[1+k:], t.Row(i + 1 + k)[i+1+k:], -d*v)
		}
		row[0] = d
	}
}

// timesTransposeLeaf overwrites an upper triangle u with that of uuᵀ, a lower triangle l with that of lᵀl. Each row needs itself and
// rows after it only.
func timesTransposeLeaf[T Float](uplo blas.Uplo, t Matrix[T]) {
	n := t.Rows
	for i := range n {
		if uplo == blas.Upper {
			row := t.Row(i)
			for j := i; j < n; j++ {
				row[j] = Dot(row[j:], t.Row(j)[j:])
			}
			continue
		}
		row := t.Row(i)[:i+1]
		d := row[i]
		for j := range row {
			row[j] *= d
		}
		for k := i + 1; k < n; k++ {
			Axpy(row, t.Row(k), t.Row(k)[i])
		}
	}
}
