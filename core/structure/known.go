package structure

import (
	"errors"

	"combpred/core/fault"
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
