package structure

import (
	"errors"
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/slicex"
)

// Agreeing returns the space of the outputs of s that agree with what is known of one, in parts; nil where that is a whole output. It says
// what is wrong where y is neither, and where no output of s agrees with it, such as under conditions that contradict it. A space of whole
// outputs alone knows no others. Cost: that of Within.
func Agreeing(s Space, y []int32) (Space, error) {
	base := s
	if r, ok := s.(interface{ whole() (Space, Mask) }); ok {
		base, _ = r.whole()
	}
	p, ok := base.(PartialEmbedder)
	if !ok || base.Check(y) == nil {
		return nil, s.Check(y)
	}
	if err := p.CheckPartial(y); err != nil {
		return nil, err
	}
	within, err := Within(s, p.Known(y))
	if errors.Is(err, ErrNone) {
		return nil, errDisagrees
	}
	return within, err
}

// errDisagrees is about outputs known in part of which nothing is left under conditions.
var errDisagrees = fault.Value("no output agrees both with what is known and with the conditions")

// MaskWithin returns the mask of a space that Within has returned; of others that which allows all outputs.
func MaskWithin(s Space) Mask {
	if r, ok := s.(interface{ whole() (Space, Mask) }); ok {
		_, mask := r.whole()
		return mask
	}
	return NewMask()
}

// EmbedKnown writes ψ of an output of which all or only a part is known to dst, of what is known in part the mean over the outputs that
// agree with it, or says what is wrong with it. Nothing is written where dst is nil.
func EmbedKnown(s Space, dst []float64, y []int32) error {
	embed := s.Embed
	err := s.Check(y)
	if p, ok := s.(PartialEmbedder); ok && err != nil {
		embed, err = p.EmbedPartial, p.CheckPartial(y)
	}
	if err == nil && dst != nil {
		embed(dst, y)
	}
	return err
}

// moving are the outputs that agree with what is known of one, for chains: moves that leave them are not made. Spaces with such outputs
// change one label at a time, and what is known is about pairs of known labels, or single ones: from every output that agrees, moves of
// labels that are not known, and of those behind a list of the best, lead to every other.
type moving struct {
	*restricted
	Searcher
	Proposer
	psi pool[[]float64]
}

// Moving returns a space of Agreeing as one whose outputs chains move between; without conditions alone, which moves may not lead around.
func Moving(agreeing Space, conditions bool) (Space, error) {
	if _, moves := agreeing.(Proposer); moves { // nothing is known
		return agreeing, nil
	}
	var r *restricted
	switch s := agreeing.(type) {
	case *searchedEnumerated:
		r = s.restricted
	case *searched:
		r = s.restricted
	}
	if r != nil && !conditions {
		searcher, searches := r.engine.(Searcher)
		if proposer, moves := r.all.(Proposer); moves && searches {
			return &moving{restricted: r, Searcher: searcher, Proposer: proposer}, nil
		}
	}
	return nil, &CapabilityError{Structure: Describe(agreeing), Alternatives: "take partial='mean'",
		Need: "exact sums over the outputs that agree with what is known, or moves between them"}
}

func (m *moving) Facts() Facts {
	f := m.restricted.Facts()
	f.Moves.Gain = m.all.Facts().Moves.Gain
	return f
}

func (m *moving) Propose(dst, y []int32, rng *rand.Rand) {
	psi := m.psi.get()
	defer m.psi.put(psi)
	*psi = slicex.Grow(*psi, m.FeatureLen())
	if m.Proposer.Propose(dst, y, rng); !m.allows(*psi, dst) {
		copy(dst, y)
	}
}
