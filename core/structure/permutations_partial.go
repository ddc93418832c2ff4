package structure

import (
	"fmt"
	"math"
	"slices"

	"combpred/core/fault"
)

var _ PartialEmbedder = permutations{}

// unknown is the position of a label about which nothing is known. Positions of the others count by their order alone.
const unknown = 0

// CheckPartial accepts positions from 1 to n, of which some are unknown, or the last is shared, but not both in one row. Labels that
// share the last position are those that a list of the best ones leaves out: they stand behind all others, of which there is at
// least one, in an unknown order.
func (p permutations) CheckPartial(y []int32) error {
	mustLen("y", len(y), p.n)
	at := make([]int32, p.n)
	first, last := int32(p.n), slices.Max(y)
	for _, pos := range y {
		if pos != unknown {
			first = min(first, pos)
		}
	}
	missing := slices.Index(y, unknown)
	for label, pos := range y {
		if pos == unknown {
			continue
		}
		if pos < 0 || int(pos) > p.n {
			return wrongPart(y, label, p.names, p.formatPartial(unknown))
		}
		other := int(at[pos-1]) - 1
		at[pos-1] = int32(label + 1)
		switch {
		case other < 0:
		case missing >= 0:
			return fault.Value("labels %s and %s share position %d, and that of label %s is unknown; a ranking has either "+
				"unknown positions or a tie at its end: take the structure of rankings with ties", p.names.of(other),
				p.names.of(label), pos, p.names.of(missing))
		case pos != last || pos == first:
			return fault.Value("labels %s and %s share position %d; only the last position may be shared, by the labels behind "+
				"a list of the best ones: take the structure of rankings with ties", p.names.of(other), p.names.of(label), pos)
		}
	}
	return nil
}

// notKnown reports whether a number in data stands for a position that is not known.
func notKnown(position float64) bool { return position == -1 || math.IsNaN(position) }

// ReadPartial takes −1 and NaN for unknown positions. If labels share the last position, those before it are numbered without gaps, so
// that no position reaches n.
func (p permutations) ReadPartial(dst []int32, row []float64) error {
	if !slices.ContainsFunc(row, notKnown) {
		if i := wholeTo(dst, row); i >= 0 {
			return wrongNumber(row, i, p.names, p.Format())
		}
		err := p.Check(dst)
		if err == nil || slices.Min(dst) < 1 || p.CheckPartial(dst) != nil {
			return err
		}
		positions := slices.Clone(dst)
		for u, pos := range positions {
			dst[u] = 1
			for _, other := range positions {
				if other < pos {
					dst[u]++
				}
			}
		}
		return nil
	}
	for i, x := range row {
		if notKnown(x) {
			dst[i] = unknown
			continue
		}
		if dst[i] = int32(x); float64(dst[i]) != x || x < 1 || x > float64(p.n) {
			return wrongNumber(row, i, p.names, p.formatPartial(-1))
		}
	}
	return p.CheckPartial(dst)
}

// formatPartial is Format where some positions are not known, which a number stands for.
func (p permutations) formatPartial(instead int) string {
	return fmt.Sprintf("%s, or %d where they are unknown", p.Format(), instead)
}

// EmbedPartial averages over the linear extensions of the known labels' order. Of the m + 1 gaps that m known labels leave, a label
// that is not known falls into each equally often, so it is before the known label of rank r in r/(m+1) of the extensions; labels
// that share the last position have the mean of their ranks. Two of these, and two unknown labels, precede one another equally often.
func (p permutations) EmbedPartial(dst []float64, y []int32) {
	mustLen("dst", len(dst), p.FeatureLen())
	mustLen("y", len(y), p.n)
	place := make([]float64, p.n) // r/(m+1) of a known label, the mean ½ of an unknown one
	known := 0
	for u, pos := range y {
		rank := 0.5
		for _, other := range y {
			switch {
			case other == unknown:
			case other < pos:
				rank++
			case other == pos:
				rank += 0.5
			}
		}
		place[u] = rank
		if pos != unknown {
			known++
		}
	}
	for u, pos := range y {
		place[u] /= float64(known + 1)
		if pos == unknown {
			place[u] = 0.5
		}
	}
	pair := 0
	for u, pos := range y {
		for v := u + 1; v < p.n; v++ {
			dst[pair] = 2 * (place[v] - place[u])
			switch {
			case pos == unknown || y[v] == unknown:
			case pos == y[v]:
				dst[pair] = 0
			default:
				dst[pair] = sign(pos < y[v])
			}
			pair++
		}
	}
}

// Known orders the pairs of labels whose order is known.
func (p permutations) Known(y []int32) Mask {
	m := NewMask()
	pair := 0
	for u, pos := range y {
		for _, other := range y[u+1:] {
			if pos != unknown && other != unknown && pos != other {
				m.Limit(p.FeatureLen(), pair, only(int8(sign(pos < other))))
			}
			pair++
		}
	}
	return m
}
