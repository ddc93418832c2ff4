package structure

import (
	"math/big"
	"math/rand/v2"

	"combpred/core/ordering"
	"combpred/core/slicex"
)

// maskedPermutations computes on the rankings that a mask allows. Of two labels either one is before the other, so that a mask leaves
// open which, or requires it: the rankings are the linear extensions of what is required and what follows from that.
type maskedPermutations struct {
	all    permutations
	before *ordering.Partial
	groups []labelGroup // all labels of one are before all of the next
}

// labelGroup are labels that rank among themselves whatever the others do.
type labelGroup struct {
	labels []int32
	above  int // how many labels are in the groups before
	before *ordering.Partial
}

var (
	_ maskable = permutations{}
	_ engine   = (*maskedPermutations)(nil)
	_ Searcher = (*maskedPermutations)(nil)
)

// under costs O(n²), and what it takes to close the order.
func (p permutations) under(m *Mask) (engine, error) {
	before, err := orderedPairs{p.pairs, m.Entries, Minus | Plus, "label", p.names}.order()
	if err != nil {
		return nil, err
	}
	e, above := &maskedPermutations{all: p, before: before}, 0
	for _, labels := range before.Summands() {
		e.groups = append(e.groups, labelGroup{labels, above, before.Among(labels)})
		above += len(labels)
	}
	return e, nil
}

func (e *maskedPermutations) facts() Facts {
	return Facts{Sums: sumsOf(e.partitionCost), Positions: e.positions}
}

// count is known where groups have no more labels than are summed over.
func (e *maskedPermutations) count() *big.Int {
	all := big.NewInt(1)
	for _, g := range e.groups {
		count, err := g.before.Count(nil)
		if err != nil {
			return nil
		}
		all.Mul(all, new(big.Int).SetUint64(count))
	}
	return all
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

func (e *maskedPermutations) partitionCost(marginals bool) (cost float64) {
	for _, g := range e.groups {
		cost += g.all().partitionCost(marginals)
	}
	return cost + float64(e.all.len())
}

// all is the space of all rankings of the labels of a group.
func (g *labelGroup) all() permutations { return permutations{pairs: pairs{len(g.labels)}} }

// signed returns the number of a pair of labels, and 1, or −1 where its score counts with the other sign for u before v.
func (e *maskedPermutations) signed(u, v int32) (pair int, sign float64) {
	if u < v {
		return e.all.pair(int(u), int(v)), 1
	}
	return e.all.pair(int(v), int(u)), -1
}

// each visits the pairs of a group by their numbers in it and among all, with the sign that scores have there.
func (g *labelGroup) each(e *maskedPermutations, visit func(own, pair int, sign float64)) {
	own := 0
	for i, u := range g.labels {
		for _, v := range g.labels[i+1:] {
			pair, sign := e.signed(u, v)
			visit(own, pair, sign)
			own++
		}
	}
}

// scores writes the scores of the pairs of a group to dst.
func (e *maskedPermutations) scores(dst, scores []float64, g labelGroup) {
	g.each(e, func(own, pair int, sign float64) { dst[own] = sign * scores[pair] })
}

// LogPartition sums over those sets of first labels of each group that lack no label which is required before one of them. Cost: that of
// all rankings of the labels of each group, at most.
func (e *maskedPermutations) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), e.all.len())
	if marginals != nil {
		mustLen("marginals", len(marginals), e.all.len())
	}
	logZ := e.between(marginals, scores)
	var own, means []float64
	for _, g := range e.groups {
		if len(g.labels) == 1 {
			continue
		}
		all := g.all()
		own = slicex.Grow(own, all.len())
		e.scores(own, scores, g)
		if marginals != nil {
			means = slicex.Grow(means, all.len())
		}
		one, err := all.logPartition(means, own, g.before, poll)
		if err != nil {
			return 0, err
		}
		logZ += one
		if marginals != nil {
			g.each(e, func(own, pair int, sign float64) { marginals[pair] = sign * means[own] })
		}
	}
	return logZ, nil
}

// between returns what pairs of labels of two groups score, and writes their values to marginals unless that is nil.
func (e *maskedPermutations) between(marginals, scores []float64) (sum float64) {
	for k, g := range e.groups {
		for _, below := range e.groups[k+1:] {
			for _, u := range g.labels {
				for _, v := range below.labels {
					pair, sign := e.signed(u, v)
					sum += sign * scores[pair]
					if marginals != nil {
						marginals[pair] = sign
					}
				}
			}
		}
	}
	return sum
}

// Distribution draws each group by itself.
func (e *maskedPermutations) Distribution(scores []float64, poll func() error) (Draw, error) {
	draws := make([]Draw, len(e.groups))
	for k, g := range e.groups {
		all := g.all()
		own := make([]float64, all.len())
		e.scores(own, scores, g)
		var err error
		if draws[k], err = all.distribution(own, g.before, poll); err != nil {
			return nil, err
		}
	}
	positions := make([]int32, e.all.n)
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), e.all.n)
		for k, g := range e.groups {
			own := positions[:len(g.labels)]
			draws[k](own, rng)
			for i, label := range g.labels {
				dst[label] = int32(g.above) + own[i]
			}
		}
	}, nil
}

func (e *maskedPermutations) positions(dst, scores []float64, poll func() error) error {
	mustLen("dst", len(dst), e.all.n*e.all.n)
	clear(dst)
	for _, g := range e.groups {
		all, n := g.all(), len(g.labels)
		own, places := make([]float64, all.len()), make([]float64, n*n)
		e.scores(own, scores, g)
		if err := all.positionsWithin(places, own, g.before, poll); err != nil {
			return err
		}
		for i, label := range g.labels {
			copy(dst[int(label)*e.all.n+g.above:], places[i*n:(i+1)*n])
		}
	}
	return nil
}
