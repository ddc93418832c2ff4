package structure

import "slices"

var _ PartialEmbedder = (*weakOrders)(nil)

// CheckPartial accepts dense ranks of the labels that are known: 1 for the first place, tied labels on the same place, no place empty.
func (w *weakOrders) CheckPartial(y []int32) error {
	return w.checkRanks(y, unknown, "ranks are whole numbers from 1 on, none left out, or 0 where they are unknown")
}

// ReadPartial takes −1 and NaN for unknown ranks, and gives the others their dense ranks.
func (w *weakOrders) ReadPartial(dst []int32, row []float64) error {
	return w.readRanks(dst, row, "positions are finite numbers from 0 on, compared by their order, or -1 where they are unknown")
}

// EmbedPartial averages over the rankings of all labels that have the known ones in the same order, with the same ties. Cost: O(n²).
//
// If the known labels have t ranks and u labels are unknown, f(u, t) rankings are left, where f(0, t) = 1 and f(u, t) = t f(u−1, t) +
// (t+1) f(u−1, t+1): a label joins one of the ranks, or gets one of its own in one of the t+1 gaps. Merging a label with one that it is
// tied with leaves f(u−1, t), so that an unknown label is tied with any other one, known or not, with probability q = f(u−1, t)/f(u, t).
// It is in each of the gaps equally often, with probability r = (1 − tq)/(t+1), and so before the label of rank a with probability
// (a−1)q + ar, and behind it with probability (t−a)q + (t+1−a)r.
func (w *weakOrders) EmbedPartial(dst []float64, y []int32) {
	mustLen("dst", len(dst), w.FeatureLen())
	mustLen("y", len(y), w.n)
	left, ranks := 0, int32(0)
	for _, rank := range y {
		ranks = max(ranks, rank)
		if rank == unknown {
			left++
		}
	}
	if left == 0 {
		w.Embed(dst, y)
		return
	}
	t := float64(ranks)
	q := tiedWith(left, int(ranks))
	step := q + (1-t*q)/(t+1)
	signs, ties := dst[:w.len()], dst[w.len():]
	clear(dst)
	pair := 0
	for u, rank := range y {
		for _, other := range y[u+1:] {
			switch {
			case rank == unknown && other == unknown:
				ties[pair] = q
			case other == unknown:
				signs[pair], ties[pair] = (t+1-2*float64(rank))*step, q
			case rank == unknown:
				signs[pair], ties[pair] = (2*float64(other)-t-1)*step, q
			case rank == other:
				ties[pair] = 1
			default:
				signs[pair] = sign(rank < other)
			}
			pair++
		}
	}
}

// Known orders or ties the pairs of labels that are both known.
func (w *weakOrders) Known(y []int32) Mask {
	m, d := NewMask(), w.FeatureLen()
	pair := 0
	for u, rank := range y {
		for _, other := range y[u+1:] {
			switch {
			case rank == unknown || other == unknown:
			case rank == other:
				m.Limit(d, pair, Zero)
				m.Limit(d, w.len()+pair, Plus)
			default:
				m.Limit(d, pair, only(int8(sign(rank < other))))
				m.Limit(d, w.len()+pair, Zero)
			}
			pair++
		}
	}
	return m
}

// tiedWith returns f(u−1, t)/f(u, t) for f as of EmbedPartial and u > 0.
func tiedWith(u, t int) float64 {
	f := make([]float64, u+1) // f[s] is f(k, t+s), up to a factor
	fill(f, 1)
	for k := 1; ; k++ {
		before := f[0]
		for s := range u + 1 - k {
			at := float64(t + s)
			f[s] = at*f[s] + (at+1)*f[s+1]
		}
		if k == u {
			return before / f[0]
		}
		most := slices.Max(f[:u+1-k])
		for s := range u + 1 - k {
			f[s] /= most
		}
	}
}
