package structure

import "math/rand/v2"

var _ Proposer = routes{}

func (r routes) Propose(dst, y []int32, rng *rand.Rand) { routeMoves.propose(dst, y, rng) }

// gain costs O(n).
func (r routes) gain(z, y []int32, score Scores) float64 { return r.sum(z, score) - r.sum(y, score) }

// sum returns the score of a route.
func (r routes) sum(y []int32, score Scores) float64 {
	k := visited(y)
	sum := score.indicator(r.start(int(y[0]))) + score.indicator(r.end(int(y[k-1])))
	for i, v := range y[1:k] {
		sum += score.indicator(r.arc(int(y[i]), int(v)))
	}
	return sum
}
