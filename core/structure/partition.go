package structure

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
)

// Partitioner knows the partition functions of the laws p(y) ∝ exp⟨s, ψ(y)⟩ on a space without a list of its outputs.
type Partitioner interface {
	// LogPartition returns ln Z = ln Σ_y exp⟨s, ψ(y)⟩, a sum over all outputs, and writes the marginals E ψ = ∇ ln Z to
	// marginals, unless that is nil. Scores of any finite size are allowed that add up to no more than CheckScores allows.
	// poll may be nil; otherwise it is called every few milliseconds at sizes that take longer, and its first error ends
	// the work and is returned. Where the space is too large it returns a *LimitError.
	LogPartition(marginals, scores []float64, poll func() error) (logZ float64, err error)
	// PartitionCost returns about how many elementary operations LogPartition takes, +Inf where it refuses.
	PartitionCost(marginals bool) float64
}

// Distributor draws exactly from the laws p(y) ∝ exp⟨s, ψ(y)⟩.
type Distributor interface {
	// Distribution returns a function that draws independent outputs y ~ p and may be called from one goroutine at a time.
	// What all draws share is done once, here. Scores, poll and a *LimitError are as for LogPartition.
	Distribution(scores []float64, poll func() error) (draw Draw, err error)
}

// Tabulated spaces hold ψ of all outputs. Sums over these for many rows of scores are then matrix products.
type Tabulated interface {
	// Table returns ψ of the outputs in its rows, not to be changed, in the order of the Enumerator.
	Table() blas64.General
}

// Draw writes a random output to dst.
type Draw func(dst []int32, rng *rand.Rand)

// maxTotal bounds the sum of the magnitudes of one row's scores, so that no sum of them overflows.
const maxTotal = math.MaxFloat64 / 8

// CheckScores returns an error that names the first score which is infinite or NaN, or says that their sum overflows.
func CheckScores(scores []float64) error {
	var total float64
	for _, v := range scores {
		total += math.Abs(v)
	}
	if total <= maxTotal {
		return nil
	}
	for j, v := range scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("score %d is %v, must be finite", j, v)
		}
	}
	return fmt.Errorf("the scores add up to more than %g, scale them down", maxTotal)
}
