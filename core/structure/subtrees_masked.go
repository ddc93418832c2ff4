package structure

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"

	"combpred/core/fault"
	"combpred/core/graph/dag"
)

// A subtree is a path through the nodes in depth-first order: at each it takes the node and goes on to the next one, or
// leaves it out and goes on behind all that is below it.

// maskedSubtrees computes on the rooted subtrees that a mask allows: with a node that is required all above it are in, with one that is
// forbidden all below it are out. Decoders pass through the tree, sums through the graph of these paths.
type maskedSubtrees struct {
	all      *subtrees
	state    []int8                     // 1 for nodes of all subtrees, −1 for those of none
	required int                        // nodes of all subtrees
	free     int                        // nodes of some
	size     Range                      // numbers of nodes, which those that are required and forbidden leave
	held     func() (*dag.Graph, error) // of all sizes
	graph    func() (*dag.Graph, error) // labels below n take that node
	arcs     func() float64             // how many arcs that has, about, without building it; +Inf where they are too many
	work     *pool[dag.Workspace]
}

var (
	_ maskable = (*subtrees)(nil)
	_ engine   = (*maskedSubtrees)(nil)
)

// under costs O(n). Sums and draws return a *LimitError where nodes times sizes are too many.
func (t *subtrees) under(m *Mask) (engine, error) {
	states, err := m.states()
	if err != nil {
		return nil, err
	}
	e := &maskedSubtrees{all: t, work: new(pool[dag.Workspace])}
	if e.state, err = t.implied(states); err != nil {
		return nil, err
	}
	for _, s := range e.state {
		switch s {
		case 1:
			e.required++
		case 0:
			e.free++
		}
	}
	e.size = Range{max(m.Size.Least, e.required), min(m.Size.Most, e.required+e.free)}
	if e.size.Least > e.size.Most {
		return nil, ErrNone
	}
	e.held = sync.OnceValues(func() (*dag.Graph, error) {
		all, err := t.depthFirst()
		if err != nil {
			return nil, err
		}
		arcs := make([]int8, 2*len(e.state)-1) // the root must be in anyway, and has no arc that leaves it out
		copy(arcs, e.state)
		return all.Hold(arcs)
	})
	e.graph, e.arcs = sync.OnceValues(e.sized), sync.OnceValue(e.sizedArcs)
	return e, nil
}

// implied returns the mask with the ancestors of what is required and the descendants of what is forbidden.
func (t *subtrees) implied(state []int8) ([]int8, error) {
	closed := make([]int8, len(t.parent))
	copy(closed, state)
	root := t.order[0]
	for i := len(t.order) - 1; i > 0; i-- {
		v := t.order[i]
		if p := t.parent[v]; closed[v] > 0 {
			if closed[p] < 0 {
				return nil, ErrNone
			}
			closed[p] = 1
		}
	}
	if closed[root] < 0 {
		return nil, ErrNone
	}
	closed[root] = 1
	for _, v := range t.order[1:] {
		if closed[t.parent[v]] < 0 {
			closed[v] = -1
		}
	}
	return closed, nil
}

// newGraph builds the graph whose paths are all subtrees.
func (t *subtrees) newGraph() (*dag.Graph, error) {
	n := len(t.parent)
	size, place := make([]int32, n), make([]int32, n)
	for i := n - 1; i >= 0; i-- {
		v := t.order[i]
		size[v]++
		if p := t.parent[v]; p >= 0 {
			size[p] += size[v]
		}
	}
	next := make([]int32, n) // where the next child of a node comes
	arcs := make([]dag.Arc, n, 2*n-1)
	for _, v := range t.order {
		if p := t.parent[v]; p >= 0 {
			place[v] = next[p]
			next[p] += size[v]
			arcs = append(arcs, dag.Arc{Tail: place[v], Head: place[v] + size[v], Symbol: dag.Silent})
		}
		next[v] = place[v] + 1
		arcs[v] = dag.Arc{Tail: place[v], Head: next[v], Symbol: v}
	}
	return dag.New(n+1, arcs, 0, int32(n), n)
}

// bounded reports whether some subtree that the nodes allow is of a size that is not allowed.
func (m *maskedSubtrees) bounded() bool { return m.size != Range{m.required, m.required + m.free} }

// sized returns the graph of the subtrees.
func (m *maskedSubtrees) sized() (*dag.Graph, error) {
	held, err := m.held()
	if err != nil {
		return nil, err
	}
	graph, err := held.Within(nil, m.size.Least, m.size.Most)
	if err != nil {
		return nil, masked(err, held, fmt.Sprintf("rooted subtrees of %d to %d nodes", m.size.Least, m.size.Most))
	}
	return graph, nil
}

func (m *maskedSubtrees) sizedArcs() float64 {
	if !m.bounded() {
		return float64(2 * len(m.state))
	}
	held, err := m.held()
	if err != nil {
		return math.Inf(1)
	}
	if k := held.ArcsWithin(nil, m.size.Least, m.size.Most); k <= dag.MaxArcs {
		return float64(k)
	}
	return math.Inf(1)
}

