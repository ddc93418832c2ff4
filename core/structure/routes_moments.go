package structure

import (
	"math/big"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/combin"
)

// Renaming the places maps routes to routes, so the moments follow from how many routes contain one or two given
// features. With a(m) = Σ_i m!/(m−i)!, the number of sequences of different places out of m,
//
//	all       Σ_{k≥2} n!/(n−k)! = a(n) − 1 − n;
//	start     a given place comes first, at least one of the others follows: a(n−1) − 1;
//	ends      a given place comes first and another given one last, or an arc u→v comes first: a(n−2);
//	arc       u→v is one of the i+1 places that the arc and i others, m = n−2, fill: Σ_i (i+1)·m!/(m−i)! = m·a(m) + 1;
//	chain     u→v→w, or u→v behind a given other start: the same sum with m = n−3;
//	disjoint  two arcs without a common place, in either order, among i others, m = n−4:
//	          Σ_i (i+1)(i+2)·m!/(m−i)! = (m²+m+1)·a(m) + m + 1.
//
// The sums come from Σ_i (m−i)·m!/(m−i)! = a(m) − 1 and Σ_i (m−i)(m−i−1)·m!/(m−i)! = a(m) − 1 − m. Every other pair of
// features excludes one another: two starts, two ends, two arcs out of or into one place or back and forth, an arc into
// the start or out of the end, a start that is the end.

// routeCounts are those numbers.
type routeCounts struct{ all, start, ends, arc, chain, disjoint *big.Int }

func (r routes) countRoutes() routeCounts {
	one := big.NewInt(1)
	c := routeCounts{
		all:      combin.Arrangements(r.n),
		start:    combin.Arrangements(r.n - 1),
		ends:     combin.Arrangements(r.n - 2),
		arc:      sumPlaces(r.n - 2),
		chain:    sumPlaces(r.n - 3),
		disjoint: sumTwoPlaces(r.n - 4),
	}
	c.all.Sub(c.all, big.NewInt(int64(r.n+1)))
	c.start.Sub(c.start, one)
	return c
}

// sumPlaces returns Σ_i (i+1)·m!/(m−i)! = m·a(m) + 1, or 0 for m < 0.
func sumPlaces(m int) *big.Int {
	sum := new(big.Int)
	if m >= 0 {
		sum.Mul(big.NewInt(int64(m)), combin.Arrangements(m))
		sum.Add(sum, big.NewInt(1))
	}
	return sum
}

// sumTwoPlaces returns Σ_i (i+1)(i+2)·m!/(m−i)! = (m²+m+1)·a(m) + m + 1, or 0 for m < 0.
func sumTwoPlaces(m int) *big.Int {
	sum := new(big.Int)
	if k := int64(m); m >= 0 {
		sum.Mul(big.NewInt(k*k+k+1), combin.Arrangements(m))
		sum.Add(sum, big.NewInt(k+1))
	}
	return sum
}

func (r routes) Mean(dst []float64) {
	mustLen("dst", len(dst), r.FeatureLen())
	c := r.counts()
	arcs := r.n * (r.n - 1)
	fill(dst[:arcs], combin.Ratio(c.arc, c.all))
	fill(dst[arcs:], combin.Ratio(c.start, c.all))
}

// SecondMoment costs O(d²).
func (r routes) SecondMoment(dst blas64.General) {
	d := r.FeatureLen()
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	c := r.counts()
	start, ends := combin.Ratio(c.start, c.all), combin.Ratio(c.ends, c.all)
	chain := combin.Ratio(c.chain, c.all)
	for v := range r.n {
		atStart, atEnd := row(dst, r.start(v)), row(dst, r.end(v))
		fill(atStart[:r.start(0)], chain)
		fill(atEnd[:r.start(0)], chain)
		clear(atStart[r.start(0):])
		clear(atEnd[r.start(0):])
		for w := range r.n {
			if w == v {
				atStart[r.start(v)], atEnd[r.end(v)] = start, start
				continue
			}
			atStart[r.arc(v, w)], atStart[r.arc(w, v)], atStart[r.end(w)] = ends, 0, ends
			atEnd[r.arc(w, v)], atEnd[r.arc(v, w)], atEnd[r.start(w)] = ends, 0, ends
		}
	}
	for u := range r.n {
		for v := range r.n {
			if v != u {
				r.arcMoments(row(dst, r.arc(u, v)), u, v, c)
				for w := range r.n {
					dst.Data[r.arc(u, v)*dst.Stride+r.start(w)] = dst.Data[r.start(w)*dst.Stride+r.arc(u, v)]
					dst.Data[r.arc(u, v)*dst.Stride+r.end(w)] = dst.Data[r.end(w)*dst.Stride+r.arc(u, v)]
				}
			}
		}
	}
}

// arcMoments writes the second moments of the arc u→v with all arcs to the beginning of dst.
func (r routes) arcMoments(dst []float64, u, v int, c routeCounts) {
	fill(dst[:r.start(0)], combin.Ratio(c.disjoint, c.all))
	chain := combin.Ratio(c.chain, c.all)
	for w := range r.n {
		if w != u && w != v {
			dst[r.arc(u, w)], dst[r.arc(w, v)] = 0, 0
			dst[r.arc(v, w)], dst[r.arc(w, u)] = chain, chain
		}
	}
	dst[r.arc(v, u)] = 0
	dst[r.arc(u, v)] = combin.Ratio(c.arc, c.all)
}
