// Package hereditary searches for heaviest sets of edges with a property that only the caller can tell, and that sets keep when edges are
// taken away.
//
// A Machine asks for verdicts on sets, and keeps all that it knows in a state of the caller: nothing is lost, and nothing to be freed,
// where the caller never goes on.
//
// # Search
//
// Edges of negative weight need not be in a best set, which keeps the property without them. Searching the p other edges takes time
// exponential in p. If p exceeds ExactEdges, they are split into b blocks, and a best set is found within each. A best set of all edges
// weighs at most the sum u of these b weights, so that the best of the b sets weighs at least u/b; the empty set weighs 0, and the ratio of
// the guarantee is at most 1 − 1/b (Vembu, 2010, ch. 4). Local search improves that set.
//
// The search within a block is that of Russian dolls (Verfaillie, Lemaître and Schiex, 1996): subproblems with the last one, two, … edges
// are solved in turn. A set can gain from the edges from number j on at most the optimum of the subproblem that starts at j.
//
// # Counterexamples
//
// A property may turn out not to be hereditary. Where a heavier set has been met than a search has found, the questions that would have led
// to it are asked, one of which must contradict it; and from the set at the end, edges are taken away one by one.
package hereditary

import (
	"cmp"
	"slices"

	"combpred/core/fault"
)

const (
	// ExactEdges is up to how many edges a best set is found by exact search. With 20 edges, random graphs took .1 s at most for bipartite
	// and triangle-free sets; forests, with equal weights, 3 s. Every 4 further edges took three to five times as long.
	ExactEdges = 20
	// BlockEdges is how many edges a block has, where there are more.
	BlockEdges = 16

	grownAtOnce = 16

	tie = 1e-12 // sums of weights that differ by less than this fraction of the total weight are tied
)

// Method says how to search.
type Method int

const (
	Auto   Method = iota // exactly up to ExactEdges, beyond in blocks
	Exact                // exactly, or refused beyond ExactEdges
	Search               // in blocks beyond BlockEdges
)

// Ask says what a machine needs, or has found.
type Ask int

const (
	Done           Ask = iota // the set is a best one, as far as Found says
	Holds                     // verdicts on sets
	Counterexample            // the first set has the property, the second, a part of it, has not
	State                     // room for a longer state; never asked for by Next
)

// Request is about sets of edges.
type Request struct {
	Ask  Ask
	Sets [][]bool
	// Until is the verdict, 0 or 1, that makes those on the sets that follow unnecessary, or −1.
	Until int
}

// Unknown is a verdict that was not given.
const Unknown = 2

// The phases of a search.
const (
	whole       = iota // all edges of positive weight
	alone              // each of them
	blockSearch        // the search within a block
	grow               // a set is extended
	check              // whether a set is heavier than a search has found
	trace              // ... and why
	fewer              // the set at the end, without each of its edges
	ended
)

// What follows when a set is grown.
const (
	thenCheck = iota
	thenForce // it is where local search starts
	thenMore  // it holds what it keeps of the best set, and takes more
	thenKeep  // it may be better
)

// Machine is a search for one set. It is not safe for concurrent use.
type Machine struct {
	weights []float64
	most    int // sets that are asked about at once
	method  Method
	order   []int    // edges of positive weight, heaviest first
	open    [][]bool // the sets on which verdicts are awaited
	known
}

// known is all that a machine keeps between two calls of Next.
type known struct {
	phase, asked, at                int // at: how many of a list of questions are answered
	block, subproblem, depth, first int // depth: of the search; the last edge of the part of a heavier set that begins with first
	isFiltered, isWhole             int // 1: the edges left at this depth are those that fit; the first set had the property
	then, withinBest, start, forced int // withinBest 1: only edges of the best set are added
	improved                        int
	incumbent                       float64
	best                            int                 // of the block, as bits
	left, chosen                    [ExactEdges + 1]int // of each depth: edges that are left, as bits; the edge that was added
	suffix                          [ExactEdges + 1]float64

	// Sets of edges: those that have the property alone; the best of each block; the best; one that is tried; the end of the first search.
	single, own, set, trial, end []bool
}

// New returns a search for a heaviest set, which asks about at most so many sets at once, ExactEdges at least. Weights must be finite.
func New(weights []float64, method Method, most int) *Machine {
	m := &Machine{weights: weights, most: max(most, ExactEdges), method: method}
	for e, w := range weights {
		if w > 0 {
			m.order = append(m.order, e)
		}
	}
	slices.SortFunc(m.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), a-b)
	})
	for _, set := range m.sets() {
		*set = make([]bool, len(weights))
	}
	return m
}

func (m *Machine) sets() []*[]bool { return []*[]bool{&m.single, &m.own, &m.set, &m.trial, &m.end} }

// Asked returns on how many sets verdicts are awaited.
func (m *Machine) Asked() int { return m.asked }

// Found returns the weight of the set at the end, and a proven bound on the weight of all sets with the property.
func (m *Machine) Found() (value, bound float64) {
	value = m.weight(m.set)
	bound = value
	if m.isWhole == 0 {
		bound = m.weight(m.own)
	}
	var all float64
	for _, w := range m.weights {
		all += max(w, -w)
	}
	if bound <= value+tie*all {
		bound = value
	}
	return value, bound
}

// Next takes in the verdicts on the sets that were asked about and goes on until more are needed: 1 for sets that have the property, 0 for
// those that have not, and Unknown behind one that was enough.
func (m *Machine) Next(verdicts []uint8) (Request, error) {
	if m.asked > 0 {
		if len(verdicts) != m.asked {
			return Request{}, fault.Value("there are %d verdicts on %d sets", len(verdicts), m.asked)
		}
		until, decided := m.until(), false
		for i, v := range verdicts {
			if v > 1 && !decided {
				return Request{}, fault.Value("verdict %d is %d, must be 0 or 1", i, v)
			}
			decided = decided || int(v) == until
		}
		questions := m.open
		m.asked = 0
		if r, found := m.take(questions, verdicts); found {
			return r, nil
		}
	}
	for {
		if questions := m.questions(); len(questions) > 0 {
			m.asked, m.open = len(questions), questions
			return Request{Ask: Holds, Sets: questions, Until: m.until()}, nil
		}
		if m.phase == ended {
			return Request{Ask: Done, Sets: [][]bool{m.set}}, nil
		}
		if err := m.proceed(); err != nil {
			return Request{}, err
		}
	}
}

// proceed goes on where a phase has no questions left.
func (m *Machine) proceed() error {
	switch m.phase {
	case alone:
		candidates := len(m.candidates())
		if m.method == Exact && candidates > ExactEdges {
			return fault.Capability("%d edges have a positive score, and an exact search for a set with the property is limited to %d; "+
				"take decoder='auto', which says how far from the best its set may be", candidates, ExactEdges)
		}
		m.phase, m.block, m.at = blockSearch, 0, 0
		m.beginBlock()
	case blockSearch:
		m.searchBlock()
	case grow:
		m.grownWhole()
	case check:
		if m.block++; m.block >= m.blocks() {
			m.phase, m.at = fewer, 0
		}
	case trace:
		m.at = 0
		if m.depth++; m.depth >= len(m.missed()) {
			m.first++
			m.depth = m.first
		}
		if m.first >= len(m.missed()) {
			return fault.Value("hereditary does not always give the same answer for the same set of edges")
		}
	case fewer:
		m.phase = ended
	}
	return nil
}
