package maxmargin

import (
	"math"

	"combpred/core/decode"
	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/solve"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// Rule says how a step moves the weights.
type Rule int

const (
	FrankWolfe Rule = iota // towards the output of largest loss plus score, by line search
	Perceptron             // away from an output that scores as high as the example's
)

// Loss holds Δ_i(z) = Constant_i + ⟨Gradient_i, ψ(z)⟩ + ⟨Magnitude_i, ψ(z)²⟩ of each row. Matrices without rows stand for zero.
type Loss struct {
	Constant  []float64
	Gradient  matrix
	Magnitude matrix
	// ZeroOne, in place of the others: 1 where ψ(z) is not ψ_i. It takes a list of the outputs, Problem.Members.
	ZeroOne bool
}

// scores returns the loss of a row but for its constant, as scores of ψ(z).
func (l *Loss) scores(row int) structure.Scores {
	s := structure.Scores{Linear: l.Gradient.Row(row)}
	if l.Magnitude.Rows > 0 {
		s.Magnitude = l.Magnitude.Row(row)
	}
	return s
}

// of returns Δ at ψ(z), or the mean of Δ at the mean of ψ over several outputs.
func (l *Loss) of(row int, psi []float64) float64 { return l.Constant[row] + l.scores(row).Value(psi) }

// Problem is what does not change during training. Training looks at blocks: parts of rows, each with variables of its own.
type Problem struct {
	X    *solve.Design
	Psi  matrix  // n×d, ψ of the rows' outputs; its columns alone count where planes are asked for
	Rows []int64 // the row of each block, see Visits; nil: block i is row i
	// Weights are those of the blocks: C_i of a support vector machine, what an update of the perceptron is multiplied by.
	Weights []float64
	// Loss of the rows: for a support vector machine, and for the perceptron's bound on mistakes.
	Loss Loss
	// Slack asks for slack rescaling, Asked for planes that the caller computes, of whatever losses it has.
	Slack, Asked bool
	// Members holds ψ of all outputs, where the worst one is to be found by a look at each; see ListMembers.
	Members matrix

	// Who decodes where training is done here.
	Space      structure.Space
	Method     decode.Method
	Candidates int // see Decoder
	Seed       uint64
}

// blocks returns their number.
func (p *Problem) blocks() int { return len(p.Weights) }

// row returns the row of a block.
func (p *Problem) row(block int) int {
	if p.Rows == nil {
		return block
	}
	return int(p.Rows[block])
}

// State is what steps change. Averages are kept as sums of each change times the weight of all iterates before it: the average over
// the first t steps is V − LateV/Share(t), and likewise for the offsets.
type State struct {
	V          matrix // blocks×d
	Offset     []float64
	LateV      matrix // without rows: no average
	LateOffset []float64
	W          matrix // q×d, W = Σ_i C_i x_i v_iᵀ plus what earlier calls began with
	Step       int    // steps done
}

// Share returns the sum of the weights of the iterates of the first t steps: equal ones for the perceptron, t for Frank–Wolfe, whose early
// iterates are far off.
func (r Rule) Share(t int) float64 {
	if r == Perceptron {
		return float64(t)
	}
	return float64(t) * (float64(t) + 1) / 2
}

// maxSteps bounds the number of a step, so that shares are exact enough.
const maxSteps = 1 << 48

// mostNumbers bounds how many numbers training holds, so that their count does not overflow: beyond any memory.
const mostNumbers = 1 << 45

// checkNumbers returns an error where weights or means of blocks are beyond any memory, or the squares of a row overflow.
func (p *Problem) checkNumbers() error {
	if d, q := float64(p.Psi.Cols), float64(p.X.Columns()); d*(2*firstPlanes*q+4*float64(p.blocks())) > mostNumbers {
		return fault.Memory("%d blocks with %d features and %d entries of ψ are too many", p.blocks(), p.X.Columns(), p.Psi.Cols)
	}
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

// newWeights returns weights of zero, q×d.
func (p *Problem) newWeights() matrix { return linalg.NewMatrix[float64](p.X.Columns(), p.Psi.Cols) }

// checkRows returns an error unless there are blocks, of rows that exist.
func (p *Problem) checkRows() error {
	n, m := p.X.Len(), p.blocks()
	switch {
	case m == 0:
		return fault.Value("there are no blocks: all weights are 0")
	case p.Psi.Rows != n && !p.Asked:
		return fault.Value("psi has %d rows, must have %d", p.Psi.Rows, n)
	case p.Rows == nil && m != n, p.Rows != nil && m != len(p.Rows):
		return fault.Value("there are %d weights for %d blocks of %d rows", m, len(p.Rows), n)
	}
	for i, w := range p.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fault.At(i, fault.Value("the weight is %g, must be finite and at least 0", w))
		}
	}
	for i, row := range p.Rows {
		if row < 0 || row >= int64(n) {
			return fault.Value("block %d is of row %d, must be from 0 to %d", i, row, n-1)
		}
	}
	return nil
}

func (p *Problem) checkLoss() error {
	n, d, l := p.X.Len(), p.Psi.Cols, &p.Loss
	switch {
	case l.ZeroOne && p.Members.Rows == 0:
		return fault.Value("a loss of 0 and 1 takes a list of the outputs")
	case l.ZeroOne:
	case l.Gradient.Rows != n || l.Gradient.Cols != d || len(l.Constant) != n:
		return fault.Value("the loss has %d rows, must have %d", l.Gradient.Rows, n)
	case l.Magnitude.Rows != 0 && (l.Magnitude.Rows != n || l.Magnitude.Cols != d):
		return fault.Value("magnitude has %d rows, must have 0 or %d", l.Magnitude.Rows, n)
	}
	if p.Members.Rows > 0 && p.Members.Cols != d {
		return fault.Value("members has %d columns, must have %d", p.Members.Cols, d)
	}
	return nil
}
