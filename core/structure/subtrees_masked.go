package structure

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"combpred/core/graph/dag"
)

// A subtree is a path through the nodes in depth-first order: at each it takes the node and goes on to the next one, or
// leaves it out and goes on behind all that is below it.

// maskedSubtrees is the space of the rooted subtrees that obey a mask.
type maskedSubtrees struct {
	maskedSpace
	graph *dag.Graph // labels below n take that node
	work  *pool[subtreeWork]
}

// subtreeWork is the memory of decoding.
type subtreeWork struct {
	dag    dag.Workspace
	path   []int32
	scores []float64
}

var (
	_ Counter     = (*maskedSubtrees)(nil)
	_ Decoder     = (*maskedSubtrees)(nil)
	_ Partitioner = (*maskedSubtrees)(nil)
)

// masked returns the space of the subtrees that hold every node whose state is 1, with its ancestors, and none whose state is
// −1, nor its descendants, and of lo to hi nodes. state may be nil. It returns ErrNoOutput if there are none, and a *LimitError
// where nodes times sizes are too many.
func (t *subtrees) masked(state []int8, lo, hi int) (*maskedSubtrees, error) {
	n := len(t.parent)
	mustState(state, n)
	closed, err := t.implied(state)
	if err != nil {
		return nil, err
	}
	all, err := t.depthFirst(n)
	if err != nil {
		return nil, err
	}
	arcs := make([]int8, 2*n-1) // the root must be in anyway, and has no arc that leaves it out
	copy(arcs, closed)
	what := fmt.Sprintf("rooted subtrees of %d to %d nodes", lo, hi)
	graph, err := heldGraph(all, arcs, lo, hi, what)
	if err != nil {
		return nil, err
	}
	return &maskedSubtrees{maskedSpace{t, "node", closed, lo, hi}, graph, new(pool[subtreeWork])}, nil
}

// implied returns the mask with the ancestors of what is required and the descendants of what is forbidden.
func (t *subtrees) implied(state []int8) ([]int8, error) {
	closed := make([]int8, len(t.parent))
	copy(closed, state)
	for i := len(t.order) - 1; i > 0; i-- {
		v := t.order[i]
		if p := t.parent[v]; closed[v] == required {
			if closed[p] == forbidden {
				return nil, ErrNoOutput
			}
			closed[p] = required
		}
	}
	root := t.order[0]
	if closed[root] == forbidden {
		return nil, ErrNoOutput
	}
	closed[root] = required
	for _, v := range t.order[1:] {
		if closed[t.parent[v]] == forbidden {
			closed[v] = forbidden
		}
	}
	return closed, nil
}

// depthFirst returns the graph whose paths are all subtrees.
func (t *subtrees) depthFirst(n int) (*dag.Graph, error) {
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

func (m *maskedSubtrees) String() string { return fmt.Sprintf("%v, those that obey a mask", m.Space) }

func (m *maskedSubtrees) Count() *big.Int { return m.graph.Count() }

// Decode finds a best subtree. Cost: O(n), with bounds O(n·size).
func (m *maskedSubtrees) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), m.PartLen())
	mustScores(score, m.PartLen())
	w := m.work.get()
	defer m.work.put(w)
	scores := score.Linear
	if score.Magnitude != nil {
		w.scores = append(w.scores[:0], score.Linear...)
		floats.Add(w.scores, score.Magnitude)
		scores = w.scores
	}
	if cap(w.path) < m.graph.Longest() {
		w.path = make([]int32, m.graph.Longest())
	}
	path := w.path[:m.graph.Longest()]
	n, value := m.graph.Best(path, scores, &w.dag)
	m.writeTo(dst, path[:n])
	return proven(value), nil
}

// writeTo writes the subtree of a path.
func (m *maskedSubtrees) writeTo(dst, path []int32) {
	clear(dst)
	for _, a := range path {
		if int(a) < len(dst) {
			dst[a] = 1
		}
	}
}

func (m *maskedSubtrees) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	mustLen("scores", len(scores), m.PartLen())
	if err := polled(poll); err != nil {
		return 0, err
	}
	w := m.work.get()
	defer m.work.put(w)
	if marginals == nil {
		return m.graph.LogSum(nil, scores, &w.dag), nil
	}
	mustLen("marginals", len(marginals), m.PartLen())
	logZ := m.graph.LogSum(marginals, scores, &w.dag)
	for v, p := range marginals {
		marginals[v] = min(p, 1)
	}
	m.pin(marginals)
	return logZ, nil
}

func (m *maskedSubtrees) PartitionCost(bool) float64 { return float64(4 * m.graph.Arcs()) }

func (m *maskedSubtrees) Distribution(scores []float64, poll func() error) (Draw, error) {
	mustLen("scores", len(scores), m.PartLen())
	if err := polled(poll); err != nil {
		return nil, err
	}
	d, path := m.graph.NewDistribution(scores), make([]int32, m.graph.Longest())
	return func(dst []int32, rng *rand.Rand) {
		mustLen("dst", len(dst), m.PartLen())
		m.writeTo(dst, path[:d.Draw(path, rng)])
	}, nil
}
