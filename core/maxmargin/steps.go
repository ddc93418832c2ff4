package maxmargin

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/linalg"
	"combpred/core/structure"
)

// rounding is the share of the sum of the magnitudes of scores below which two outputs score alike.
const rounding = 1e-13

// towards takes the step of block i towards a plane, by line search on the dual, and returns the gap of the block before it. f are its
// scores and norm its ‖x‖²; direction is overwritten.
func (p *Problem) towards(s *State, i int, f, direction []float64, offset, norm float64) float64 {
	gap, square := offset-s.Offset[i], 0.0
	for j, at := range s.V.Row(i) {
		direction[j] -= at
		gap -= f[j] * direction[j]
		square += direction[j] * direction[j]
	}
	if !(gap > 0) {
		return gap
	}
	// The dual changes by γ·C_i·gap − ½γ²·C_i²‖x_i‖²‖move‖².
	size := 1.0
	if curvature := p.Weights[i] * norm * square; curvature > gap {
		size = gap / curvature
	}
	p.advance(s, FrankWolfe, i, direction, size, size*(offset-s.Offset[i]))
	return gap
}

// away takes the step of the perceptron on block i, psi being what decoding its scores f has found, and returns ‖ψ_i − ψ(z)‖², 0 where
// that is no mistake. psi is overwritten.
func (p *Problem) away(s *State, i int, f, psi []float64) float64 {
	var lead, scale, square float64
	for j, own := range p.Psi.Row(p.row(i)) {
		psi[j] = own - psi[j]
		lead -= f[j] * psi[j]
		scale += math.Abs(f[j])
		square += psi[j] * psi[j]
	}
	// Where an approximate decoder finds less than the example's own output scores, the mistake is the decoder's.
	if square == 0 || lead < -rounding*scale {
		return 0
	}
	p.advance(s, Perceptron, i, psi, 1, 0)
	return square
}

// advance moves v_i by size times move, its offset by a number, and the weights with them.
func (p *Problem) advance(s *State, rule Rule, i int, move []float64, size, offset float64) {
	linalg.Axpy(s.V.Row(i), move, size)
	before := rule.Share(s.Step)
	if s.LateV.Rows > 0 {
		linalg.Axpy(s.LateV.Row(i), move, before*size)
	}
	if rule == FrankWolfe {
		s.Offset[i] += offset
		if s.LateV.Rows > 0 {
			s.LateOffset[i] += before * offset
		}
	}
	size *= p.Weights[i]
	row := p.row(i)
	if p.large() {
		blas64.Ger(size, vector(p.X.Dense.Row(row)), vector(move), p.denseOf(s.W))
		if p.X.Intercept {
			linalg.Axpy(s.W.Row(p.X.Features()), move, size)
		}
		return
	}
	p.X.Entries(row, func(k int, x float64) { linalg.Axpy(s.W.Row(k), move, size*x) })
}

// rowScores writes Wᵀx of a block to f and returns ‖x‖².
func (p *Problem) rowScores(f []float64, w matrix, block int) float64 {
	var norm float64
	row := p.row(block)
	if p.large() {
		x := p.X.Dense.Row(row)
		blas64.Gemv(blas.Trans, 1, p.denseOf(w), vector(x), 0, vector(f))
		norm = blas64.Dot(vector(x), vector(x))
		if p.X.Intercept {
			linalg.Axpy(f, w.Row(p.X.Features()), 1)
			norm++
		}
		return norm
	}
	clear(f)
	p.X.Entries(row, func(k int, x float64) {
		norm += x * x
		linalg.Axpy(f, w.Row(k), x)
	})
	return norm
}

// large says whether a step is quicker by calls of BLAS: on dense rows, unless there are few numbers. (With 50 features and ψ of 20 entries
// passes of Frank–Wolfe take three quarters of the time by gonum's.)
func (p *Problem) large() bool { return p.X.Sparse == nil && p.X.Features()*p.Psi.Cols >= 256 }

// denseOf returns the weights of the features but for the constant one.
func (p *Problem) denseOf(w matrix) blas64.General {
	return linalg.General(w.Slice(0, p.X.Features(), 0, w.Cols))
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// augmented returns the scores f with the loss of a row added, the linear ones in dst.
func (p *Problem) augmented(dst, f []float64, row int) structure.Scores {
	loss := p.Loss.scores(row)
	for j, g := range loss.Linear {
		dst[j] = f[j] + g
	}
	return structure.Scores{Linear: dst, Magnitude: loss.Magnitude}
}

// planeOf makes the plane of margin rescaling of ψ(z), which decoding with the loss added has found: it overwrites it by the direction and
// returns the offset.
func (p *Problem) planeOf(row int, f, psi []float64) float64 {
	own := p.Psi.Row(row)
	// ψ_i itself is a mean of outputs that may be taken: what an approximate decoder finds below is no violation.
	offset, least := p.Loss.of(row, psi), p.Loss.of(row, own)
	value := offset
	for j, z := range psi {
		psi[j] = own[j] - z
		value -= f[j] * psi[j]
	}
	if value < least {
		clear(psi)
		return least
	}
	return offset
}
