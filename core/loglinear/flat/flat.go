// Package flat holds what the machines of log-linear training need to keep all that they know in one slice of float64: pieces handed out
// one after another, marks that tell states apart, and vectors.
package flat

import (
	"fmt"
	"hash/fnv"
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/linalg"
)

type matrix = linalg.Matrix[float64]

// Tape hands out consecutive pieces of a flat state, or measures them where there is none.
type Tape struct {
	Data []float64
	At   int
}

// Take returns the next n numbers, nil where there is no state.
func (t *Tape) Take(n int) []float64 {
	lo := t.At
	t.At += n
	if t.Data == nil {
		return nil
	}
	return t.Data[lo:t.At:t.At]
}

// Matrix returns the next ones as a matrix.
func (t *Tape) Matrix(rows, cols int) matrix { return Shaped(t.Take(rows*cols), rows, cols) }

// Shaped returns the matrix of the given size that lies in data, which has its length or is nil.
func Shaped(data []float64, rows, cols int) matrix {
	return matrix{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// Place returns the number of the entry of a state at which a part of it begins.
func Place(state, part []float64) int {
	return int((uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&state[0]))) / unsafe.Sizeof(part[0]))
}

// CheckState returns an error unless a state has the length and, where it has been begun, the mark of a kind of machine and its size.
func CheckState(state []float64, length int, mark float64) error {
	if err := CheckLength(state, length); err != nil {
		return err
	}
	if state[0] != mark {
		return fault.Value("the state has not been begun, or belongs to other options: it starts with %v", state[0])
	}
	return nil
}

// CheckWhole returns an error unless a number of a state is a whole one from least to most, which what counts or is a place must be.
func CheckWhole(v float64, least, most int) error {
	if !(v >= float64(least) && v <= float64(most)) || v != math.Trunc(v) {
		return fault.Value("the state has been damaged: it holds %v where a whole number from %d to %d must be", v, least, most)
	}
	return nil
}

// CheckLength returns an error unless a state has the length.
func CheckLength(state []float64, length int) error {
	if len(state) != length {
		return fault.Value("the state has %d numbers, must have %d", len(state), length)
	}
	return nil
}

// Mark tells states of different machines apart, and those of different options: a whole number made of what is said about them.
func Mark(about ...any) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, about...)
	return float64(h.Sum64()>>11) + 1
}

// FillNaN writes NaN to all of x, as what is yet to be answered.
func FillNaN(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}

// Dot returns the inner product.
func Dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

// Axpy adds a·x to dst.
func Axpy(dst []float64, a float64, x []float64) { blas64.Axpy(a, vector(x), vector(dst)) }

// Scale multiplies x by a.
func Scale(a float64, x []float64) { blas64.Scal(a, vector(x)) }

// Norm returns the Euclidean norm.
func Norm(x []float64) float64 { return blas64.Nrm2(vector(x)) }

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// Sum returns the sum of the entries.
func Sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// Finite reports whether no entry is infinite or NaN.
func Finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
