// Package affine makes the losses between outputs that are affine in ψ and its squares, so that a loss can be added to scores and the
// output of largest loss plus score is found by decoding.
//
// All come from D(y, z) = ‖ψ(y) − ψ(z)‖₁. In 0/1 embeddings D is the number of entries that differ; in embeddings with signs it is the
// number of arcs or ordered pairs that only one of the two has. Losses of trees that count a node only below right ones are not made of D,
// and affine all the same: a node of y is the outermost wrong one where z has its parent and not itself.
package affine

import (
	"math"

	"combpred/core/fault"
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
	// The H-loss of Cesa-Bianchi, Gentile and Zaniboni (2006): the nodes that only one of both holds, and whose ancestors are in both.
	HLoss
	// The same, where a node weighs as much as its parent divided by its siblings and itself, the root 1 (Rousu et al. 2006).
	HLossSibling
)

// New returns the losses against outputs with the embeddings psi. A row that is the mean over several outputs has the mean of their
// losses, if entries are Bits or Signs. Counted, unless nil, are the entries of Bits that losses count. Parent, of the H-losses alone, has
// the parents of the nodes of a tree, −1 for the root; outputs hold the parents of their nodes then.
func New(psi linalg.Matrix[float64], entries Entries, cost Cost, counted []bool, parent []int32) (maxmargin.Loss, error) {
	ofTree := cost == HLoss || cost == HLossSibling
	switch {
	case entries < Bits || entries > SignsAndTies:
		return maxmargin.Loss{}, fault.Value("there are no entries number %d", entries)
	case cost < Hamming || cost > HLossSibling:
		return maxmargin.Loss{}, fault.Value("there is no cost number %d", cost)
	case cost == Kendall && entries == Bits:
		return maxmargin.Loss{}, fault.Value("Kendall's distance is one of signs, not of entries 0 and 1")
	case (cost == ZeroOne || ofTree) && entries != Bits:
		return maxmargin.Loss{}, fault.Value("the zero-one loss and H-losses are of entries 0 and 1, not of signs")
	case ofTree != (parent != nil):
		return maxmargin.Loss{}, fault.Value("H-losses, and no others, take the parents of nodes")
	case counted != nil && (entries != Bits || ofTree || len(counted) != psi.Cols):
		return maxmargin.Loss{}, fault.Value("%d entries to be counted of %d, which is for Hamming and zero-one losses of entries 0 and 1",
			len(counted), psi.Cols)
	case entries == SignsAndTies && psi.Cols%2 != 0:
		return maxmargin.Loss{}, fault.Value("signs and ties in %d entries, which is not an even number", psi.Cols)
	case ofTree:
		return hierarchical(psi, parent, cost == HLossSibling)
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
