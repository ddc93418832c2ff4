package structure

import "math/rand/v2"

var _ Proposer = directedCycles{}

func (c directedCycles) Propose(dst, y []int32, rng *rand.Rand) {
	fromSmallest(dst[:cycleMoves.propose(dst, y, rng)])
}

// gain costs O(n).
func (c directedCycles) gain(z, y []int32, score Scores) float64 {
	return c.sum(z, score) - c.sum(y, score)
}

// sum returns the score of a cycle.
func (c directedCycles) sum(y []int32, score Scores) (sum float64) {
	k := visited(y)
	u := y[k-1]
	for _, v := range y[:k] {
		pair := c.pair(int(u), int(v))
		sum += sign(u < v)*score.Linear[pair] + score.magnitude(pair)
		u = v
	}
	return sum
}
