package structure

import (
	"math"
	"math/rand/v2"

	"combpred/core/graph/assignment"
)

var _ Partitioner = assignments{}

var assignmentDistributions pool[assignment.Distribution]

// LogPartition is the logarithm of a permanent, found by a recursion over sets of columns without differences. It returns a
// *LimitError beyond 20 rows. Cost: O(2ⁿ n), with marginals thrice that.
func (a assignments) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	d := assignmentDistributions.get()
	defer assignmentDistributions.put(d)
	logZ, err := a.sum(d, scores, poll)
	if err != nil || marginals == nil {
		return logZ, err
	}
	mustLen("marginals", len(marginals), a.FeatureLen())
	return logZ, d.CellsTo(marginals, poll)
}

// sum loads the scores into a distribution and returns ln Z.
func (a assignments) sum(d *assignment.Distribution, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), a.FeatureLen())
	if a.n > assignment.MaxSummed {
		return 0, tooManyAssigned("rows", a.n)
	}
	copy(d.Reset(a.n), scores)
	return d.Sum(poll)
}

// tooManyAssigned says that there are so many of the rows that unit names.
func tooManyAssigned(unit string, rows int) error {
	return &LimitError{
		What:         "the exact sum over all assignments",
		Size:         rows,
		Unit:         unit,
		Limit:        assignment.MaxSummed,
		Alternatives: "take fewer rows and columns",
	}
}

func (a assignments) partitionCost(marginals bool) float64 { return assignedCost(a.n, marginals) }

// assignedCost is that of summing over so many rows that have a choice.
func assignedCost(rows int, marginals bool) float64 {
	if rows > assignment.MaxSummed {
		return math.Inf(1)
	}
	cost := math.Ldexp(float64(rows), rows)
	if marginals {
		cost *= 3
	}
	return cost
}

// Distribution draws the columns from the last row to the first. Cost: O(n²) for each output.
func (a assignments) Distribution(scores []float64, poll func() error) (Draw, error) {
	d := new(assignment.Distribution)
	if _, err := a.sum(d, scores, poll); err != nil {
		return nil, err
	}
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), a.n)
		d.DrawTo(dst, rng)
	}, nil
}
