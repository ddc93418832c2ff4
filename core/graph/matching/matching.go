// Package matching finds matchings of largest weight in general graphs: sets of edges of which no two share a vertex.
//
// It is Edmonds' algorithm (1965), in whose primal–dual form every vertex has a price y, every odd set of vertices that
// was shrunk to a blossom a price z, and an edge of weight w a slack y_u + y_v + Σ z − 2w ≥ 0, the sum being over the
// blossoms that hold both its ends. Trees of alternately unmatched and matched edges without slack grow from all single
// vertices at a time; an edge between two trees gives a larger matching, one within a tree a new blossom, and where there
// is neither the prices change. At the end Σ y/2 + Σ z (|B|−1)/4 equals the weight of the matching, which proves it.
//
// Weights are rounded to integers first, so that no slack is ever compared up to rounding. Cost: O(m) for each change of
// prices, of which there are O(n) for each of at most n/2 matched pairs.
package matching

import (
	"math"
	"math/bits"
)

// Edge joins two different vertices.
type Edge struct{ U, V int32 }

// scaleBits is the number of bits of the largest rounded weight of a component: what prices add up to fits an int64 for
// all of 2¹⁶ vertices, and with fewer bits for more.
const scaleBits = 44

// Largest marks the edges of a matching of largest weight on the vertices 0..n−1 in chosen, and returns an upper bound on
// the weight of all matchings: that of the chosen one, beside rounding. Weights must be finite and n at most 2²⁴; edges of
// negative weight or 0 are left out. poll may be nil; otherwise it is called before each change of prices, and its first
// error ends the work and is returned.
//
// Weights are rounded to 2⁻⁴⁴ of the largest of their component. So the chosen matching may fall short of the best by as
// much for each edge, which the bound takes into account.
func Largest(chosen []bool, n int, edges []Edge, weights []float64, poll func() error) (bound float64, err error) {
	clear(chosen)
	local := make([]int32, n) // number of a vertex in its component
	for _, component := range components(n, edges, weights) {
		vertices, largest := 0, 0.0
		for _, i := range component {
			largest = max(largest, weights[i])
			local[edges[i].U], local[edges[i].V] = -1, -1
		}
		for _, i := range component {
			for _, v := range [2]int32{edges[i].U, edges[i].V} {
				if local[v] < 0 {
					local[v] = int32(vertices)
					vertices++
				}
			}
		}
		_, exponent := math.Frexp(largest)
		exponent -= min(scaleBits, 60-bits.Len(uint(vertices)))
		s := newSearch(vertices)
		for _, i := range component {
			if scaled := int64(math.RoundToEven(math.Ldexp(weights[i], -exponent))); scaled > 0 {
				s.add(Edge{local[edges[i].U], local[edges[i].V]}, scaled, i)
			}
		}
		if err := s.run(poll); err != nil {
			return 0, err
		}
		// What the prices prove for rounded weights, and half a unit for each edge that rounding may hide.
		gap := float64(s.dual())/4 + float64(vertices/2)/2
		for v, e := range s.matched {
			if e >= 0 && s.edges[e].u == int32(v) {
				chosen[s.edges[e].number] = true
				bound += weights[s.edges[e].number]
				gap += 0.5 - float64(s.edges[e].weight)
			}
		}
		bound += math.Ldexp(gap, exponent)
	}
	return bound, nil
}

// components returns the numbers of the edges of positive weight in each connected component.
func components(n int, edges []Edge, weights []float64) (parts [][]int) {
	root := make([]int32, n)
	for v := range root {
		root[v] = int32(v)
	}
	find := func(v int32) int32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	for i, e := range edges {
		if weights[i] > 0 {
			root[find(e.U)] = find(e.V)
		}
	}
	number := make([]int32, n) // of the component with a root, from 1 on
	for i, e := range edges {
		if weights[i] <= 0 {
			continue
		}
		r := find(e.U)
		if number[r] == 0 {
			parts = append(parts, nil)
			number[r] = int32(len(parts))
		}
		parts[number[r]-1] = append(parts[number[r]-1], i)
	}
	return parts
}
