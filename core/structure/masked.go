package structure

import (
	"errors"
	"fmt"

	"combpred/core/fault"
	"combpred/core/graph/dag"
)

// ErrNoOutput says that no output of a space satisfies the conditions it is held to.
var ErrNoOutput = fault.Value("no output satisfies all conditions")

// What a mask says of an element of outputs: that it must be there, or must not. All else, 0 by custom, leaves it free.
const (
	required  int8 = 1
	forbidden int8 = -1
)

// maskedSpace is what spaces that are held to a mask share: outputs are encoded and embedded as in the space, and have lo to
// hi elements, those that are required among them and none that is forbidden.
type maskedSpace struct {
	Space
	noun   string // what messages call an element, which is a part of an output and an entry of ψ
	state  []int8 // by element; nil: all are free
	lo, hi int
}

// Check asks for an output of the space that obeys the mask.
func (m *maskedSpace) Check(y []int32) error {
	if err := m.Space.Check(y); err != nil {
		return err
	}
	psi := make([]float64, m.FeatureLen())
	m.Embed(psi, y)
	return m.obeys(psi)
}

func (m *maskedSpace) obeys(counts []float64) error {
	size := 0
	for i, c := range counts {
		size += int(c)
		switch m.of(i) {
		case required:
			if c == 0 {
				return fault.Value("%s %d is required, but missing", m.noun, i)
			}
		case forbidden:
			if c > 0 {
				return fault.Value("%s %d is forbidden, but there", m.noun, i)
			}
		}
	}
	if size < m.lo || size > m.hi {
		return fault.Value("there are %d %s, must be %d to %d", size, plural(m.noun), m.lo, m.hi)
	}
	return nil
}

// of returns what the mask says of an element.
func (m *maskedSpace) of(i int) int8 {
	if m.state == nil {
		return 0
	}
	return m.state[i]
}

// pin makes the marginals of elements that the mask settles exact.
func (m *maskedSpace) pin(marginals []float64) {
	for i := range marginals {
		switch m.of(i) {
		case required:
			marginals[i] = 1
		case forbidden:
			marginals[i] = 0
		}
	}
}

// mustState panics unless a mask has an entry for each of n elements, or is nil.
func mustState(state []int8, n int) {
	if state != nil {
		mustLen("state", len(state), n)
	}
}

// heldGraph returns the paths of a graph that obey a mask. What names them for messages.
func heldGraph(g *dag.Graph, state []int8, lo, hi int, what string) (*dag.Graph, error) {
	within, err := g.Restrict(state, lo, hi)
	switch {
	case errors.Is(err, dag.ErrEmpty):
		return nil, ErrNoOutput
	case errors.Is(err, dag.ErrTooLarge):
		return nil, &LimitError{
			What: fmt.Sprintf("the exact recursion over %s, by arcs of the graph without a count", what),
			Size: g.Arcs(), Limit: dag.MaxArcs / (min(max(hi, 0), g.Longest()) + 1),
			Alternatives: "leave out the bounds, or take smaller ones",
		}
	}
	return within, err
}
