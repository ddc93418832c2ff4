package structure

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"combpred/core/combin"
)

// Renaming the places and reversing routes leave Σ alone, which splits R^d into few spaces. Let f be a number for each
// place, adding to 0, and let out_f, in_f, start_f and end_f be the features weighted by f at the place that they leave,
// enter, start from or end at. With the counts of routeCounts and K routes in all, the eigenspaces are
//
//	length     the vector of all arcs: the variance of their number over n(n−1);
//	visits     two spaces of combinations of out_f + in_f and start_f + end_f, see visitSpaces;
//	direction  of out_f − in_f and start_f − end_f. A place is left as often as it is entered, the depot included, so ψ has
//	           the same product S with both, of squared lengths 2n and 2, where f has length 1. So Σ has rank 1 here, along
//	           (out_f − in_f)/2n + (start_f − end_f)/2, and the eigenvalue E S²·(1/2n + 1/2) = (start + ends)(n+1)/(nK);
//	edges      arcs that count alike in both directions, adding to 0 at each place: (arc − 2 chain + 2 disjoint)/K;
//	turns      arcs that count oppositely in both directions, adding to 0 at each place: (arc + 2 chain)/K.
//
// The starts add to 1, as do the ends: Σ annihilates them. All spaces but the last two are small; edges and turns are the
// last space of pairScheme and the cycles of pairs on the sums and differences of opposite arcs.

// routeSpace is one eigenspace: the sum of its parts, whose frames stand side by side.
type routeSpace struct {
	value float64
	parts []routePart
}

// routePart is one of the spaces above, or a part of visits.
type routePart struct {
	kind routeKind
	// Where f is given at places, the unit vectors are arcs·(out_f ± in_f) + ends·(start_f ± end_f).
	arcs, ends float64
}

type routeKind int

const (
	routeLength    routeKind = iota // the frame has one column
	routeVisits                     // one for each place, signs +
	routeDirection                  // one for each place, signs −
	routeEdges                      // one for each pair of places
	routeTurns                      // one for each pair of places
)

// eigenspaces returns those with a positive eigenvalue, the largest first.
func (r routes) eigenspaces() []routeSpace {
	c, n := r.counts(), int64(r.n)
	one := func(value float64, kind routeKind, arcs, ends float64) routeSpace {
		return routeSpace{value, []routePart{{kind, arcs, ends}}}
	}
	direction := combin.Ratio(weighted(term{n + 1, c.start}, term{n + 1, c.ends}), weighted(term{n, c.all}))
	unit := 1 / math.Sqrt(float64(2*n+2))
	spaces := []routeSpace{one(direction, routeDirection, unit/math.Sqrt(float64(n)), unit*math.Sqrt(float64(n)))}
	if n > 2 {
		spaces = append(spaces, one(r.lengthVariance(), routeLength, 0, 0))
		spaces = append(spaces, r.visitSpaces()...)
		turns := weighted(term{1, c.arc}, term{2, c.chain})
		spaces = append(spaces, one(combin.Ratio(turns, c.all), routeTurns, 0, 0))
	}
	if n > 3 {
		edges := weighted(term{1, c.arc}, term{-2, c.chain}, term{2, c.disjoint})
		spaces = append(spaces, one(combin.Ratio(edges, c.all), routeEdges, 0, 0))
	}
	slices.SortFunc(spaces, func(a, b routeSpace) int { return cmp.Compare(b.value, a.value) })
	return spaces
}

// lengthVariance is that of the number of arcs over n(n−1): an arc follows or precedes 2(n−2) others and is disjoint
// from (n−2)(n−3).
func (r routes) lengthVariance() float64 {
	c, n := r.counts(), int64(r.n)
	variance := weighted(term{1, c.arc}, term{2 * (n - 2), c.chain}, term{(n - 2) * (n - 3), c.disjoint})
	variance.Mul(variance, c.all)
	square := new(big.Int).Mul(c.arc, c.arc)
	variance.Sub(variance, square.Mul(square, big.NewInt(n*(n-1))))
	return combin.Ratio(variance, new(big.Int).Mul(c.all, c.all))
}

// visitSpaces returns the two eigenspaces of out_f + in_f and start_f + end_f, for f of length 1. A place is left and
// entered twice as often as it is visited, less its start and its end: with V and T the sums of f over the places
// visited and over the two ends, ψ has the products X = 2V − T with the first and T with the second. The first has the
// squared length 2(n−2), the second 2, so Σ is the 2×2 matrix of E X²/2(n−2), E XT/2√(n−2) and E T²/2 on the unit
// vectors. Counting places, K·E V² is the number of visits of a place, Σ_{k≥2} k·(n−1)!/(n−k)! = (n−1)·a(n−1), less
// those of two, Σ_{k≥2} k(k−1)·(n−2)!/(n−k)!; K·E VT = 2(start − arc), as arc also counts the routes from one given place
// that visit another; K·E T² = 2(start − ends). For n = 3 the matrix is I/6 and the two are one space.
func (r routes) visitSpaces() []routeSpace {
	c, n := r.counts(), int64(r.n)
	vv := weighted(term{n - 1, combin.Arrangements(r.n - 1)}, term{-1, sumTwoPlaces(r.n - 2)})
	vt := weighted(term{2, c.start}, term{-2, c.arc})
	tt := weighted(term{2, c.start}, term{-2, c.ends})
	xx := weighted(term{4, vv}, term{-4, vt}, term{1, tt})
	xt := weighted(term{2, vt}, term{-1, tt})

	norm := 2 * float64(n-2)
	a := combin.Ratio(xx, c.all) / norm
	b := combin.Ratio(xt, c.all) / math.Sqrt(2*norm)
	d := combin.Ratio(tt, c.all) / 2
	determinant := new(big.Int).Mul(xx, tt)
	determinant.Sub(determinant, new(big.Int).Mul(xt, xt))
	larger := (a + d + math.Hypot(a-d, 2*b)) / 2
	smaller := combin.Ratio(determinant, new(big.Int).Mul(c.all, c.all)) / (2 * norm) / larger
	sin, cos := math.Sincos(math.Atan2(2*b, a-d) / 2)
	first := routePart{routeVisits, cos / math.Sqrt(norm), sin / math.Sqrt2}
	second := routePart{routeVisits, -sin / math.Sqrt(norm), cos / math.Sqrt2}
	if n == 3 {
		return []routeSpace{{larger, []routePart{first, second}}}
	}
	return []routeSpace{{larger, []routePart{first}}, {smaller, []routePart{second}}}
}

// term is a count with a factor.
type term struct {
	factor int64
	count  *big.Int
}

// weighted returns the sum of counts with factors.
func weighted(terms ...term) *big.Int {
	sum := new(big.Int)
	for _, t := range terms {
		sum.Add(sum, new(big.Int).Mul(t.count, big.NewInt(t.factor)))
	}
	return sum
}
