package chain

import (
	"errors"
	"math"

	"combpred/core/structure"
)

// UpperBound returns a proven bound on the scores of all outputs: the largest one from the exact decoder, or the bound
// that the structure's guaranteed solution certifies where that is beyond its size. The nearer it is to the largest
// score, the sooner exact samplers end: one that is too large by g costs exp(g) times as many proposals.
// Structures that have neither are a *structure.CapabilityError.
func UpperBound(space structure.Space, score structure.Scores, poll func() error) (float64, error) {
	y := make([]int32, space.PartLen())
	if decoder, ok := space.(structure.Decoder); ok {
		cert, err := decoder.Decode(y, score)
		if err == nil {
			return cert.UpperBound, nil
		}
		if _, tooLarge := errors.AsType[*structure.LimitError](err); !tooLarge {
			return 0, err
		}
	}
	searcher, ok := space.(structure.Searcher)
	if !ok {
		return 0, boundless(space)
	}
	cert, err := searcher.Start(y, score, poll)
	return cert.UpperBound, err
}

// checkBounded returns a *structure.CapabilityError for a structure for which UpperBound knows no bound on any scores.
func checkBounded(space structure.Space) error {
	if is[structure.Searcher](space) || is[structure.Decoder](space) && !space.Facts().TooLargeToDecode {
		return nil
	}
	return boundless(space)
}

func boundless(space structure.Space) error {
	return &structure.CapabilityError{
		Structure: structure.Describe(space),
		Need:      "a decoder, to bound the scores of all outputs",
	}
}

// slack is the rounding that is allowed between a bound and a score, relative to the sum of the terms of the scores.
const slack = 1e-9

// checkBound returns a *BoundError if a score is above the bound by more than rounding.
func checkBound(value, bound, total float64) error {
	if value > bound+slack*(total+math.Abs(value)) {
		return &BoundError{Value: value, Bound: bound}
	}
	return nil
}

// total returns the sum of the magnitudes of all scores.
func total(score structure.Scores) (sum float64) {
	for _, v := range score.Linear {
		sum += math.Abs(v)
	}
	for _, v := range score.Magnitude {
		sum += math.Abs(v)
	}
	return sum
}
