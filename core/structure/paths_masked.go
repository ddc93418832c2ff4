package structure

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"combpred/core/graph/dag"
)

// maskedPaths computes on the paths that a mask allows, which are those of a graph with the same arcs, some of them several times.
type maskedPaths struct {
	all   *paths
	graph *dag.Graph
}

var (
	_ maskable = (*paths)(nil)
	_ engine   = (*maskedPaths)(nil)
)

// under leaves out arcs, and counts them beside the vertices where their number is bounded, or how often groups of tied arcs may occur. It
// returns a *LimitError where that takes more than 2²⁵ arcs. Cost: O(vertices + arcs), times the largest count.
func (p *paths) under(m *Mask) (engine, error) {
	state, counted, err := p.arcStates(m)
	if err != nil {
		return nil, err
	}
	held, err := p.graph.Hold(state)
	if err != nil {
		return nil, masked(err, held, "")
	}
	graph, err := held.Within(nil, m.Size.Least, min(m.Size.Most, p.longest))
	if err != nil {
		return nil, masked(err, held, fmt.Sprintf("paths of %d to %d arcs", m.Size.Least, min(m.Size.Most, p.longest)))
	}
	for _, c := range counted {
		if graph, err = graph.Within(c.groups, c.times.Least, c.times.Most); err != nil {
			return nil, masked(err, held, "paths that hold groups of arcs once")
		}
	}
	return &maskedPaths{p, graph}, nil
}

// groupCount says how often a path holds arcs of some groups, in all.
type groupCount struct {
	groups []bool
	times  Range
}

// arcStates returns which arcs all paths hold, 1, and which none, −1, and what is to be counted. A group of one arc is that arc. Where no
// path holds a group twice, it holds all of some groups if it holds arcs of these as often as there are groups.
func (p *paths) arcStates(m *Mask) (state []int8, counted []groupCount, err error) {
	groups, err := m.states()
	if err != nil || groups == nil {
		return m.Items, nil, err
	}
	state = make([]int8, len(p.arcs))
	copy(state, m.Items)
	arcs := make([]int, p.features)
	for _, g := range p.group {
		arcs[g]++
	}
	for a, g := range p.group {
		s := groups[g]
		if s > 0 && arcs[g] > 1 {
			continue
		}
		if s*state[a] < 0 {
			return nil, nil, ErrNone
		}
		state[a] |= s
	}
	once := groupCount{groups: make([]bool, p.features)}
	for g, s := range groups {
		switch {
		case m.Entries[g] == AnyValue || s < 0 || arcs[g] == 1:
		case p.repeats:
			alone := groupCount{make([]bool, p.features), Range{0, 1}}
			alone.groups[g], alone.times.Least = true, int(s)
			counted = append(counted, alone)
		case s > 0:
			once.groups[g] = true
			once.times.Least++
			once.times.Most++
		}
	}
	if once.times.Most > 0 {
		counted = append(counted, once)
	}
	return state, counted, nil
}

// masked returns the error of a graph under a mask as that of a space. What names the paths that have to be counted.
func masked(err error, g *dag.Graph, what string) error {
	switch {
	case errors.Is(err, dag.ErrEmpty):
		return ErrNone
	case errors.Is(err, dag.ErrTooLarge):
		return &LimitError{
			What:         fmt.Sprintf("the exact recursion over %s, by copies of the arcs of the graph with a count,", what),
			Size:         g.Arcs(),
			Limit:        dag.MaxArcs / (g.Longest() + 1),
			Alternatives: "leave out the bounds, or take smaller ones",
		}
	}
	return err
}

// mostCounted bounds the 64-bit words of the exact numbers of paths from all vertices of a graph, 128 MiB.
const mostCounted = 1 << 24

// countOf returns the number of paths of a graph, given its logarithm, or nil where exact numbers take too much memory.
func countOf(g *dag.Graph, log float64) *big.Int {
	if log/math.Ln2/64*float64(g.Vertices()) > mostCounted {
		return nil
	}
	return g.Count()
}

func (m *maskedPaths) logCount() float64 {
	log, _ := m.all.sum(m.graph, nil, make([]float64, m.all.features), nil) // only a poll makes it fail
	return log
}

func (m *maskedPaths) count() *big.Int { return countOf(m.graph, m.logCount()) }

func (m *maskedPaths) facts() Facts {
	return Facts{
		LogCount: m.logCount,
		Sums:     sumsOf(func(bool) float64 { return float64(4*m.graph.Arcs() + m.all.features) }),
	}
}

func (m *maskedPaths) Decode(dst []int32, score Scores) (Certificate, error) {
	return m.all.best(m.graph, dst, score)
}

func (m *maskedPaths) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	return m.all.sum(m.graph, marginals, scores, poll)
}

func (m *maskedPaths) Distribution(scores []float64, poll func() error) (Draw, error) {
	return m.all.draw(m.graph, scores, poll)
}
