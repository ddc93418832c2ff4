package kbest

import (
	"math"
	"slices"

	"combpred/core/structure"
)

// pairsCompared is the number of sibling pairs from which it is seen whether all pairs have the same total score.
const pairsCompared = 256

// pairs walks over the outputs of a sibling system and their siblings, with the scores of both, until yield returns false.
func (l *lister) pairs(yield func(y, other []int32, value, otherValue float64) bool) error {
	mirror := l.space.Facts().Mirror
	enumerator, listed := l.space.(structure.Enumerator)
	if mirror == nil || !listed {
		return lacks(l.space, "pairs of outputs whose embeddings add up to the same vector (a sibling system), and a list of them")
	}
	other := make([]int32, l.space.PartLen())
	psi := make([]float64, l.space.FeatureLen())
	value := func(y []int32) float64 {
		l.space.Embed(psi, y)
		return l.score.Value(psi)
	}
	at := 0
	for y := range enumerator.All() {
		if at%pollEvery == 0 {
			if err := l.mon.Err(); err != nil {
				return err
			}
		}
		at++
		mirror(other, y)
		if !yield(y, other, value(y), value(other)) {
			return nil
		}
	}
	return nil
}

// level reports whether outputs come in pairs whose scores add up to the same number, as they do in sibling systems without
// magnitudes. With magnitudes the sum of ψ² over a pair, weighted by them, must be the same for all pairs. The first outputs of the
// list suffice to see this, as lists vary the last entries first.
func (l *lister) level() bool {
	most := pairsCompared
	if l.score.Magnitude == nil {
		most = 1
	}
	low, high := math.Inf(1), math.Inf(-1)
	err := l.pairs(func(_, _ []int32, value, other float64) bool {
		low, high = min(low, value+other), max(high, value+other)
		most--
		return most > 0
	})
	return err == nil && high-low <= 8*l.slack
}

// siblings lists every output y with s(y) ≥ ½(max s + min s) once, in lexicographic order of pairs.
//
// In a sibling system outputs come in pairs whose scores add up to max s + min s. So the better output of each pair is listed, or
// both if they are tied. A pair is examined when its lexicographically smaller output comes. No decoding is needed, and outputs come
// in incremental polynomial time (Vembu, 2010, section 5.4.2, whose loop as printed yields each output twice).
func (l *lister) siblings(yield emit) error {
	total := math.NaN()
	uneven := false
	err := l.pairs(func(y, other []int32, value, otherValue float64) bool {
		if math.IsNaN(total) {
			total = value + otherValue
		}
		if math.Abs(value+otherValue-total) > 8*l.slack {
			uneven = true
			return false
		}
		order := slices.Compare(y, other)
		if order > 0 {
			return true
		}
		if value >= otherValue-l.slack && !yield(y, value) {
			return false
		}
		return order == 0 || otherValue < value-l.slack || yield(other, otherValue)
	})
	if uneven {
		return lacks(l.space, "pairs of outputs whose scores add up to the same number, which these scores of squares do not give")
	}
	return err
}
