package loglinear

import (
	"math"

	"combpred/core/fault"
	"combpred/core/linalg"
)

type matrix = linalg.Matrix[float64]

// Sizes are those of the weights W, and what is known of the features.
type Sizes struct {
	Features int // q, the constant one included
	Outputs  int // d
	// Diagonal says that the second moment of the features is diagonal, as that of KernelFeatures is.
	Diagonal bool
	// LargestGram and LargestMoved, where positive, take the places of the constants of these names.
	LargestGram, LargestMoved int
}

// Len returns the number of weights.
func (s Sizes) Len() int { return s.Features * s.Outputs }

// Gram reports whether the second moment of the features is diagonalised.
func (s Sizes) Gram() bool { return !s.Diagonal && s.Features <= orDefault(s.LargestGram, LargestGram) }

// Moves reports whether it is diagonalised anew.
func (s Sizes) Moves() bool { return s.Features <= orDefault(s.LargestMoved, LargestMoved) }

// HasCovariance reports whether the covariance of ψ is diagonalised.
func (s Sizes) HasCovariance() bool { return s.Outputs <= LargestCovariance }

func orDefault(v, otherwise int) int {
	if v > 0 {
		return v
	}
	return otherwise
}

func (s Sizes) check() error {
	switch {
	case s.Features < 1 || s.Outputs < 1:
		return fault.Value("weights are %d×%d, must be 1×1 at least", s.Features, s.Outputs)
	case s.Features > math.MaxInt32 || s.Outputs > math.MaxInt32 || s.Len() > math.MaxInt/4096:
		return fault.Memory("weights of %d×%d are too many", s.Features, s.Outputs)
	case s.LargestGram < 0 || s.LargestMoved < 0:
		return fault.Value("largest orders are %d and %d, must not be negative", s.LargestGram, s.LargestMoved)
	}
	return nil
}

// MomentLen returns the number of entries of a second moment of the features.
func (s Sizes) MomentLen() int {
	if s.Gram() {
		return s.Features * s.Features
	}
	return s.Features
}

// movedLen is that of one that is diagonalised anew.
func (s Sizes) movedLen() int {
	if s.Moves() {
		return s.Features * s.Features
	}
	return 0
}

// Kind says what sums over rows are asked for.
type Kind int

const (
	Moments Kind = iota // of the features
	Loss                // and its gradient at some weights
	Spread              // of the distributions of rows at some weights
)

// Sums over rows are one flat vector: those of several blocks of rows are added up entry by entry. The first entries are numbers, each
// used by one kind alone; matrices follow.
const (
	LossSum    = iota // Loss: Σ −w ln p
	WeightSum         // Moments: Σ w
	RowCount          // Moments, Spread: rows of positive weight
	SquareSum         // Moments: Σ ‖ψ − μ‖²
	TraceSum          // Spread: Σ t_i, the traces of the covariances of rows' distributions
	Unknown           // Spread: not 0 where nothing could be drawn
	numbersLen        // how many there are
)

// SumsLen returns the length of sums.
func (s Sizes) SumsLen(kind Kind) int {
	switch kind {
	case Moments:
		return numbersLen + s.MomentLen()
	case Loss:
		return numbersLen + s.Len()
	}
	return numbersLen + s.movedLen() + s.Outputs*s.Outputs
}

// GradientOf returns the gradient by W (q×d) in sums of the kind Loss.
func (s Sizes) GradientOf(sums []float64) matrix {
	return linalg.Shaped(sums[numbersLen:], s.Features, s.Outputs)
}

// moment returns Σ w φφᵀ in sums of the kind Moments, q×q, or its diagonal, 1×q.
func (s Sizes) moment(sums []float64) matrix {
	return s.MomentOf(sums[numbersLen:])
}

// MomentOf returns data as one.
func (s Sizes) MomentOf(data []float64) matrix {
	if s.Gram() {
		return linalg.Shaped(data, s.Features, s.Features)
	}
	return linalg.Shaped(data, 1, s.Features)
}

// spread returns Σ w_i t_i φ_i φ_iᵀ, q×q or without rows, and Σ w_i C_i, d×d, in sums of the kind Spread.
func (s Sizes) spread(sums []float64) (moved, covariance matrix) {
	at := numbersLen + s.movedLen()
	if s.Moves() {
		moved = linalg.Shaped(sums[numbersLen:at], s.Features, s.Features)
	}
	return moved, linalg.Shaped(sums[at:], s.Outputs, s.Outputs)
}
