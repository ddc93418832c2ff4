package spanning

import (
	"math/rand/v2"
	"slices"

	"combpred/core/logsum"
)

// MaxDrawn is the largest number of vertices of a graph from which a Sampler draws: a complete one takes 180 megabytes there.
const MaxDrawn = 1 << 9

// Sampler draws spanning trees with probability proportional to exp of the sum of their weights.
//
// Elimination is run backwards. Let T be a tree of the network without vertex k, whose star its mesh replaces. Each edge of
// T is that of the mesh with the probability of its share in the conductance. Without those edges T falls into parts, and k
// is joined to each of them by one edge of its star, chosen by conductance: the trees that lead to one T with given mesh
// edges weigh Π (conductance from k to a part), and T's mesh edges, summed over the ways to join the parts by them, weigh
// that divided by the star's total, by Cayley's formula. A walk on the graph (Wilson, 1996) draws from the same distribution,
// but takes exponentially long where conductances are of different orders. It is not safe for concurrent use.
type Sampler struct {
	g       *Graph
	t       *logElimination
	edgeAt  []int32    // of each entry of col: the edge of the graph, −1 for one that elimination made
	tree    [][2]int32 // edges between places, the smaller one first
	index   []int32    // of a place among the neighbours of the vertex at hand, −1 for others
	logs    []float64
	members [][]int32 // the neighbours in each part, by the part's root
	forest  Forest
}

// NewSampler eliminates the vertices. The graph must have at most MaxDrawn vertices. An error of poll, which may be nil, ends the work and
// is returned. Cost: that of LogSum in time and memory.
func (g *Graph) NewSampler(weight []float64, poll func() error) (*Sampler, error) {
	t, err := g.eliminateLogs(weight, true, poll)
	if err != nil {
		return nil, err
	}
	s := &Sampler{g: g, t: t, edgeAt: make([]int32, len(t.col)), index: make([]int32, g.n), members: make([][]int32, g.n)}
	for i := range s.edgeAt {
		s.edgeAt[i] = -1
	}
	for i, at := range t.edges {
		s.edgeAt[at] = int32(i)
	}
	for i := range s.index {
		s.index[i] = -1
	}
	return s, nil
}

// DrawTo writes the 0/1 membership of the edges in a random tree. Cost: nearly O(n²).
func (s *Sampler) DrawTo(dst []int32, rng *rand.Rand) {
	s.tree = s.tree[:0]
	for k := s.g.n - 2; k >= 0; k-- {
		s.restore(k, rng)
	}
	clear(dst)
	for _, e := range s.tree {
		at, _ := slices.BinarySearch(s.t.later(int(e[0])), e[1])
		dst[s.edgeAt[s.t.first[e[0]]+at]] = 1
	}
}

// restore turns a tree on the places behind k into one that has k in it.
func (s *Sampler) restore(k int, rng *rand.Rand) {
	star := s.t.later(k)
	for i, u := range star {
		s.index[u] = int32(i)
	}
	s.forest.Reset(s.g.n)
	kept := s.tree[:0]
	for _, e := range s.tree {
		i, j := s.index[e[0]], s.index[e[1]]
		if i >= 0 && j >= 0 && rng.Float64() < s.share(k, int(i), int(j)) {
			continue // an edge of the mesh
		}
		s.forest.Join(e[0], e[1])
		kept = append(kept, e)
	}
	for i, u := range star {
		root := s.forest.Root(u)
		s.members[root] = append(s.members[root], int32(i))
		s.index[u] = -1
	}
	for _, u := range star { // parts in the order of their first neighbour
		part := s.members[s.forest.Root(u)]
		if len(part) == 0 {
			continue
		}
		s.logs = s.logs[:0]
		for _, i := range part {
			s.logs = append(s.logs, s.t.star[s.t.first[k]+int(i)])
		}
		kept = append(kept, [2]int32{int32(k), star[part[logsum.Pick(s.logs, rng)]]})
		s.members[s.forest.Root(u)] = part[:0]
	}
	s.tree = kept
}

// share returns what the mesh of place k has in the edge between its neighbours i < j.
func (s *Sampler) share(k, i, j int) float64 {
	degree := len(s.t.later(k))
	return s.t.share[s.t.shares[k]+i*(2*degree-i-1)/2+j-i-1]
}
