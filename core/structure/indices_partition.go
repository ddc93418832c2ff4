package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/fault"
	"combpred/core/logsum"
)

// indexed is a space of few outputs, each of them a single part, whose scores are found for all of them together: a
// softmax then has the partition function, the marginals and the samples.
type indexed interface {
	Space
	// outputs returns the number of outputs, output the part of the one of the given number.
	outputs() int
	output(i int) int32
	// scoresTo writes ⟨s, ψ(y)⟩ for each output to dst.
	scoresTo(dst, s []float64)
	// averageTo writes Σ p ψ(y) to dst for the probabilities p of the outputs, which it may overwrite.
	averageTo(dst, p []float64)
}

func partitionIndexed(x indexed, marginals, scores []float64) (float64, error) {
	values, err := indexedScores(x, scores)
	if err != nil {
		return 0, err
	}
	if marginals == nil {
		return logsum.Of(values), nil
	}
	mustLen("marginals", len(marginals), x.FeatureLen())
	logZ := logsum.SoftmaxTo(values, values)
	x.averageTo(marginals, values)
	return logZ, nil
}

// distributeIndexed draws by binary search in a table.
func distributeIndexed(x indexed, scores []float64) (Draw, error) {
	values, err := indexedScores(x, scores)
	if err != nil {
		return nil, err
	}
	table := logsum.NewTable(values)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), 1)
		dst[0] = x.output(table.Draw(rng))
	}, nil
}

// indexedScores returns the score of each output. Only those of a list may overflow: its ψ is of any size.
func indexedScores(x indexed, scores []float64) ([]float64, error) {
	mustLen("scores", len(scores), x.FeatureLen())
	values := make([]float64, x.outputs())
	x.scoresTo(values, scores)
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fault.Value("the score of member %d overflows, scale the scores down", i)
		}
	}
	return values, nil
}
