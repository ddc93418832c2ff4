package structure

import (
	"fmt"
	"iter"
	"math/big"
	"sync"

	"combpred/core/fault"
)

const (
	// maxListedEdges is the largest number of edges whose sets with a property are listed: at most 2²³.
	maxListedEdges = 23
	// maxMatchingWork bounds vertices times edges of graphs whose matchings are decoded without a poll: 3 s, measured.
	maxMatchingWork = 1 << 27
)

// hereditaryGraphs is the space of the sets of edges that have a hereditary property. Its moments are those of all sets of
// edges, for which they are known (Vembu, 2010, section 4.3.1).
type hereditaryGraphs struct {
	subspace[graphs]
	Momenter
	*memo
	property edgeProperty
	ends     [][2]int32 // of each edge, vertices without edges not being counted
	same     []bool     // of each edge of a bipartite graph, whether it asks for one side; nil: none does
	vertices int        // that edges have
	sets     *pool[edgeSet]
	numbers  *scratch
}

// decodedGraphs are those whose largest sets are hard to find, so that a search stands beside the exact decoder.
type decodedGraphs struct{ hereditaryGraphs }

// listedHereditary and listedDecoded are those with so few edges that all sets are listed.
type (
	listedHereditary struct {
		hereditaryGraphs
		edgeList
	}
	listedDecoded struct {
		decodedGraphs
		edgeList
	}
)

var (
	_ Momenter   = hereditaryGraphs{}
	_ Decoder    = hereditaryGraphs{}
	_ Searcher   = decodedGraphs{}
	_ Enumerator = listedHereditary{}
	_ Counter    = listedHereditary{}
	_ Enumerator = listedDecoded{}
	_ Counter    = listedDecoded{}
	_ Searcher   = listedDecoded{}
)

func newHereditaryGraphs(all graphs, property edgeProperty) Space {
	h := hereditaryGraphs{
		subspace: subspace[graphs]{all}, Momenter: all, memo: all.fresh(),
		property: property, sets: new(pool[edgeSet]), numbers: new(scratch),
	}
	h.ends = make([][2]int32, len(all.edges))
	number := make(map[int32]int32)
	for i, e := range all.edges {
		for side, v := range e {
			at, seen := number[v]
			if !seen {
				at = int32(len(number))
				number[v] = at
			}
			h.ends[i][side] = at
		}
	}
	h.vertices = len(number)
	few := len(all.edges) <= maxListedEdges
	list := edgeList{of: h}
	list.count = sync.OnceValue(list.listCount)
	switch {
	case property == forests && few:
		return listedHereditary{h, list}
	case property == forests:
		return h
	case few:
		return listedDecoded{decodedGraphs{h}, list}
	}
	return decodedGraphs{h}
}

func (h hereditaryGraphs) String() string {
	return fmt.Sprintf("%s of %d edges among %d vertices", edgeProperties[h.property].noun, len(h.ends), h.all.vertices)
}

func (h hereditaryGraphs) Facts() Facts {
	f := h.subspace.Facts()
	f.Moments, f.Spectrum = RelaxedMoments, h.all
	return f
}

// Check costs O(d log d).
func (h hereditaryGraphs) Check(y []int32) error {
	if err := h.all.Check(y); err != nil {
		return err
	}
	set := h.sets.get()
	defer h.sets.put(set)
	set.reset(h.vertices)
	for i, in := range y {
		if in == 1 && !set.add(h.ends[i], h.property) {
			e := h.all.edges[i]
			p := edgeProperties[h.property]
			return fault.Value("edge %d, %s, %s, and only %s are taken here; leave it out, or take all sets of edges", i,
				h.names.pair(int(e[0]), int(e[1])), p.lost, p.noun)
		}
	}
	return nil
}

// edgeList lists the sets of a space.
type edgeList struct {
	of    hereditaryGraphs
	count func() int64
}

// Count lists all sets the first time.
func (l edgeList) Count() *big.Int { return big.NewInt(l.count()) }

func (l edgeList) listCount() (sum int64) {
	for range l.All() {
		sum++
	}
	return sum
}

// All lists the sets in lexicographic order of their membership vectors. As subsets have the property with any set, every
// branch ends in one. Cost: O(d log d) for each at most.
func (l edgeList) All() iter.Seq[[]int32] {
	free := make([]int32, len(l.of.ends))
	for i := range free {
		free[i] = int32(i)
	}
	return l.of.holding(nil, free)
}

// holding lists the sets of required edges, which have the property, and any of the free ones, ascending, in lexicographic order.
func (h hereditaryGraphs) holding(required, free []int32) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		set := new(edgeSet)
		set.reset(h.vertices)
		y := make([]int32, len(h.ends))
		for _, i := range required {
			y[i] = 1
			set.add(h.ends[i], h.property)
		}
		var from func(k int) bool
		from = func(k int) bool {
			if k == len(free) {
				return yield(y)
			}
			i := free[k]
			y[i] = 0
			if !from(k + 1) {
				return false
			}
			if !set.add(h.ends[i], h.property) {
				return true
			}
			y[i] = 1
			more := from(k + 1)
			y[i] = 0
			set.undo()
			return more
		}
		from(0)
	}
}

// Decode finds a forest by taking edges of positive score in descending order as long as they close no cycle (Kruskal,
// 1956), those with small indices first among equals; a matching by package matching, and a bipartite graph by package
// cut. It returns a *LimitError where vertices times edges of positive score exceed 2²⁷ for matchings, and for bipartite
// graphs where more than 24 vertices are connected by such edges after vertices with one neighbour are left out again and
// again. Cost: O(d log d) for forests; O(n² d) at most for matchings.
func (h hereditaryGraphs) Decode(dst []int32, score Scores) (Certificate, error) {
	weights, done := h.weights(dst, score)
	defer done()
	return h.best(dst, weights)
}

// Start takes for matchings edges in descending order of score as long as no two meet, which earns half of the most at
// least (Avis, 1983); for bipartite graphs, vertices are put on the side where they lose less, one after the other, which
// keeps half of all positive scores at least. Cost: O(d log d) beside bounding what bipartite graphs lose at least.
func (h decodedGraphs) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	if err := polled(poll); err != nil {
		return Certificate{}, err
	}
	weights, done := h.weights(dst, score)
	defer done()
	return h.start(dst, weights)
}

// Search finds a best matching at any size; for bipartite graphs it moves single vertices, from several starts.
func (h decodedGraphs) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	if err := polled(poll); err != nil {
		return Certificate{}, err
	}
	weights, done := h.weights(dst, score)
	defer done()
	return h.search(dst, weights, poll)
}

// Restrict takes edges that are required or forbidden.
func (h hereditaryGraphs) Restrict() func([]Condition) (Restriction, error) { return h.restrict(h) }

// Restrict is that of hereditaryGraphs for parts that are searched, too.
func (h decodedGraphs) Restrict() func([]Condition) (Restriction, error) { return h.restrict(h) }

func (h hereditaryGraphs) restrict(s maskable) func([]Condition) (Restriction, error) {
	return refusing(s, restrictEdges(edgeTerms, h.Facts().Cells, h.names))
}
