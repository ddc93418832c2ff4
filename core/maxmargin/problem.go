package maxmargin

import (
	"fmt"
	"math"

	"combpred/core/badrow"
	"combpred/core/decode"
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

// Loss holds Δ_i(z) = Constant_i + ⟨Gradient_i, ψ(z)⟩ + ⟨Magnitude_i, ψ(z)²⟩ of each example. Matrices without rows stand for zero.
type Loss struct {
	Constant  []float64
	Gradient  matrix
	Magnitude matrix
}

// Problem is what does not change during training.
type Problem struct {
	Space   structure.Space
	X       *solve.Design
	Psi     matrix // n×d, ψ of the examples' outputs
	Loss    Loss   // of the rule FrankWolfe
	Weights []float64
	Rule    Rule
	Method  decode.Method
	// Candidates, where positive, replaces decoding: the best of so many uniform outputs is taken, drawn anew in each step.
	Candidates int
	Seed       uint64
}

// State is what steps change. Averages are kept as sums of each change times the weight of all iterates before it: the average over
// the first t steps is V − LateV/Share(t), and likewise for the offsets.
type State struct {
	V          matrix // n×d
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

func (p *Problem) check(order []int64, s *State) error {
	n, d, q := p.X.N, p.Space.FeatureLen(), p.X.Len()
	switch {
	case p.Rule != FrankWolfe && p.Rule != Perceptron:
		return fmt.Errorf("maxmargin: there is no rule number %d", p.Rule)
	case p.Candidates < 0:
		return fmt.Errorf("maxmargin: candidates is %d, must be 0 or more", p.Candidates)
	case p.Psi.Rows != n || p.Psi.Cols != d || len(p.Weights) != n:
		return fmt.Errorf("maxmargin: psi is %d×%d with %d weights, must be %d×%d with %d", p.Psi.Rows, p.Psi.Cols, len(p.Weights), n, d, n)
	case p.Rule == FrankWolfe && (p.Loss.Gradient.Rows != n || p.Loss.Gradient.Cols != d || len(p.Loss.Constant) != n):
		return fmt.Errorf("maxmargin: the loss has %d rows, must have %d", p.Loss.Gradient.Rows, n)
	case p.Loss.Magnitude.Rows != 0 && (p.Loss.Magnitude.Rows != n || p.Loss.Magnitude.Cols != d):
		return fmt.Errorf("maxmargin: magnitude has %d rows, must have 0 or %d", p.Loss.Magnitude.Rows, n)
	case s.V.Rows != n || s.V.Cols != d || len(s.Offset) != n:
		return fmt.Errorf("maxmargin: v is %d×%d, must be %d×%d", s.V.Rows, s.V.Cols, n, d)
	case s.LateV.Rows != 0 && (s.LateV.Rows != n || s.LateV.Cols != d || len(s.LateOffset) != n):
		return fmt.Errorf("maxmargin: late is %d×%d, must be %d×%d", s.LateV.Rows, s.LateV.Cols, n, d)
	case s.W.Rows != q || s.W.Cols != d:
		return fmt.Errorf("maxmargin: coef is %d×%d, must be %d×%d", s.W.Rows, s.W.Cols, q, d)
	case s.Step < 0 || s.Step > maxSteps:
		return fmt.Errorf("maxmargin: step is %d, must be from 0 to %d", s.Step, maxSteps)
	}
	for i, w := range p.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return badrow.Named(i, "maxmargin: weights[%d] is %g, must be finite and at least 0", i, w)
		}
	}
	for k, i := range order {
		if i < 0 || i >= int64(n) {
			return fmt.Errorf("maxmargin: order[%d] is %d, must be from 0 to %d", k, i, n-1)
		}
	}
	return nil
}
