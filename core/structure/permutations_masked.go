package structure

import (
	"math/big"

	"combpred/core/ordering"
)

// maskedPermutations computes on the rankings that a mask allows. Of two labels either one is before the other, so that a mask leaves
// open which, or requires it: the rankings are the linear extensions of what is required and what follows from that.
type maskedPermutations struct {
	all    permutations
	before *ordering.Partial
}

var (
	_ maskable = permutations{}
	_ engine   = (*maskedPermutations)(nil)
	_ Searcher = (*maskedPermutations)(nil)
)

// under costs O(n²) and what it takes to close the order.
func (p permutations) under(m *Mask) (engine, error) {
	before, err := orderedPairs{p.pairs, m.Entries, Minus | Plus, "label", p.names}.order()
	return &maskedPermutations{p, before}, err
}

func (e *maskedPermutations) facts() Facts {
	return Facts{Sums: sumsOf(e.all.partitionCost), Positions: e.positions}
}

// count is known up to the sizes that are summed over.
func (e *maskedPermutations) count() *big.Int {
	count, err := e.before.Count(nil)
	if err != nil {
		return nil
	}
	return new(big.Int).SetUint64(count)
}

// Decode is that of all rankings, whose components are those of scores and requirements together.
func (e *maskedPermutations) Decode(dst []int32, score Scores) (Certificate, error) {
	return e.all.decode(dst, score, e.before)
}

// Start sorts labels as that of all rankings does, as far as that is allowed. Nu is 1 unless the ranking is optimal.
func (e *maskedPermutations) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return e.all.start(dst, score, e.before, poll)
}

// Search is that of all rankings with those moves that are allowed. Nu is as for Start.
func (e *maskedPermutations) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	return e.all.search(dst, score, e.before, poll)
}

// LogPartition sums over those sets of first labels that lack no label which is required before one of them.
func (e *maskedPermutations) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return e.all.logPartition(marginals, scores, e.before, poll)
}

func (e *maskedPermutations) Distribution(scores []float64, poll func() error) (Draw, error) {
	return e.all.distribution(scores, e.before, poll)
}

func (e *maskedPermutations) positions(dst, scores []float64, poll func() error) error {
	return e.all.positionsWithin(dst, scores, e.before, poll)
}
