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

// Kendall reports whether the method is about Kendall's distance.
func (m Method) Kendall() bool { return Auto <= m && m <= BestInput }

// Relational reports whether Kemeny takes the method for consensuses with ties, and for partial orders.
func (m Method) Relational() bool {
	return m == Auto || m == Exact || m == MILP || m == LocalSearch || m == BestInput
}

// Acyclic reports whether Acyclic takes the method.
func (m Method) Acyclic() bool { return m == Auto || m == Exact || m == MILP || m == LocalSearch }

// Programmed reports whether the method needs solutions of programs.
func (m Method) Programmed() bool { return m == MILP || m == LP }

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

// The sources of guarantees.
const (
	zuylen   = "van Zuylen and Williamson (2009)"
	acn      = "Ailon, Charikar and Newman (2008)"
	ailon    = "Ailon (2010)"
	metric   = "the triangle inequality of the distance: a random ranking is at most twice as far as the best consensus"
	broken   = "Ailon (2010): ties of a ranking broken by others"
	triangle = ", as the pairwise counts satisfy the triangle inequality"
)

var optimal = Guarantee{Ratio: 1, Reason: "proven optimal"}

// kind says what is known of rankings whose pairs are weighed.
type kind int

const (
	noKind         kind = iota // nothing
	strictKind                 // they rank all items without ties
	tiesKind                   // they rank all items
	triangularKind             // the weights of pairs satisfy the triangle inequality
)

var orderGuarantees = map[kind]map[Method]Guarantee{
	strictKind: {
		Pivot:       {8.0 / 5, false, zuylen},
		RandomPivot: {11.0 / 7, true, acn},
		LP:          {4.0 / 3, false, acn + ", by conditional expectations"},
		LocalSearch: {2, false, metric},
		BestInput:   {2, false, metric},
	},
	tiesKind: {
		Pivot:       {8.0 / 5, false, zuylen},
		RandomPivot: {8.0 / 5, true, "the analysis of " + zuylen + ", which bounds the mean over pivots"},
		LP:          {3.0 / 2, false, ailon + ", by conditional expectations"},
		LocalSearch: {2, false, broken},
		BestInput:   {2, false, broken},
	},
	triangularKind: {
		Pivot:       {2, false, zuylen + triangle},
		RandomPivot: {2, true, acn + triangle},
		LP:          {3.0 / 2, false, ailon + triangle},
	},
}

// kindOf returns the kind of rankings, or of weights of pairs alone where p is nil. Cost: O(n k log k), and O(k³) for the
// triangle inequality w_uv ≤ w_ux + w_xv.
func kindOf(p *Profile, before matrix, poll func() error) (kind, error) {
	if p != nil && p.complete() {
		if p.strict() {
			return strictKind, nil
		}
		return tiesKind, nil
	}
	var slack float64
	for u := range before.Rows {
		for _, w := range before.Row(u) {
			slack = max(slack, roundingError*w)
		}
	}
	for u := range before.Rows {
		if err := poll(); err != nil {
			return noKind, err
		}
		row := before.Row(u)
		for x, first := range row {
			for v, second := range before.Row(x) {
				if row[v] > first+second+slack {
					return noKind, nil
				}
			}
		}
	}
	return triangularKind, nil
}

// orderGuarantee returns what a method for total orders guarantees.
func orderGuarantee(m Method, k kind) Guarantee {
	if found, ok := orderGuarantees[k][m]; ok {
		return found
	}
	if k == noKind {
		return Guarantee{Reason: "the pairwise counts violate the triangle inequality, as those of rankings with unknown items " +
			"may: then no method with a constant ratio is known"}
	}
	return Guarantee{Reason: "a search without rankings of all items to begin with guarantees nothing"}
}

// relationGuarantee returns what the best ranking guarantees against consensuses with ties or unrelated items.
func relationGuarantee(complete bool, penalty float64) Guarantee {
	switch {
	case !complete:
		return Guarantee{Reason: "pairs with unknown items do not count, so that the distance is no metric"}
	case penalty == 0:
		return Guarantee{Reason: "with penalty=0 the distance is no metric: leaving all items apart is free"}
	case penalty >= 0.5:
		return Guarantee{Ratio: 2, Reason: metric}
	}
	return Guarantee{Ratio: 1 / penalty, Reason: metric + ", up to the factor between penalty and 1/2"}
}
