// Package affine makes the losses between outputs that are affine in ψ and its squares, so that a loss can be added to scores and the
// output of largest loss plus score is found by decoding.
//
// All come from D(y, z) = ‖ψ(y) − ψ(z)‖₁. In 0/1 embeddings D is the number of entries that differ; in embeddings with signs it is the
// number of arcs or ordered pairs that only one of the two has.
package affine

import (
	"errors"
	"fmt"
	"math"

	"combpred/core/linalg"
	"combpred/core/maxmargin"
)

// Entries are the values that the entries of ψ take.
type Entries int

const (
	Bits          Entries = iota // 0 and 1
	Signs                        // −1 and 1
	SignsAndZeros                // −1, 0 and 1
	SignsAndTies                 // a first half of −1, 0 and 1, and a second one that is 1 where the first is 0
)

// Cost is a loss.
type Cost int

const (
	Hamming Cost = iota // D; of trees the nodes that only one of both holds
	Kendall             // D/2 over the entries with signs: discordant pairs, a pair tied in one of both counting one half
	ZeroOne             // of classes, whose ψ has a single 1: D/2, which is 1 for different ones
)

// New returns the losses against outputs with the embeddings psi. A row that is the mean over several outputs has the mean of their
// losses, if entries are Bits or Signs. Counted, unless nil, are the entries of Bits that losses count.
func New(psi linalg.Matrix[float64], entries Entries, cost Cost, counted []bool) (maxmargin.Loss, error) {
	switch {
	case entries < Bits || entries > SignsAndTies:
		return maxmargin.Loss{}, fmt.Errorf("affine: there are no entries number %d", entries)
	case cost < Hamming || cost > ZeroOne:
		return maxmargin.Loss{}, fmt.Errorf("affine: there is no cost number %d", cost)
	case cost == Kendall && entries == Bits:
		return maxmargin.Loss{}, errors.New("affine: Kendall's distance is one of signs, not of entries 0 and 1")
	case cost == ZeroOne && entries != Bits:
		return maxmargin.Loss{}, errors.New("affine: the zero-one loss is one of entries 0 and 1, not of signs")
	case counted != nil && (entries != Bits || len(counted) != psi.Cols):
		return maxmargin.Loss{}, fmt.Errorf("affine: %d entries to be counted of %d, which is for entries 0 and 1", len(counted), psi.Cols)
	case entries == SignsAndTies && psi.Cols%2 != 0:
		return maxmargin.Loss{}, fmt.Errorf("affine: signs and ties in %d entries, which is not an even number", psi.Cols)
	}
	l := maxmargin.Loss{Constant: make([]float64, psi.Rows), Gradient: linalg.NewMatrix[float64](psi.Rows, psi.Cols)}
	if entries == SignsAndZeros {
		l.Magnitude = linalg.NewMatrix[float64](psi.Rows, psi.Cols)
	}
	scale := 1.0
	if cost != Hamming {
		scale = 0.5
	}
	zeros := false
	for i := range psi.Rows {
		gradient := l.Gradient.Row(i)
		for j, v := range psi.Row(i) {
			switch {
			case entries == Bits: // |a − z| = a + (1 − 2a)z
				if counted == nil || counted[j] {
					l.Constant[i] += scale * v
					gradient[j] = scale * (1 - 2*v)
				}
			case entries == Signs: // |a − z| = 1 − az, and the mean of that for means a
				l.Constant[i] += scale
				gradient[j] = -scale * v
			case entries == SignsAndZeros: // |a − z| = |a| − az for a = ±1, z² for a = 0
				l.Constant[i] += scale * math.Abs(v)
				gradient[j] = -scale * v
				if v == 0 {
					l.Magnitude.Row(i)[j], zeros = scale, true
				}
			case j < psi.Cols/2: // and z² = 1 − τ for the tie τ of z
				l.Constant[i] += scale
				gradient[j] = -scale * v
			default:
				gradient[j] = -scale * v
				if cost == Hamming {
					l.Constant[i] += scale * v
					gradient[j] += scale * (1 - 2*v)
				}
			}
		}
	}
	if !zeros {
		l.Magnitude = linalg.Matrix[float64]{}
	}
	return l, nil
}
