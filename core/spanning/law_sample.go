package spanning

import (
	"math/rand/v2"
	"slices"

	"combpred/core/logsum"
)

// MaxDrawn is the largest number of vertices of a graph from whose weighted law trees are drawn: a complete one takes 180
// megabytes there.
const MaxDrawn = 1 << 9

// Law draws spanning trees with probability proportional to exp of the sum of their weights.
//
// Elimination is run backwards. Let T be a tree of the network without vertex k, whose star its mesh replaces. Each edge of
// T is that of the mesh with the probability of its share in the conductance. Without those edges T falls into parts, and k
// is joined to each of them by one edge of its star, chosen by conductance: the trees that lead to one T with given mesh
// edges weigh Π (conductance from k to a part), and T's mesh edges, summed over the ways to join the parts by them, weigh
// that divided by the star's total, by Cayley's formula. A walk on the graph (Wilson, 1996) draws the same law, but takes
// exponentially long where conductances are of different orders. It is not safe for concurrent use.
type Law struct {
	g       *Graph
	t       *logElimination
	edgeAt  []int32    // of each entry of col: the edge of the graph, −1 for one that elimination made
	tree    [][2]int32 // edges between places, the smaller one first
	index   []int32    // of a place among the neighbours of the vertex at hand, −1 for others
	logs    []float64
	members [][]int32 // the neighbours in each part, by the part's root
	forest  Forest
}

// NewLaw eliminates. The graph must have at most MaxDrawn vertices. An error of poll, which may be nil, ends the work and
// is returned. Cost: that of LogSum in time and memory.
func (g *Graph) NewLaw(weight []float64, poll func() error) (*Law, error) {
	t, err := g.eliminateLogs(weight, true, poll)
	if err != nil {
		return nil, err
	}
	l := &Law{g: g, t: t, edgeAt: make([]int32, len(t.col)), index: make([]int32, g.n), members: make([][]int32, g.n)}
	for i := range l.edgeAt {
		l.edgeAt[i] = -1
	}
	for i, at := range t.edges {
		l.edgeAt[at] = int32(i)
	}
	for i := range l.index {
		l.index[i] = -1
	}
	return l, nil
}

// DrawTo writes the 0/1 membership of the edges in a random tree. Cost: nearly O(n²).
func (l *Law) DrawTo(dst []int32, rng *rand.Rand) {
	l.tree = l.tree[:0]
	for k := l.g.n - 2; k >= 0; k-- {
		l.restore(k, rng)
	}
	clear(dst)
	for _, e := range l.tree {
		at, _ := slices.BinarySearch(l.t.later(int(e[0])), e[1])
		dst[l.edgeAt[l.t.first[e[0]]+at]] = 1
	}
}

// restore turns a tree on the places behind k into one that has k in it.
func (l *Law) restore(k int, rng *rand.Rand) {
	star := l.t.later(k)
	for i, u := range star {
		l.index[u] = int32(i)
	}
	l.forest.Reset(l.g.n)
	kept := l.tree[:0]
	for _, e := range l.tree {
		i, j := l.index[e[0]], l.index[e[1]]
		if i >= 0 && j >= 0 && rng.Float64() < l.share(k, int(i), int(j)) {
			continue // an edge of the mesh
		}
		l.forest.Join(e[0], e[1])
		kept = append(kept, e)
	}
	for i, u := range star {
		root := l.forest.Root(u)
		l.members[root] = append(l.members[root], int32(i))
		l.index[u] = -1
	}
	for _, u := range star { // parts in the order of their first neighbour
		part := l.members[l.forest.Root(u)]
		if len(part) == 0 {
			continue
		}
		l.logs = l.logs[:0]
		for _, i := range part {
			l.logs = append(l.logs, l.t.star[l.t.first[k]+int(i)])
		}
		kept = append(kept, [2]int32{int32(k), star[part[logsum.Pick(l.logs, rng)]]})
		l.members[l.forest.Root(u)] = part[:0]
	}
	l.tree = kept
}

// share returns what the mesh of place k has in the edge between its neighbours i < j.
func (l *Law) share(k, i, j int) float64 {
	degree := len(l.t.later(k))
	return l.t.share[l.t.shares[k]+i*(2*degree-i-1)/2+j-i-1]
}
