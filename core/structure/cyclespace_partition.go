package structure

import "math"

var _ Partitioner = cycleSpace{}

// LogPartition sums over sets of vertices, as Decode maximises. It returns a *LimitError beyond 16 vertices. Cost: O(2ⁿ n²), with marginals
// about thrice that.
func (c cycleSpace) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	if err := c.checkSum(); err != nil {
		return 0, err
	}
	return sumTours(c, nil, marginals, scores, poll)
}

// Distribution costs O(n²) for each output.
func (c cycleSpace) Distribution(scores []float64, poll func() error) (Draw, error) {
	if err := c.checkSum(); err != nil {
		return nil, err
	}
	return drawTours(c, nil, scores, poll)
}

func (c cycleSpace) checkSum() error {
	if c.n <= exactCycle { // what follows builds a text
		return nil
	}
	return checkSumSize("the exact sum over all "+c.what(), "vertices", c.n, exactCycle)
}

// sumCost returns the cost of LogPartition, +Inf where there are too many vertices.
func (c cycleSpace) sumCost(marginals bool) float64 {
	if c.n > exactCycle {
		return math.Inf(1)
	}
	return tourCost(c.n, marginals)
}
