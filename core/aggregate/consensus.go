package aggregate

import (
	"cmp"
	"math"
)

// Method says how to look for a consensus. For Kendall's distance:
type Method int

const (
	Auto        Method = iota // Exact for groups that are small enough, LocalSearch for others
	Exact                     // by recursion over subsets, or lists of partial orders; a *structure.LimitError beyond their sizes
	MILP                      // orders only: by an integer program that the caller has solved
	LP                        // orders only: rounds the linear relaxation of it
	Pivot                     // orders only: puts what beats a pivot before it, and so on
	RandomPivot               // orders only: the same with random pivots
	LocalSearch               // improves an order by small changes, from several starts
	BestInput                 // the best of the rankings, its ties broken by others
	BordaCount                // what Borda does
	Assignment                // what Footrule does
	MedianRanks               // what MedianRank does
)

var methodNames = []string{"auto", "exact", "milp", "lp", "pivot", "random-pivot", "local-search", "best-input", "borda", "footrule",
	"median-rank"}

func (m Method) String() string {
	if m < 0 || int(m) >= len(methodNames) {
		return "unknown"
	}
	return methodNames[m]
}

// Guarantee says what is known beforehand of the distance of a consensus.
type Guarantee struct {
	// Ratio bounds the distance: it is at most Ratio times the least one. 0 where nothing is guaranteed.
	Ratio float64
	// Expected says that Ratio bounds the mean over the random choices of the method, not each of its results.
	Expected bool
	// Reason says where Ratio comes from, or why there is none.
	Reason string
}

// weakness orders guarantees, the weakest last.
func (g Guarantee) weakness() float64 {
	if g.Ratio == 0 {
		return math.Inf(1)
	}
	return g.Ratio
}

// Consensus is the result of a method, and what is known about it.
type Consensus struct {
	// Positions of the items, 1 for the first, tied items sharing one; nil for a partial order.
	Positions []int32
	// Relation of a partial order by rows, k×k: whether u is before v; nil for others.
	Relation []bool
	// Distance is the weighted sum of the distances to the rankings.
	Distance float64
	// LowerBound: no consensus of this kind has a smaller distance.
	LowerBound float64
	Guarantee
	// Optimal says that no consensus has a smaller distance; Ratio is 1 then.
	Optimal bool
	// Method is the one that was used.
	Method Method
	// StandardError of Distance where partial orders were replaced by samples of their linear extensions; otherwise 0.
	StandardError float64
}

// CertifiedRatio returns Distance over LowerBound, which bounds its ratio to the least distance and is proven from the numbers
// at hand; infinite for a bound of 0 below the distance.
func (c *Consensus) CertifiedRatio() float64 {
	if c.Distance <= c.LowerBound {
		return 1
	}
	return c.Distance / c.LowerBound
}

// Order returns the items from first to last, tied ones in ascending order; nil for a partial order.
func (c *Consensus) Order() []int32 {
	if c.Positions == nil {
		return nil
	}
	return argsort(len(c.Positions), func(u, v int32) int { return cmp.Compare(c.Positions[u], c.Positions[v]) })
}

// rounding error of sums of costs, relative to these.
const roundingError = 1e-12

// conclude completes a consensus that has a distance, a lower bound and a guarantee: it is optimal, too, where its distance is the
// bound, up to rounding in sums of up to scale.
func (c *Consensus) conclude(scale float64) *Consensus {
	if c.Optimal || c.Distance <= c.LowerBound+roundingError*scale {
		c.Optimal, c.LowerBound, c.Guarantee = true, c.Distance, optimal
	}
	c.LowerBound = min(c.LowerBound, c.Distance)
	return c
}
