package chain

import (
	"math/rand/v2"

	"combpred/core/structure"
)

// Independence is META (Vembu, 2010, ch. 6): every proposal is a uniform output, whatever the present one, accepted by
// the rule of Metropolis. With β = E exp(h − max h) under the uniform distribution, the distance to p in total variation
// falls by 1 − β a step, from the worst start exactly so (Liu, 1996).
type Independence struct {
	space   structure.Space
	sampler structure.Sampler
	score   structure.Scores
}

var _ Kernel = (*Independence)(nil)

// NewIndependence returns the chain, or a *structure.CapabilityError where no exactly uniform sampler is known.
func NewIndependence(space structure.Space, score structure.Scores) (*Independence, error) {
	sampler, err := samplerOf(space)
	return &Independence{space: space, sampler: sampler, score: score}, err
}

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

// Step costs one uniform output and its embedding.
func (k *Independence) Step(s *State, rng *rand.Rand) {
	s.Steps++
	k.sampler.Sample(s.next, rng)
	k.space.Embed(s.psi, s.next)
	if value := k.score.Value(s.psi); accepts(value-s.Value, rng) {
		s.move(value)
	}
}
