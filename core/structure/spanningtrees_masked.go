package structure

import (
	"errors"
	"math/big"

	"combpred/core/fault"
	"combpred/core/graph/spanning"
)

// maskedTrees are the spanning trees of the graph in which required edges are contracted and forbidden ones deleted. They are listed,
// decoded, summed over and drawn as those of any graph.
type maskedTrees struct{ spanningTrees }

var (
	_ maskable   = spanningTrees{}
	_ engine     = maskedTrees{}
	_ Enumerator = maskedTrees{}
)

// under costs nearly O(n + d).
func (s spanningTrees) under(m *Mask) (engine, error) {
	states, err := m.states()
	if err != nil {
		return nil, err
	}
	edges := make([]spanning.State, len(s.edges))
	for i, x := range states {
		switch x {
		case 1:
			edges[i] = spanning.Required
		case -1:
			edges[i] = spanning.Forbidden
		}
	}
	graph, err := s.graph.Restrict(edges)
	if err != nil {
		return nil, s.noTree(err)
	}
	s.graph = graph
	return maskedTrees{s}, nil
}

// noTree says in the names of the vertices why no tree is left.
func (s spanningTrees) noTree(err error) error {
	if cycle, is := errors.AsType[*spanning.CycleError](err); is {
		return contradiction{fault.Value("the required edges %s form a cycle; leave one of them out", s.names.edges(s.edges, cycle.Edges))}
	}
	disconnected, is := errors.AsType[*spanning.DisconnectedError](err)
	if !is {
		return err
	}
	reached := make(map[int32]bool, len(disconnected.Side))
	for _, v := range disconnected.Side {
		reached[v] = true
	}
	var others []int32
	for v := range int32(s.graph.N()) {
		if !reached[v] {
			others = append(others, v)
		}
	}
	return contradiction{fault.Value("the vertices %s are joined to %s by forbidden edges alone, %s; allow one of them",
		s.names.list(disconnected.Side), s.names.list(others), s.names.edges(s.edges, disconnected.Cut))}
}

func (t maskedTrees) count() *big.Int { return t.Count() }

func (t maskedTrees) facts() Facts { return Facts{LogCount: t.graph.LogCount, Sums: t.sums()} }
