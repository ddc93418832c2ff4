package loglinear

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
)

type matrix = linalg.Matrix[float64]

// tape hands out consecutive pieces of a flat state, or measures them where there is none.
type tape struct {
	data []float64
	at   int
}

func (t *tape) take(n int) []float64 {
	lo := t.at
	t.at += n
	if t.data == nil {
		return nil
	}
	return t.data[lo:t.at:t.at]
}

func (t *tape) matrix(rows, cols int) matrix { return shaped(t.take(rows*cols), rows, cols) }

// shaped returns the matrix of the given size that lies in data, which has its length or is nil.
func shaped(data []float64, rows, cols int) matrix {
	return matrix{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// checkState returns an error unless a state has the length and, where it has been begun, the mark of a kind of machine and its size.
func checkState(state []float64, length int, mark float64) error {
	if err := checkLength(state, length); err != nil {
		return err
	}
	if state[0] != mark {
		return fmt.Errorf("loglinear: the state has not been begun, or belongs to other options: it starts with %v", state[0])
	}
	return nil
}

func checkLength(state []float64, length int) error {
	if len(state) != length {
		return fmt.Errorf("loglinear: the state has %d numbers, must have %d", len(state), length)
	}
	return nil
}

// mark tells states of different machines and sizes apart.
func mark(kind string, sizes ...int) float64 {
	h := uint64(14695981039346656037) // FNV-1a
	mix := func(v uint64) { h = (h ^ v) * 1099511628211 }
	for _, c := range []byte(kind) {
		mix(uint64(c))
	}
	for _, v := range sizes {
		mix(uint64(v))
		mix(uint64(v) >> 32)
	}
	return float64(h>>11) + 1
}

func dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

func axpy(dst []float64, a float64, x []float64) { blas64.Axpy(a, vector(x), vector(dst)) }

func scale(a float64, x []float64) { blas64.Scal(a, vector(x)) }

func norm(x []float64) float64 { return blas64.Nrm2(vector(x)) }

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// finite reports whether no entry is infinite or NaN.
func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
