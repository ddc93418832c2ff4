package loglinear

import (
	"combpred/core/fault"
	"combpred/core/parallel"
)

// Ask says what training needs about the distributions of some rows.
type Ask int

const (
	Expect  Ask = iota // expectations of ψ and ln Z
	Mean               // expectations of ψ, which may be estimates
	Pair               // two estimates of the expectations, independent of each other
	Draw               // outputs drawn independently, embedded; those of one row follow one another
	Uniform            // outputs drawn uniformly, whatever the scores, embedded
)

// RowsRequest asks about the distributions p(y) ∝ exp⟨s, ψ(y)⟩ of k rows of scores s. Its slices hold until it is answered.
type RowsRequest struct {
	Ask    Ask
	Rows   Rows   // rows are numbered without those of weight 0
	Scores matrix // k×d
	Draws  int    // Draw, Uniform: how many of each row; Pair: how many times as many draws as for a Mean

	// The answer.
	Means matrix    // k×d; Pair: 2k×d, the second estimates after all the first
	LogZ  []float64 // k, for Expect
	Psi   matrix    // k·Draws×d, for Draw and Uniform
}

// Oracle knows the distributions of rows.
type Oracle interface {
	// Answer answers a request. Errors about a row number it within the request.
	Answer(r RowsRequest, mon *parallel.Monitor) error
}

// Seen answers Expect, Mean and Pair for the outputs that agree with what was seen of rows, in place of all. It numbers rows among all,
// those of weight 0, too.
type Seen interface {
	Oracle
	// Sets reports whether several whole outputs were seen of a row.
	Sets() bool
	// Open reports whether nothing is known of an entry of ψ, where entries do not depend on each other.
	Open(row, entry int) bool
}

// Errors of answers: ErrNoDraws is that of an oracle that cannot draw independent outputs at once, which training does without.
var (
	ErrNoDraws    = fault.Value("no independent draws")
	ErrUnanswered = fault.Value("an expectation or ln Z is NaN: not all that was asked for was answered")
)

// Answer has an oracle answer a request about rows of the problem. Errors about a row number it among all rows.
func (p *Problem) Answer(oracle Oracle, r RowsRequest, mon *parallel.Monitor) error {
	if err := mon.Err(); err != nil {
		return err
	}
	err := oracle.Answer(r, mon.Quiet()) // oracles count rows, and training iterations
	return fault.Renumbered(err, func(row int) int { return p.Row(r.Rows.At(row)) })
}

// Workplace runs a function that multiplies large matrices where that is to be done, and returns its error. Nil runs it at once.
type Workplace func(f func() error) error

// heavy is how many multiplications are worth to be done where large products of matrices are.
const heavy = 1 << 16

// do runs f, which makes so many multiplications.
func (w Workplace) do(multiplications int, f func()) error {
	if w == nil || multiplications < heavy {
		f()
		return nil
	}
	return w(func() error { f(); return nil })
}
