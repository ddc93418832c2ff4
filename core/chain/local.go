package chain

import (
	"math/rand/v2"

	"combpred/core/structure"
)

// holdOneIn is the number of steps of Local of which one stays where it is.
const holdOneIn = 8

// Local follows the structure's own symmetric moves by the rule of Metropolis. Moves may be periodic: one that adds or
// drops an element changes between sets of even and of odd size, and where all outputs score alike every move is
// accepted. So one step in eight, drawn at random, stays: an eigenvalue λ of the chain becomes 1/8 + 7λ/8, none is less
// than −3/4, and the time that the slowest one takes grows by 1/7.
type Local struct {
	space    structure.Space
	proposer structure.Proposer
	gain     func(z, y []int32, score structure.Scores) float64 // of a move; nil where that takes the embedding
	score    structure.Scores
}

var _ Kernel = (*Local)(nil)

// NewLocal returns the chain, or a *structure.CapabilityError for structures without local moves.
func NewLocal(space structure.Space, score structure.Scores) (*Local, error) {
	proposer, ok := space.(structure.Proposer)
	if !ok {
		return nil, &structure.CapabilityError{
			Structure: structure.Describe(space),
			Need:      "local moves, for chains of them",
		}
	}
	return &Local{space: space, proposer: proposer, gain: space.Facts().Moves.Gain, score: score}, nil
}

// Step costs one move and what it gains, or an embedding.
func (k *Local) Step(s *State, rng *rand.Rand) {
	s.Steps++
	if rng.Uint64N(holdOneIn) == 0 {
		s.Accepted++ // what is proposed is what already is
		return
	}
	k.proposer.Propose(s.next, s.Y, rng)
	var gain float64
	if k.gain != nil {
		gain = k.gain(s.next, s.Y, k.score)
	} else {
		k.space.Embed(s.psi, s.next)
		gain = k.score.Value(s.psi) - s.Value
	}
	if accepts(gain, rng) {
		s.move(s.Value + gain)
	}
}
