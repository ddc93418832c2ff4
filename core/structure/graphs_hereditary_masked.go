package structure

import (
	"errors"
	"iter"
	"math"
	"math/big"
	"sync"

	"combpred/core/fault"
)

// maskedHereditary computes on the sets of edges with a property that a mask allows: those that are required and any of the others that
// keep the property with them. For forests and bipartite graphs the required edges are contracted, in the latter with the sides that they
// put vertices on; in matchings they take their ends with them.
type maskedHereditary struct {
	all      hereditaryGraphs
	rest     hereditaryGraphs // on the contracted vertices; same says which edges ask for one side there
	required []int32
	free     []int32 // the edges that some sets have and others do not
	fitting  []int32 // those of them that go with all sets: edges of a bipartite graph between vertices whose sides are tied
	listed   func() (*filteredList, error)
	number   func() *big.Int
}

// searchedHereditary has searches as its base does.
type searchedHereditary struct{ *maskedHereditary }

var (
	_ maskable   = hereditaryGraphs{}
	_ maskable   = decodedGraphs{}
	_ engine     = (*maskedHereditary)(nil)
	_ Enumerator = (*maskedHereditary)(nil)
	_ Searcher   = searchedHereditary{}
)

func (h hereditaryGraphs) under(m *Mask) (engine, error) { return h.masked(m) }

func (h decodedGraphs) under(m *Mask) (engine, error) {
	e, err := h.masked(m)
	if err != nil {
		return nil, err
	}
	return searchedHereditary{e}, nil
}

// masked costs O(d log d).
func (h hereditaryGraphs) masked(m *Mask) (*maskedHereditary, error) {
	states, err := m.states()
	if err != nil {
		return nil, err
	}
	e := &maskedHereditary{all: h, rest: h}
	set := new(edgeSet)
	set.reset(h.vertices)
	for i, x := range states {
		if x <= 0 {
			continue
		}
		if !set.add(h.ends[i], h.property) {
			return nil, contradiction{h.clash(int32(i), e.required)}
		}
		e.required = append(e.required, int32(i))
	}
	for i := range h.ends {
		if states != nil && states[i] != 0 || !set.add(h.ends[i], h.property) {
			continue
		}
		set.undo()
		e.free = append(e.free, int32(i))
	}
	if h.property != matchings {
		e.contract(set)
	}
	e.listed, e.number = sync.OnceValues(e.list), sync.OnceValue(e.listCount)
	return e, nil
}

// contract puts the vertices that stand for the components of the required edges in place of all others.
func (e *maskedHereditary) contract(set *edgeSet) {
	e.rest.ends, e.rest.same = make([][2]int32, len(e.all.ends)), make([]bool, len(e.all.ends))
	for _, i := range e.free {
		u, oddU := set.root(e.all.ends[i][0])
		v, oddV := set.root(e.all.ends[i][1])
		e.rest.ends[i], e.rest.same[i] = [2]int32{u, v}, oddU != oddV
		if u == v {
			e.fitting = append(e.fitting, i)
		}
	}
}

// clash says which required edges an edge does not go with.
func (h hereditaryGraphs) clash(edge int32, required []int32) error {
	if h.property == matchings {
		for _, i := range required {
			for _, v := range h.all.edges[i] {
				if e := h.all.edges[edge]; v == e[0] || v == e[1] {
					return fault.Value("the edges %s are required and share the vertex %s, which matchings rule out; leave one of them out",
						h.names.edges(h.all.edges, []int32{i, edge}), h.names.of(int(v)))
				}
			}
		}
	}
	cycle, what := append(h.path(h.ends[edge], required), edge), "a cycle, which forests"
	if h.property == bipartite {
		what = "a cycle of odd length, which bipartite graphs"
	}
	return fault.Value("the required edges %s form %s rule out; leave one of them out", h.names.edges(h.all.edges, cycle), what)
}

// path returns the edges of a shortest path among some that leads from one vertex to another.
func (h hereditaryGraphs) path(ends [2]int32, among []int32) (path []int32) {
	arcs := make([][]int32, h.vertices)
	for _, i := range among {
		for _, v := range h.ends[i] {
			arcs[v] = append(arcs[v], i)
		}
	}
	toward := make([]int32, h.vertices) // one more than the edge by which a vertex was reached
	queue := []int32{ends[1]}
	for at := 0; at < len(queue) && toward[ends[0]] == 0; at++ {
		for _, i := range arcs[queue[at]] {
			if v := h.other(i, queue[at]); v != ends[1] && toward[v] == 0 {
				toward[v] = i + 1
				queue = append(queue, v)
			}
		}
	}
	for v := ends[0]; v != ends[1] && toward[v] > 0; {
		path = append(path, toward[v]-1)
		v = h.other(toward[v]-1, v)
	}
	return path
}

