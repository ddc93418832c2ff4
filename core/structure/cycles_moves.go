package structure

import "math/rand/v2"

var _ Proposer = cycles{}

func (c cycles) Propose(dst, y []int32, rng *rand.Rand) {
	cycle := dst[:cycleMoves.propose(dst, y, rng)]
	fromSmallest(cycle)
	normalDirection(cycle)
}

// gain costs O(n).
func (c cycles) gain(z, y []int32, score Scores) float64 { return c.sum(z, score) - c.sum(y, score) }

// sum returns the score of a cycle.
func (c cycles) sum(y []int32, score Scores) (sum float64) {
	k := visited(y)
	u := y[k-1]
	for _, v := range y[:k] {
		sum += score.indicator(c.pair(int(u), int(v)))
		u = v
	}
	return sum
}
