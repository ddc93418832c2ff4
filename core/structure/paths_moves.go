package structure

import "math/rand/v2"

var _ Proposer = (*paths)(nil)

// Propose draws a place among as many as a longest path has arcs. If the path has an arc there, it goes on from this
// arc's tail by a uniform path to the target; otherwise nothing changes. A move and its way back draw one of the places
// up to which the two paths agree, and then one path out of the same set. Place 0 leads everywhere. Cost: that of drawing
// the rest.
func (p *paths) Propose(dst, y []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), p.longest)
	copy(dst, y)
	place := rng.IntN(p.longest)
	if a := y[place]; a >= 0 {
		p.walkTo(dst[place:], p.arcs[a].tail, rng)
	}
}

// moveGaps: to go on from place k is to take the mean over all paths that begin with the same k arcs, and the moves are the mean of these
// projections over the places, each of which keeps what those before it keep. So their eigenvalues are 1 − k/n for n places, with k = 1
// only if there are several first arcs.
func (p *paths) moveGaps() (below, above float64) { return 1 / float64(p.longest), 1 }