// other returns the other end of an edge.
func (h hereditaryGraphs) other(edge, v int32) int32 { return h.ends[edge][0] + h.ends[edge][1] - v }

// solve finds a set among the free edges by what finds one among all, and adds what is required or fits anyway. Guarantees stay what they
// are, as no set scores less than every one does without its free edges.
func (e *maskedHereditary) solve(dst []int32, score Scores,
	by func(dst []int32, weights []float64) (Certificate, error)) (Certificate, error) {
	weights, done := e.all.weights(dst, score)
	defer done()
	free, freed := e.all.weights(dst, score)
	defer freed()
	clear(free)
	for _, i := range e.free {
		free[i] = weights[i]
	}
	for _, i := range e.fitting {
		free[i] = 0
	}
	cert, err := by(dst, free)
	if err != nil {
		return cert, err
	}
	var base float64
	for _, i := range e.required {
		dst[i] = 1
		base += weights[i]
	}
	for _, i := range e.fitting {
		if weights[i] > 0 {
			dst[i] = 1
			base += weights[i]
		}
	}
	cert.Value += base
	cert.UpperBound += base
	return cert, nil
}

// Decode costs and refuses what decoding the free edges does, on the vertices that are left.
func (e *maskedHereditary) Decode(dst []int32, score Scores) (Certificate, error) {
	return e.solve(dst, score, e.rest.best)
}

// Start is that of all sets, among the free edges.
func (e searchedHereditary) Start(dst []int32, score Scores, poll func() error) (Certificate, error) {
	if err := polled(poll); err != nil {
		return Certificate{}, err
	}
	return e.solve(dst, score, e.rest.start)
}

// Search is that of all sets, among the free edges.
func (e searchedHereditary) Search(dst []int32, score Scores, poll func() error) (Certificate, error) {
	if err := polled(poll); err != nil {
		return Certificate{}, err
	}
	return e.solve(dst, score, func(dst []int32, weights []float64) (Certificate, error) { return e.rest.search(dst, weights, poll) })
}

// summable reports whether sums go over a list of the sets.
func (e *maskedHereditary) summable() bool {
	free := len(e.free)
	return float64(free)*math.Ln2 <= mostFiltered && math.Ldexp(float64(len(e.all.ends)), free) <= maxFilteredNumbers
}

func (e *maskedHereditary) count() *big.Int { return e.number() }

func (e *maskedHereditary) listCount() *big.Int {
	if len(e.free) > maxListedEdges {
		return nil
	}
	var sum int64
	for range e.All() {
		sum++
	}
	return big.NewInt(sum)
}

func (e *maskedHereditary) facts() Facts {
	cost := math.Inf(1)
	if e.summable() {
		cost = math.Ldexp(float64(len(e.all.ends)), len(e.free))
	}
	return Facts{Sums: Sums{Plain: cost, Marginals: 2 * cost, Draws: e.summable()}}
}

func (e *maskedHereditary) list() (*filteredList, error) {
	refusal := &CapabilityError{
		Structure:    e.all.String() + " under conditions",
		Need:         "sums over the sets of the edges that are left open, which are too many to list",
		Alternatives: "add conditions",
	}
	if !e.summable() {
		return nil, refusal
	}
	l, err := newFilteredList(e.all, e.All())
	if errors.Is(err, errTooManyListed) {
		return nil, refusal
	}
	return l, err
}

// All lists the sets at any size.
func (e *maskedHereditary) All() iter.Seq[[]int32] { return e.all.holding(e.required, e.free) }

// LogPartition sums over a list of the sets, which at most 20 free edges may have.
func (e *maskedHereditary) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	l, err := e.listed()
	if err != nil {
		return 0, err
	}
	return l.LogPartition(marginals, scores, poll)
}

// Distribution draws from the same list.
func (e *maskedHereditary) Distribution(scores []float64, poll func() error) (Draw, error) {
	l, err := e.listed()
	if err != nil {
		return nil, err
	}
	return l.Distribution(scores, poll)
}
