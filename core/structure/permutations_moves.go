package structure

import "math/rand/v2"

var _ Proposer = permutations{}

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

// gain adds up the pairs of the label that moved, the one whose position changed most. Cost: O(n).
func (p permutations) gain(z, y []int32, score Scores) (gain float64) {
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

// moveGaps are those of the random-to-random shuffle, no eigenvalue of which is negative (Dieker and Saliola, 2018).
func (p permutations) moveGaps() (below, above float64) {
	if p.n == 1 {
		return 1, 1
	}
	n := float64(p.n)
	return (n + 2) / (n * n), 1
}
