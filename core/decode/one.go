package decode

import "combpred/core/structure"

// One decodes a score vector, writing the output to dst. stream is the number of its random stream; only Anneal and Metropolis use it.
type One func(dst []int32, score structure.Scores, stream int) (structure.Certificate, error)

// NewOne returns what decodes single score vectors by the method, for callers whose rows depend on one another. It is not
// safe for concurrent use. poll is called every few milliseconds at sizes that take longer, and its first error ends the
// work. Scores have to be finite and small enough to add up, as structure.CheckScores says.
func NewOne(space structure.Space, method Method, seed uint64, poll func() error) (One, error) {
	one, err := decoderOf(space, method, seed, poll)
	return func(dst []int32, score structure.Scores, stream int) (structure.Certificate, error) {
		return one(dst, score, 0, uint64(stream))
	}, err
}
