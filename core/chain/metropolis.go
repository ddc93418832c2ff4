package chain

import (
	"math/rand/v2"

	"combpred/core/structure"
)

// HoldOneIn is the number of steps of NewLocal's chain of which one stays where it is.
const HoldOneIn = 8

// Metropolis accepts a symmetric proposal that gains g with probability min(1, exp(β·g)) (Metropolis et al., 1953).
type Metropolis struct {
	space    structure.Space
	proposer structure.Proposer
	gain     func(z, y []int32, score structure.Scores) float64 // of a move; nil where that takes the embedding
	score    structure.Scores
	beta     float64
	lazy     bool // one step in HoldOneIn stays
}

var _ Kernel = (*Metropolis)(nil)

// NewMetropolis returns the chain of some proposals. β is the inverse of a temperature, 1 for the distribution of the scores.
func NewMetropolis(space structure.Space, proposer structure.Proposer, score structure.Scores, beta float64) *Metropolis {
	k := &Metropolis{space: space, proposer: proposer, score: score, beta: beta}
	if _, drawn := proposer.(Uniform); !drawn {
		k.gain = space.Facts().Moves.Gain
	}
	return k
}

// NewLocal returns the chain of the structure's own moves, or a *structure.CapabilityError for structures without.
//
// Moves may be periodic: one that adds or drops an element changes between sets of even and of odd size, and where all outputs
// score alike every move is accepted. So one step in eight, drawn at random, stays: an eigenvalue λ of the chain becomes
// 1/8 + 7λ/8, none is less than −3/4, and the time that the slowest one takes grows by 1/7.
func NewLocal(space structure.Space, score structure.Scores) (*Metropolis, error) {
	proposer, ok := space.(structure.Proposer)
	if !ok {
		return nil, &structure.CapabilityError{
			Structure: structure.Describe(space),
			Need:      "local moves, for chains of them",
		}
	}
	k := NewMetropolis(space, proposer, score, 1)
	k.lazy = true
	return k, nil
}

// NewIndependence returns META (Vembu, 2010, section 6.6.2), or a *structure.CapabilityError where no exactly uniform sampler is
// known: every proposal is a uniform output, whatever the present one. With β = E exp(h − max h) under the uniform distribution, the
// distance to p in total variation falls by 1 − β a step, from the worst start exactly so (Liu, 1996).
func NewIndependence(space structure.Space, score structure.Scores) (*Metropolis, error) {
	sampler, err := samplerOf(space)
	if err != nil {
		return nil, err
	}
	return NewMetropolis(space, Uniform{sampler}, score, 1), nil
}

// Uniform proposes what a sampler draws.
type Uniform struct{ structure.Sampler }

// Propose writes a uniform output to dst.
func (u Uniform) Propose(dst, _ []int32, rng *rand.Rand) { u.Sample(dst, rng) }

// samplerOf returns the exactly uniform sampler of a space.
func samplerOf(space structure.Space) (structure.Sampler, error) {
	sampler, ok := space.(structure.Sampler)
	if !ok {
		return nil, &structure.CapabilityError{
			Structure: structure.Describe(space),
			Need:      "a uniform sampler, for proposals",
		}
	}
	return sampler, nil
}

// Step costs one proposal and what it gains: by the structure's Gain, or by an embedding.
func (k *Metropolis) Step(s *State, rng *rand.Rand) {
	s.Steps++
	if k.lazy && rng.Uint64N(HoldOneIn) == 0 {
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
	if Accepts(k.beta*gain, rng) {
		s.move(s.Value + gain)
	}
}
