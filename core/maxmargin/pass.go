package maxmargin

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/badrow"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Report is what a pass saw.
type Report struct {
	Gap     float64 // sum of the examples' duality gaps, each before its step; FrankWolfe only
	Updates int     // steps that moved the weights; for the perceptron the mistakes
	Proven  int     // decodings proven optimal
	Radius  float64 // largest ‖x_i‖²‖ψ_i − ψ(z)‖² of the updates; Perceptron only
}

// rounding is the share of the sum of the magnitudes of scores below which two outputs score alike.
const rounding = 1e-13

// Pass takes a step on each example of the order. A step costs one decoding and two products of the example's features with rows of d
// weights. After an error the state is unspecified.
func (p *Problem) Pass(order []int64, s *State, mon *parallel.Monitor) (Report, error) {
	if err := p.check(order, s); err != nil {
		return Report{}, err
	}
	oracle, err := newOracle(p, mon.Err)
	if err != nil {
		return Report{}, err
	}
	t := &training{Problem: p, State: s, oracle: oracle, f: p.zeros(), augmented: p.zeros(), move: p.zeros()}
	step := t.frankWolfe
	if p.Rule == Perceptron {
		step = t.perceptron
	}
	for _, i := range order {
		if err := mon.Err(); err != nil {
			return t.report, err
		}
		if err := step(int(i)); err != nil {
			return t.report, fmt.Errorf("maxmargin: %w", badrow.At(int(i), err))
		}
		s.Step++
		mon.Advance(1)
	}
	return t.report, nil
}

func (p *Problem) zeros() []float64 { return make([]float64, p.Psi.Cols) }

// training is a pass under way.
type training struct {
	*Problem
	*State
	oracle    *oracle
	report    Report
	f         []float64 // scores of the example
	augmented []float64 // with the loss added
	move      []float64 // ψ of the output found, then the direction of the step
}

func (t *training) frankWolfe(i int) error {
	norm := t.scores(i)
	psi, gradient, v := t.Psi.Row(i), t.Loss.Gradient.Row(i), t.V.Row(i)
	score := structure.Scores{Linear: t.augmented}
	if t.Loss.Magnitude.Rows > 0 {
		score.Magnitude = t.Loss.Magnitude.Row(i)
	}
	for j, g := range gradient {
		t.augmented[j] = t.f[j] + g
	}
	if err := t.decode(score); err != nil {
		return err
	}
	// ψ_i itself is a mean of outputs that may be taken: what an approximate decoder finds below is no violation.
	loss := structure.Scores{Linear: gradient, Magnitude: score.Magnitude}
	offset, least := t.Loss.Constant[i]+loss.Value(t.move), t.Loss.Constant[i]+loss.Value(psi)
	value := offset
	for j, z := range t.move {
		t.move[j] = psi[j] - z
		value -= t.f[j] * t.move[j]
	}
	if value < least {
		clear(t.move)
		value, offset = least, least
	}
	var square float64
	current := t.Offset[i]
	for j, at := range v {
		current -= t.f[j] * at
		t.move[j] -= at
		square += t.move[j] * t.move[j]
	}
	weight := t.Weights[i]
	gap := value - current
	t.report.Gap += weight * gap
	if gap <= 0 {
		return nil
	}
	// The dual changes by γ·C_i·gap − ½γ²·C_i²‖x_i‖²‖move‖².
	size := 1.0
	if curvature := weight * norm * square; curvature > gap {
		size = gap / curvature
	}
	t.report.Updates++
	t.advance(i, size, size*(offset-t.Offset[i]))
	return nil
}

func (t *training) perceptron(i int) error {
	norm := t.scores(i)
	copy(t.augmented, t.f)
	if err := t.decode(structure.Scores{Linear: t.augmented}); err != nil {
		return err
	}
	var lead, scale, square float64
	for j, z := range t.move {
		t.move[j] = t.Psi.Row(i)[j] - z
		lead -= t.f[j] * t.move[j]
		scale += math.Abs(t.f[j])
		square += t.move[j] * t.move[j]
	}
	// Where an approximate decoder finds less than the example's own output scores, the mistake is the decoder's.
	if square == 0 || lead < -rounding*scale {
		return nil
	}
	t.report.Updates++
	t.report.Radius = max(t.report.Radius, norm*square)
	t.advance(i, 1, 0)
	return nil
}

// decode writes ψ of the output found to move.
func (t *training) decode(score structure.Scores) error {
	if err := structure.CheckScores(score.Linear); err != nil {
		return err
	}
	proven, err := t.oracle.find(t.move, score, t.Step)
	if proven {
		t.report.Proven++
	}
	return err
}

// advance moves v_i by size times move, its offset by a number, and the weights with them.
func (t *training) advance(i int, size, offset float64) {
	axpy(t.V.Row(i), t.move, size)
	t.Offset[i] += offset
	if t.LateV.Rows > 0 {
		before := t.Rule.Share(t.Step)
		axpy(t.LateV.Row(i), t.move, before*size)
		t.LateOffset[i] += before * offset
	}
	size *= t.Weights[i]
	if t.large() {
		blas64.Ger(size, vector(t.X.Dense.Row(i)), vector(t.move), t.dense())
		if t.X.Intercept {
			axpy(t.W.Row(t.X.P), t.move, size)
		}
		return
	}
	t.X.Entries(i, func(k int, x float64) { axpy(t.W.Row(k), t.move, size*x) })
}

// scores writes Wᵀx_i to f and returns ‖x_i‖².
func (t *training) scores(i int) float64 {
	var norm float64
	if t.large() {
		x := t.X.Dense.Row(i)
		blas64.Gemv(blas.Trans, 1, t.dense(), vector(x), 0, vector(t.f))
		norm = blas64.Dot(vector(x), vector(x))
		if t.X.Intercept {
			axpy(t.f, t.W.Row(t.X.P), 1)
			norm++
		}
		return norm
	}
	clear(t.f)
	t.X.Entries(i, func(k int, x float64) {
		norm += x * x
		axpy(t.f, t.W.Row(k), x)
	})
	return norm
}

// large says whether a step is quicker by calls of BLAS: on dense rows, unless there are few numbers.
func (t *training) large() bool { return t.X.Rows == nil && t.X.P*t.W.Cols >= 1024 }

// dense returns the weights of the features but for the constant one.
func (t *training) dense() blas64.General {
	return linalg.General(t.W.Slice(0, t.X.P, 0, t.W.Cols))
}

func axpy(dst, x []float64, a float64) {
	for j, v := range x {
		dst[j] += a * v
	}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
