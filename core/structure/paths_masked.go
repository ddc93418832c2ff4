package structure

import (
	"fmt"
	"math/big"

	"combpred/core/graph/dag"
)

// maskedPaths is the space of the paths that obey a mask.
type maskedPaths struct {
	maskedSpace // its state is by arc, whether arcs are tied or not
	all         *paths
	graph       *dag.Graph
}

var (
	_ Counter     = (*maskedPaths)(nil)
	_ Decoder     = (*maskedPaths)(nil)
	_ Partitioner = (*maskedPaths)(nil)
)

// masked returns the space of the paths that hold every arc whose state is 1 and none whose state is −1, and of lo to hi arcs.
// state may be nil. It returns ErrNoOutput if there are none, and a *LimitError where the graph with a count of arcs beside its
// vertices would be too large.
func (p *paths) masked(state []int8, lo, hi int) (*maskedPaths, error) {
	mustState(state, len(p.arcs))
	graph, err := heldGraph(p.graph, state, lo, hi, fmt.Sprintf("paths of %d to %d arcs", lo, hi))
	if err != nil {
		return nil, err
	}
	return &maskedPaths{maskedSpace{p, "arc", state, lo, hi}, p, graph}, nil
}

func (m *maskedPaths) String() string { return fmt.Sprintf("%v, those that obey a mask", m.all) }

func (m *maskedPaths) Check(y []int32) error {
	if err := m.all.Check(y); err != nil {
		return err
	}
	counts := make([]float64, len(m.all.arcs))
	for _, a := range y {
		if a >= 0 {
			counts[a] = 1
		}
	}
	return m.obeys(counts)
}

func (m *maskedPaths) Count() *big.Int { return m.graph.Count() }

func (m *maskedPaths) Decode(dst []int32, score Scores) (Certificate, error) {
	return m.all.best(m.graph, dst, score)
}

func (m *maskedPaths) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	if err := polled(poll); err != nil {
		return 0, err
	}
	logZ := m.all.sum(m.graph, marginals, scores)
	if marginals != nil && m.state != nil && !m.all.repeats {
		for a, s := range m.state {
			if s == required {
				marginals[m.all.group[a]] = 1
			}
		}
	}
	return logZ, nil
}

func (m *maskedPaths) PartitionCost(bool) float64 { return float64(4*m.graph.Arcs() + m.all.features) }

func (m *maskedPaths) Distribution(scores []float64, poll func() error) (Draw, error) {
	if err := polled(poll); err != nil {
		return nil, err
	}
	return m.all.draw(m.graph, scores), nil
}
