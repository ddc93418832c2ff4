package structure

import (
	"cmp"
	"math/rand/v2"
)

// Moves between orders and assignments: one item goes to another place, or two exchange theirs.

var (
	_ Gainer   = permutations{}
	_ Gainer   = (*weakOrders)(nil)
	_ Proposer = assignments{}
)

// Propose takes a random label to a random position, those between moving up by one. Taking it back has the same
// probability. Cost: O(n).
func (p permutations) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), p.n)
	moved := rng.IntN(p.n)
	from, to := y[moved], int32(1+rng.IntN(p.n))
	for label, pos := range y {
		switch {
		case from < pos && pos <= to:
			pos--
		case to <= pos && pos < from:
			pos++
		}
		dst[label] = pos
	}
	dst[moved] = to
}

// Gain adds up the pairs of the label that moved, the one whose position changed most. Cost: O(n).
func (p permutations) Gain(z, y []int32, score Scores) (gain float64) {
	moved, far := 0, int32(0)
	for label, pos := range z {
		if shift := max(pos-y[label], y[label]-pos); shift > far {
			moved, far = label, shift
		}
	}
	for label := range z {
		first := z[moved] < z[label]
		if label == moved || first == (y[moved] < y[label]) {
			continue
		}
		gain += sign(first == (moved < label)) * score.Linear[p.pair(moved, label)]
	}
	return 2 * gain
}

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

// Gain adds up the pairs of the label that moved. The first label with a pair that changed is that one if several of its
// pairs did, and otherwise the other label of its one pair may be taken to be. Cost: O(n) where the first labels have such
// pairs, O(n²) at worst.
func (w *weakOrders) Gain(z, y []int32, score Scores) float64 {
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

// Propose exchanges the columns of two random rows. Cost: O(n).
func (a assignments) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), a.n)
	copy(dst, y)
	if a.n == 1 {
		return
	}
	i := rng.IntN(a.n)
	j := otherIndex(i, a.n, rng)
	dst[i], dst[j] = dst[j], dst[i]
}
