package maxmargin

import (
	"math"

	"combpred/core/parallel"
)

// Request is about some rows, for each of which an output is to be found. Its slices hold until it is answered.
type Request struct {
	// Planes says what is wanted: unless it is set, an output z of largest ⟨Linear, ψ(z)⟩ + ⟨Magnitude, ψ(z)²⟩; otherwise the largest plane
	// ℓ − ⟨f, v⟩ at the scores f in Linear, which is at least 0, or what ψ_i itself gives.
	Planes    bool
	Rows      []int64 // the numbers of the problem's rows
	Linear    matrix  // k×d
	Magnitude matrix  // k×d, or no rows for zero
	// Stream is the number of the random stream of the first row, if streams are needed; other rows have the next ones. No two requests
	// share any.
	Stream int

	// The answer: ψ(z), or v; ℓ of planes; and whether z is proven best. They are NaN and false before.
	Psi    matrix // k×d
	Offset []float64
	Proven []bool
}

// Oracle finds the outputs that training asks for.
type Oracle interface {
	// Answer answers a request. Errors about a row number it within the request.
	Answer(r Request, mon *parallel.Monitor) error
	// Work runs f, which multiplies large matrices, where that is to be done, and returns its error.
	Work(f func() error) error
}

// Here is part of an Oracle that lets large matrices be multiplied where training runs.
type Here struct{}

// Work runs f.
func (Here) Work(f func() error) error { return f() }

// heavy is how many multiplications are worth to be done where large products of matrices are.
const heavy = 1 << 16

// work runs f, of so many multiplications, where they are to be done.
func (s *planes) work(size int, f func() error) error {
	if size < heavy {
		return f()
	}
	return s.oracle.Work(f)
}

// weigh runs f, which multiplies the weights by the features of so many blocks.
func (s *planes) weigh(blocks int, f func() error) error {
	return s.work(blocks*s.X.Columns()*s.Psi.Cols, f)
}

// top returns the first k rows.
func top(m matrix, k int) matrix { return m.Slice(0, min(k, m.Rows), 0, m.Cols) }

// finite reports whether v is a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
