package spanning

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// MaxDrawn bounds the Work of a graph from which a Sampler draws, as it keeps a number for each product: 180 megabytes at the bound. A
// complete graph comes to it with 512 vertices.
const MaxDrawn = 512 * 512 * 512 / 6

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
	e       *elimination
	star    []wide     // of each entry of col: the conductance of its edge when its star goes, up to a common factor
	mesh    []float64  // of each pair of neighbours of each place: what the mesh has in the edge that the pair gets
	meshes  []int      // where those of each place begin
	links   []int32    // of the graph, by their entries of col, so that parallel ones are together
	weight  []wide     // of these links
	first   []int32    // of each entry of col: its first link
	tree    [][2]int32 // edges between places, the smaller one first
	index   []int32    // of a place among the neighbours of the vertex at hand, −1 for others
	choice  []wide     // conductances to choose from
	members [][]int32  // the neighbours in each part, by the part's root
	forest  Forest
}

// NewSampler eliminates the vertices. The Work of the graph must be MaxDrawn at most. An error of poll, which may be nil, ends the work
// and is returned. Cost: that of LogSum in time, and in memory.
func (g *Graph) NewSampler(weight []float64, poll func() error) (*Sampler, error) {
	t, high := new(numbers), g.highest(weight)
	t.reset(g.symbolic())
	t.poll.Reset(poll)
	g.conduct(t, nil, weight, high)
	s := &Sampler{g: g, e: t.elimination, index: make([]int32, g.n), members: make([][]int32, g.n)}
	if t.eliminate(true) {
		s.mesh, s.star = t.mesh, make([]wide, len(t.c))
		for i, c := range t.c {
			s.star[i] = wide{x: c}
		}
	} else if t.poll.Err() == nil {
		t := newWideNumbers(t.elimination, &t.poll)
		g.conductWide(t, weight, high)
		t.eliminate(true)
		s.mesh, s.star = t.mesh, t.c
	}
	if err := t.poll.Err(); err != nil {
		return nil, err
	}
	at := 0
	for k := range g.n {
		s.meshes = append(s.meshes, at)
		degree := len(s.e.later(k))
		at += degree * (degree - 1) / 2
	}
	for i := range s.index {
		s.index[i] = -1
	}
	s.sortLinks(weight, high)
	return s, nil
}

// sortLinks lists the links of each entry of col.
func (s *Sampler) sortLinks(weight []float64, high float64) {
	s.links, s.first = make([]int32, len(s.e.links)), make([]int32, len(s.e.col)+1)
	for i, at := range s.e.links {
		s.links[i] = int32(i)
		s.first[at+1]++
	}
	for i := range s.e.col {
		s.first[i+1] += s.first[i]
	}
	slices.SortStableFunc(s.links, func(a, b int32) int { return cmp.Compare(s.e.links[a], s.e.links[b]) })
	s.weight = make([]wide, len(s.links))
	for i, l := range s.links {
		s.weight[i] = wideExp(weight[s.g.links[l].edge] - high)
	}
}

// DrawTo writes the 0/1 membership of the edges in a random tree. Cost: nearly O(n²).
func (s *Sampler) DrawTo(dst []int32, rng *rand.Rand) {
	s.tree = s.tree[:0]
	for k := s.g.n - 2; k >= 0; k-- {
		s.restore(k, rng)
	}
	s.g.require(dst)
	for _, e := range s.tree {
		at, _ := slices.BinarySearch(s.e.later(int(e[0])), e[1])
		at += s.e.first[e[0]]
		lo, hi := s.first[at], s.first[at+1]
		if hi-lo > 1 {
			lo += int32(pick(s.weight[lo:hi], rng))
		}
		dst[s.g.links[s.links[lo]].edge] = 1
	}
}

// restore turns a tree on the places behind k into one that has k in it.
func (s *Sampler) restore(k int, rng *rand.Rand) {
	star, x := s.e.later(k), s.star[s.e.first[k]:s.e.first[k+1]]
	for i, u := range star {
		s.index[u] = int32(i)
	}
	s.forest.Reset(s.g.n)
	forest := s.tree[:0]
	for _, e := range s.tree {
		i, j := s.index[e[0]], s.index[e[1]]
		if i >= 0 && j >= 0 && rng.Float64() < s.share(k, int(i), int(j)) {
			continue // an edge of the mesh
		}
		s.forest.Join(e[0], e[1])
		forest = append(forest, e)
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
		s.choice = s.choice[:0]
		for _, i := range part {
			s.choice = append(s.choice, x[i])
		}
		forest = append(forest, [2]int32{int32(k), star[part[pick(s.choice, rng)]]})
		s.members[s.forest.Root(u)] = part[:0]
	}
	s.tree = forest
}

// share returns what the mesh of place k has in the edge between its neighbours i < j.
func (s *Sampler) share(k, i, j int) float64 {
	degree := len(s.e.later(k))
	share := s.mesh[s.meshes[k]+i*(2*degree-i-1)/2+j-i-1]
	if math.IsNaN(share) {
		return 1 // 0/0: the edge had underflowed so far, and so had this mesh; only later ones made it what it is
	}
	return share
}
