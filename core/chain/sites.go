package chain

import (
	"math"
	"math/rand/v2"

	"combpred/core/structure"
)

// sites are what chains on a lattice of sets change one at a time: elements and their scores. As ψ(y) = y, an element
// that comes gains the same whatever else is in.
type sites struct {
	lattice structure.Lattice
	gain    []float64 // of each element that comes
}

func newSites(space structure.Space, score structure.Scores) (sites, error) {
	lattice := space.Facts().Lattice
	if lattice == nil {
		return sites{}, &structure.CapabilityError{
			Structure: structure.Describe(space),
			Need: "a lattice: its members are sets, single elements can be added and removed, and unions and intersections are " +
				"members, too",
		}
	}
	gain := append([]float64(nil), score.Linear...)
	for i, m := range score.Magnitude {
		gain[i] += m
	}
	return sites{lattice, gain}, nil
}

// Cube is the chain MC_cube (Vembu, 2010, app. C.3), on the hypercube and other lattices of sets: it draws an element and
// whether it is to be in, and accepts by the rule of Metropolis where the result is a member. Equal draws keep
// inclusions between states. On the hypercube of d elements it mixes to ε in 2d ln(d/ε) steps, see MixingBoundCube.
type Cube struct{ sites }

// HeatBath draws an element and redraws whether it is in from its distribution given all others, where both are
// members. Equal draws keep inclusions between states.
type HeatBath struct {
	sites
	chance []float64 // of each element to be in, given that it may be in or out
}

var (
	_ Kernel = (*Cube)(nil)
	_ Kernel = (*HeatBath)(nil)
)

// NewCube returns the chain, or a *structure.CapabilityError for spaces that are no Lattice.
func NewCube(space structure.Space, score structure.Scores) (*Cube, error) {
	s, err := newSites(space, score)
	return &Cube{s}, err
}

// NewHeatBath returns the chain, or a *structure.CapabilityError for spaces that are no Lattice.
func NewHeatBath(space structure.Space, score structure.Scores) (*HeatBath, error) {
	s, err := newSites(space, score)
	k := &HeatBath{sites: s, chance: make([]float64, len(s.gain))}
	for i, g := range s.gain {
		k.chance[i] = 1 / (1 + math.Exp(-g))
	}
	return k, err
}

// Step costs one look at the element's neighbours.
func (k *Cube) Step(s *State, rng *rand.Rand) {
	s.Steps++
	draw := rng.IntN(2 * len(k.gain))
	i, in := draw/2, int32(draw%2)
	if s.Y[i] == in {
		s.Accepted++
		return
	}
	gain := k.gain[i]
	if in == 0 {
		gain = -gain
	}
	if k.lattice.Movable(s.Y, i) && Accepts(gain, rng) {
		s.Y[i] = in
		s.Value += gain
		s.Accepted++
	}
}

// Step costs one look at the element's neighbours.
func (k *HeatBath) Step(s *State, rng *rand.Rand) {
	s.Steps++
	s.Accepted++
	i, u := k.draw(rng)
	before := s.Y[i]
	k.set(s.Y, i, u)
	s.Value += float64(s.Y[i]-before) * k.gain[i]
}

// draw draws an element and the uniform number that decides on it.
func (k *HeatBath) draw(rng *rand.Rand) (i int, u float64) {
	return rng.IntN(len(k.gain)), rng.Float64()
}

// set decides on element i of y by the uniform number u. Uniform numbers are multiples of 2⁻⁵³: an element is decided
// wrongly with at most that probability.
func (k *HeatBath) set(y []int32, i int, u float64) {
	if !k.lattice.Movable(y, i) {
		return
	}
	y[i] = 0
	if u < k.chance[i] {
		y[i] = 1
	}
}
