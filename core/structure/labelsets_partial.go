package structure

import (
	"math"
	"slices"

	"combpred/core/fault"
)

// labelledRows are the label sets of data, of which some labels may not be known. Other sets of labels are known as a whole.
type labelledRows struct{ labelSets }

var (
	_ PartialEmbedder = labelledRows{}
	_ PartialEmbedder = (*observedSets)(nil)
)

// maybe stands for a label of which nobody knows whether it is in a set.
const maybe = -1

// CheckPartial accepts 0 and 1, and −1 for labels that are not known. Sets of one size must be able to have it.
func (l labelledRows) CheckPartial(y []int32) error {
	mustLen("y", len(y), l.n)
	taken, left := 0, 0
	for i, v := range y {
		switch v {
		case 0:
		case 1:
			taken++
		case maybe:
			left++
		default:
			return wrongPart(y, i, l.names, l.formatPartial())
		}
	}
	if l.size >= 0 && (taken > l.size || taken+left < l.size) {
		return fault.Value("the set has %d labels, and %d more that are unknown; size=%d asks for %d", taken, left, l.size, l.size)
	}
	return nil
}

func (l labelSets) formatPartial() string {
	return l.Format() + ", 0 where it does not, and -1 (or NaN) where that is unknown"
}

// ReadPartial takes −1 and NaN for labels that are not known.
func (l labelledRows) ReadPartial(dst []int32, row []float64) error {
	return readMaybe(dst, row, l.names, l.formatPartial(), l.CheckPartial)
}

func readMaybe(dst []int32, row []float64, names Names, format string, check func([]int32) error) error {
	for i, x := range row {
		if math.IsNaN(x) {
			x = maybe
		}
		if dst[i] = int32(x); float64(dst[i]) != x {
			return wrongNumber(row, i, names, format)
		}
	}
	return check(dst)
}

// EmbedPartial gives a label that is not known the probability ½, or, in sets of one size, the share of the unknown labels that are in.
func (l labelledRows) EmbedPartial(dst []float64, y []int32) {
	mustLen("dst", len(dst), l.n)
	share := 0.5
	if left := count(y, maybe); l.size >= 0 && left > 0 {
		share = float64(l.size-count(y, 1)) / float64(left)
	}
	for i, v := range y {
		if dst[i] = float64(v); v == maybe {
			dst[i] = share
		}
	}
}

func count(y []int32, value int32) (n int) {
	for _, v := range y {
		if v == value {
			n++
		}
	}
	return n
}

// Known takes the labels that are in, and leaves out those that are not.
func (l labelledRows) Known(y []int32) Mask {
	m := NewMask()
	for i, v := range y {
		if v != maybe {
			m.Limit(l.n, i, only(int8(v)))
		}
	}
	return m
}

func (o *observedSets) rows() labelledRows { return labelledRows{o.all} }

// CheckPartial accepts what agrees with an observed set.
func (o *observedSets) CheckPartial(y []int32) error {
	if err := o.rows().CheckPartial(y); err != nil {
		return err
	}
	if !slices.ContainsFunc(o.sets, func(set []int32) bool { return agrees(set, y) }) {
		return fault.Value("none of the %d observed sets, which alone have a probability, agrees with what is known", len(o.sets))
	}
	return nil
}

// agrees reports whether a set is one of those that are known in part as y.
func agrees(set, y []int32) bool {
	for i, v := range y {
		if v != maybe && v != set[i] {
			return false
		}
	}
	return true
}

func (o *observedSets) ReadPartial(dst []int32, row []float64) error {
	return readMaybe(dst, row, o.all.names, o.all.formatPartial(), o.CheckPartial)
}

// EmbedPartial averages over the observed sets that agree with what is known.
func (o *observedSets) EmbedPartial(dst []float64, y []int32) {
	mustLen("dst", len(dst), o.all.n)
	clear(dst)
	agreeing := 0.0
	for _, set := range o.sets {
		if agrees(set, y) {
			agreeing++
			for i, v := range set {
				dst[i] += float64(v)
			}
		}
	}
	for i := range dst {
		dst[i] /= agreeing
	}
}

func (o *observedSets) Known(y []int32) Mask { return o.rows().Known(y) }
