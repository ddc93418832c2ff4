package structure

import (
	"cmp"
	"math/rand/v2"
)

var _ Proposer = (*weakOrders)(nil)

// Propose takes a random label out and puts it on a random one of the k places of the others or on one of its own, before,
// between or behind these: 2k + 1 choices, as many as for the way back. Cost: O(n).
func (w *weakOrders) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), w.n)
	moved := rng.IntN(w.n)
	alone, last := true, int32(0)
	for label, rank := range y {
		alone = alone && (label == moved || rank != y[moved])
		last = max(last, rank)
	}
	places := last
	if alone {
		places--
	}
	to := int32(rng.IntN(2*int(places) + 1))
	joins := to < places
	if !joins {
		to -= places // before place to+1 of the others
	}
	for label, rank := range y {
		if alone && rank > y[moved] {
			rank--
		}
		if !joins && rank > to {
			rank++
		}
		dst[label] = rank
	}
	dst[moved] = to + 1
}

// gain adds up the pairs of the label that moved. The first label with a pair that changed is that one if several of its
// pairs did, and otherwise the other label of its one pair may be taken to be. Cost: O(n) where the first labels have such
// pairs, O(n²) at worst.
func (w *weakOrders) gain(z, y []int32, score Scores) float64 {
	for label := range z {
		changes, other := 0, 0
		for v := range z {
			if cmp.Compare(z[label], z[v]) != cmp.Compare(y[label], y[v]) {
				changes, other = changes+1, v
			}
		}
		switch changes {
		case 0:
			continue
		case 1:
			return w.pairsOf(other, z, score) - w.pairsOf(other, y, score)
		}
		return w.pairsOf(label, z, score) - w.pairsOf(label, y, score)
	}
	return 0
}

// pairsOf returns the part of the score that comes from the pairs of one label.
func (w *weakOrders) pairsOf(label int, y []int32, score Scores) (sum float64) {
	for v, rank := range y {
		if v == label {
			continue
		}
		pair := w.pair(label, v)
		if rank == y[label] {
			sum += score.indicator(w.len() + pair)
			continue
		}
		sum += score.magnitude(pair) + sign((y[label] < rank) == (label < v))*score.Linear[pair]
	}
	return sum
}
