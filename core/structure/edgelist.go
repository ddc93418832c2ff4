package structure

import "combpred/core/fault"

// edgesOf reads the edges of a simple graph on the vertices 0..n−1, which may have names, from pairs of ends, in their order.
func edgesOf(n int, ints []int32, names Names) ([][2]int32, error) {
	if len(ints)%2 != 0 {
		return nil, fault.Value("edges are pairs of vertices, so they need an even number of integers, not %d",
			len(ints))
	}
	edges := make([][2]int32, len(ints)/2)
	first := make(map[[2]int32]int, len(edges)) // the edge with these ends, the smaller one first
	for i := range edges {
		u, v := ints[2*i], ints[2*i+1]
		for _, w := range [2]int32{u, v} {
			if w < 0 || int(w) >= n {
				return nil, fault.Value("edges[%d] is %s; vertices are whole numbers 0..%d", i, names.pair(int(u), int(v)), n-1)
			}
		}
		if u == v {
			return nil, fault.Value("edges[%d] is %s, a self-loop; leave it out", i, names.pair(int(u), int(v)))
		}
		key := [2]int32{min(u, v), max(u, v)}
		if other, seen := first[key]; seen {
			what := "repeats"
			if edges[other][0] != u {
				what = "is the reverse of"
			}
			return nil, fault.Value("edges[%d] is %s, which %s edges[%d]; leave it out", i, names.pair(int(u), int(v)), what, other)
		}
		first[key] = i
		edges[i] = [2]int32{u, v}
	}
	return edges, nil
}

// completeEdges returns the pairs u < v of n vertices in lexicographic order.
func completeEdges(n int) [][2]int32 {
	edges := make([][2]int32, 0, n*(n-1)/2)
	for u := range int32(n) {
		for v := u + 1; v < int32(n); v++ {
			edges = append(edges, [2]int32{u, v})
		}
	}
	return edges
}

// formatOfEdges is what rows of data hold where outputs are sets of edges.
const formatOfEdges = "edge sets are 0/1 matrices, 1 where the edge belongs to the row"

// checkEdgeMask returns an error that names the first edge whose membership is neither 0 nor 1.
func checkEdgeMask(y []int32, edges [][2]int32, names Names) error {
	mustLen("y", len(y), len(edges))
	if i := notBit(y); i >= 0 {
		return wrongPart(y, i, names.ofCells(Cells{"edges", len(names), endsOf(edges)}), formatOfEdges)
	}
	return nil
}
