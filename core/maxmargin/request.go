package maxmargin

import (
	"math"

	"combpred/core/fault"
	"combpred/core/parallel"
)

// Ask is what a machine asks for.
type Ask int

const (
	// Finished asks for nothing: training has ended.
	Finished Ask = iota
	// Decode asks for an output z of largest ⟨Linear, ψ(z)⟩ + ⟨Magnitude, ψ(z)²⟩ for each row: ψ(z) goes to Psi, and whether it is
	// proven best, 1 or 0, to Proven.
	Decode
	// Planes asks for the largest plane ℓ − ⟨f, v⟩ at the scores f in Linear: v goes to Psi, ℓ to Offset, and whether it is proven
	// largest to Proven. A plane is at least 0, or what ψ_i itself gives.
	Planes
	// Looked asks for nothing: it says how far training has come, in Look.
	Looked
	// More asks for a longer state, of Length numbers, that begins with those of the present one: see Grow.
	More
)

// Look is what is known about the objective.
type Look struct {
	Iter             int
	Objective, Bound float64 // of the primal, and of the dual, below all values of the primal
}

// Request is what a machine needs to go on. Its slices lie in the state.
type Request struct {
	Ask       Ask
	Linear    matrix // k×d
	Magnitude matrix // k×d, or no rows for zero
	Psi       matrix // k×d
	Offset    []float64
	Proven    []float64
	Rows      []float64 // the numbers of the problem's rows
	// Stream is the number of the random stream of the first row, if streams are needed; other rows have the next ones. No two
	// requests share any.
	Stream int
	Look   Look
	Length int

	numbers []float64
}

// Block returns the block that a row of the request belongs to.
func (r Request) Block(k int) int { return int(r.numbers[k]) }

// Machine is what Drive drives.
type Machine interface {
	// Next takes in what was asked for last and goes on until more is needed, or training has ended. After an error from mon it may be
	// called again, and then goes on; after others the state is unspecified.
	Next(mon *parallel.Monitor) (Request, error)
	// Grow goes on with a longer state, after a request for More.
	Grow(state []float64) error
	// Row returns the row of a block.
	Row(block int) int
	// Look tells how far training has come.
	Look() Look
}

// Drive answers the requests of a machine until it has finished. See, unless nil, gets the looks on the way.
func Drive(m Machine, state []float64, engine Engine, see func(Look), mon *parallel.Monitor) error {
	for {
		r, err := m.Next(mon)
		if err != nil {
			return err
		}
		switch r.Ask {
		case Finished:
			return nil
		case Looked:
			if see != nil {
				see(r.Look)
			}
		case More:
			longer := make([]float64, r.Length)
			copy(longer, state)
			state = longer
			err = m.Grow(state)
		default:
			err = fault.Renumbered(engine.Answer(r, mon), func(row int) int { return m.Row(r.Block(row)) })
		}
		if err != nil {
			return err
		}
	}
}

// tape hands out consecutive pieces of a flat state, or measures them where there is none.
type tape struct {
	data []float64
	at   int
}

// maxState bounds lengths of states, so that their computation does not overflow.
const maxState = 1 << 46

func (t *tape) take(n int) []float64 {
	lo := t.at
	t.at = min(t.at+n, maxState)
	if t.data == nil {
		return nil
	}
	return t.data[lo:t.at:t.at]
}

func (t *tape) matrix(rows, cols int) matrix {
	if cols > 0 && rows > maxState/cols {
		rows = maxState / cols
	}
	return shaped(t.take(rows*cols), rows, cols)
}

func shaped(data []float64, rows, cols int) matrix {
	return matrix{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// top returns the first k rows.
func top(m matrix, k int) matrix { return m.Slice(0, min(k, m.Rows), 0, m.Cols) }

// The header that all states begin with.
const (
	headMark = iota // which machine, and the sizes below, which follow from the problem
	headBlocks
	headOutputs
	headFeatures
	headPhase
	headCount  // rows of the request under way
	headStream // rows asked for so far
	headLen
)

// addressable returns the length of a state, or an error where it is beyond maxState.
func (p *Problem) addressable(length int) (int, error) {
	if length >= maxState {
		return 0, fault.Memory("%d blocks with %d features and %d entries of ψ are too many", p.blocks(), p.X.Columns(), p.Psi.Cols)
	}
	return length, nil
}

// header checks, or where it begins writes, the header of a state of a known length, and returns that much of the state.
func (p *Problem) header(state []float64, length int, mark float64, begin bool) ([]float64, error) {
	if _, err := p.addressable(length); err != nil {
		return nil, err
	}
	if len(state) < length {
		return nil, fault.Value("the state has %d numbers, must have %d", len(state), length)
	}
	state = state[:length:length]
	if begin {
		clear(state)
		state[headMark], state[headBlocks] = mark, float64(p.blocks())
		state[headOutputs], state[headFeatures] = float64(p.Psi.Cols), float64(p.X.Columns())
	}
	if state[headMark] != mark || state[headBlocks] != float64(p.blocks()) || state[headOutputs] != float64(p.Psi.Cols) ||
		state[headFeatures] != float64(p.X.Columns()) {
		return nil, fault.Value("the state has not been begun, or belongs to another problem")
	}
	return state, nil
}

// checkNorms returns an error that names the first row whose squares overflow.
func (p *Problem) checkNorms() error {
	worst := -1
	for i := range p.blocks() {
		if row := p.row(i); !(p.squareNorm(i) <= longest) && (worst < 0 || row < worst) {
			worst = row
		}
	}
	if worst >= 0 {
		return fault.At(worst, fault.Value("the squares of the features in X overflow; scale the inputs"))
	}
	return nil
}

func clearNaN(m matrix) {
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			row[j] = math.NaN()
		}
	}
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var errDamaged = fault.Value("the state is damaged")

// counts reports whether v is a whole number from 0 to most, as what a state counts must be.
func counts(v float64, most int) bool { return v >= 0 && v <= float64(most) && v == math.Trunc(v) }

// finite reports whether v is a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
