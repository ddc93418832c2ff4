package chain

import (
	"math/rand/v2"

	"combpred/core/structure"
)

// Kernel is a Markov chain: Step draws the next state of s. Kernels never change, so that several states may go
// through one at the same time.
type Kernel interface {
	Step(s *State, rng *rand.Rand)
}

// State is where a chain is, and what it did to get there.
type State struct {
	Y     []int32
	Value float64 // h(Y), up to the rounding of one addition for each step since Set
	Steps int64   // proposals so far
	// Accepted counts the proposals that were accepted, those that propose what already is included.
	Accepted int64

	next []int32
	psi  []float64
}

// NewState returns a state for the outputs of a space, to begin with Set.
func NewState(space structure.Space) *State {
	n := space.PartLen()
	buf := make([]int32, 2*n)
	return &State{Y: buf[:n:n], next: buf[n:], psi: make([]float64, space.FeatureLen())}
}

// Set puts the chain into the member y and its counters to 0.
func (s *State) Set(space structure.Space, score structure.Scores, y []int32) {
	copy(s.Y, y)
	s.Steps, s.Accepted = 0, 0
	s.Rescore(space, score)
}

// Rescore computes Value anew, without the rounding of the steps.
func (s *State) Rescore(space structure.Space, score structure.Scores) {
	space.Embed(s.psi, s.Y)
	s.Value = score.Value(s.psi)
}

// move makes next, of the given score, the present state.
func (s *State) move(value float64) {
	s.Y, s.next = s.next, s.Y
	s.Value = value
	s.Accepted++
}

// Accepts decides on a proposal that gains as much, with the probability min(1, exp(gain)) of Metropolis et al. (1953).
func Accepts(gain float64, rng *rand.Rand) bool { return gain >= 0 || rng.ExpFloat64() >= -gain }