func (m *maskedSubtrees) facts() Facts {
	arcs := m.arcs()
	return Facts{
		LogCount:         m.logCount,
		Sums:             sumsOf(func(bool) float64 { return 4 * arcs }),
		TooLargeToDecode: m.bounded() && m.tooManyCells() && math.IsInf(arcs, 1),
	}
}

// mostCountedArcs bounds the graphs that are built to count their paths, which takes a tenth of a second: callers ask for the number of
// outputs of every space.
const mostCountedArcs = 1 << 20

// logCount is NaN where the graph is too large.
func (m *maskedSubtrees) logCount() float64 {
	if m.arcs() > mostCountedArcs {
		return math.NaN()
	}
	log, err := m.LogPartition(nil, make([]float64, len(m.state)), nil)
	if err != nil {
		return math.NaN()
	}
	return log
}

func (m *maskedSubtrees) count() *big.Int {
	log := m.logCount()
	if math.IsNaN(log) {
		return nil
	}
	graph, err := m.graph()
	if err != nil {
		return nil
	}
	return countOf(graph, log)
}

// fewArcs is the number of arcs for each node up to which a best path is found faster than the knapsack problem is solved.
const fewArcs = 16

// Decode finds a best subtree of any size and, where its size is not allowed, a best one of those that are: by the number of nodes that
// were in before each in depth-first order or, in bushy trees, that are in below each (the knapsack problem on trees). Cost: O(n), then
// O(n·sizes). It returns a *LimitError where nodes times sizes exceed 2²⁶ and the graph has more than 2²⁵ arcs.
func (m *maskedSubtrees) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), len(m.state))
	mustScores(score, len(m.state))
	value := m.all.best(dst, score, m.state)
	switch {
	case m.size.has(members(dst)):
		return proven(value), nil
	case m.arcs() > fewArcs*float64(len(m.state)) && !m.tooManyCells():
		return proven(m.knapsack(dst, score)), nil
	}
	graph, err := m.graph()
	if err != nil {
		return Certificate{}, err
	}
	w := m.work.get()
	defer m.work.put(w)
	scores := make([]float64, len(m.state))
	for v := range scores {
		scores[v] = score.indicator(v)
	}
	path := make([]int32, graph.Longest())
	k, value := graph.Best(path, scores, w)
	writeSubtree(dst, path[:k])
	return proven(value), nil
}

// writeSubtree writes the subtree of a path.
func writeSubtree(dst, path []int32) {
	clear(dst)
	for _, a := range path {
		if int(a) < len(dst) {
			dst[a] = 1
		}
	}
}

func (m *maskedSubtrees) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), len(m.state))
	if err := polled(poll); err != nil {
		return 0, err
	}
	graph, err := m.graph()
	if err != nil {
		return 0, err
	}
	w := m.work.get()
	defer m.work.put(w)
	if marginals == nil {
		return graph.LogSum(nil, scores, w, poll)
	}
	mustLen("marginals", len(marginals), len(m.state))
	logZ, err := graph.LogSum(marginals, scores, w, poll)
	for v, p := range marginals {
		marginals[v] = min(p, 1)
	}
	return logZ, err
}

func (m *maskedSubtrees) Distribution(scores []float64, poll func() error) (Draw, error) {
	mustLen("scores", len(scores), len(m.state))
	if err := polled(poll); err != nil {
		return nil, err
	}
	graph, err := m.graph()
	if err != nil {
		return nil, err
	}
	d, err := graph.NewDistribution(scores, poll)
	if err != nil {
		return nil, err
	}
	path := make([]int32, graph.Longest())
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), len(m.state))
		writeSubtree(dst, path[:d.Draw(path, rng)])
	}, nil
}

// Restrict takes nodes that are required, as those above them are then, or forbidden, as those below them are then, and a number of
// nodes.
func (t *subtrees) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (r Restriction, err error) {
		m, err := readMembers(nodeTerms, "node", conditions, len(t.parent), t.names)
		if err != nil {
			return r, err
		}
		const in, out = 1, -1
		fixed := make([]int8, len(t.parent))
		for _, v := range m.forbidden {
			fixed[v] = out
		}
		root := t.order[0]
		if fixed[root] == out {
			return r, fault.Value("'forbidden' holds node %s, the root of every subtree; leave it out", t.names.of(int(root)))
		}
		fixed[root] = in
		for _, v := range m.required {
			for at := int32(v); fixed[at] != in; at = t.parent[at] {
				if fixed[at] == out {
					return r, fault.Value("node %s is required, node %s above it is forbidden; %s", t.names.of(v),
						t.names.of(int(at)), dropOne)
				}
				fixed[at] = in
			}
		}
		for _, v := range t.order[1:] {
			if fixed[t.parent[v]] == out {
				fixed[v] = out
			}
		}
		m.required, m.forbidden = nil, nil
		for v, f := range fixed {
			switch f {
			case in:
				m.required = append(m.required, v)
			case out:
				m.forbidden = append(m.forbidden, v)
			}
		}
		return Restriction{Mask: m.mask()}, m.checkSize(1)
	}
}
