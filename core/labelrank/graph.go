package labelrank

import (
	"fmt"

	"combpred/core/badrow"
)

// Decomposition says how the edges of an example are divided into subgraphs.
type Decomposition int32

// The decompositions.
const (
	Edges Decomposition = iota // each edge on its own
	Stars                      // the edges from each label that stands before others
	Whole                      // all edges together
)

// Examples are the preferences of n rows about k labels.
type Examples struct {
	Labels        int
	Decomposition Decomposition
	// Signs has k(k−1)/2 entries a row, for the pairs u < v in lexicographic order: positive where u is to stand before v,
	// negative where v is to stand before u, 0 where neither is known.
	Signs   []int8
	Margins []float64 // by which scores are to differ, laid out alike; nil: 1
	Weights []float64 // of the rows, not negative; nil: 1
}

// Rows returns the number of rows. Labels must be at least 2.
func (e *Examples) Rows() int { return len(e.Signs) / e.pairs() }

func (e *Examples) pairs() int { return e.Labels * (e.Labels - 1) / 2 }

// Check returns an error where the decomposition is none, or a row's weight or margin is not a number as it must be.
func (e *Examples) Check() error {
	if e.Decomposition < Edges || e.Decomposition > Whole {
		return fmt.Errorf("labelrank: decomposition is %d, must be from %d to %d", e.Decomposition, Edges, Whole)
	}
	for i, w := range e.Weights {
		if !finite(w) || w < 0 {
			return badrow.Named(i, "labelrank: weights: row %d has %g, must be finite and not negative", i, w)
		}
	}
	for at, m := range e.Margins {
		if i := at / e.pairs(); !finite(m) {
			return badrow.Named(i, "labelrank: margins: row %d has %g", i, m)
		}
	}
	return nil
}

func (e *Examples) weight(i int) float64 {
	if e.Weights == nil {
		return 1
	}
	return e.Weights[i]
}

// edge says that the score of winner is to exceed that of loser by margin.
type edge struct {
	winner, loser int
	pair          int // its place in the row
	margin        float64
}

// graph holds the edges of a row, those of a subgraph side by side.
type graph struct {
	edges []edge
	ends  []int   // of the subgraphs
	share float64 // of one subgraph in the loss of the row: one over their number
}

// readFrom makes g the graph of row i. Cost: O(k²).
func (g *graph) readFrom(e *Examples, i int) {
	g.edges, g.ends, g.share = g.edges[:0], g.ends[:0], 0
	signs := e.Signs[i*e.pairs() : (i+1)*e.pairs()]
	var margins []float64
	if e.Margins != nil {
		margins = e.Margins[i*e.pairs() : (i+1)*e.pairs()]
	}
	if e.Decomposition == Stars {
		g.readStars(signs, margins, e.Labels)
	} else {
		g.readPairs(signs, margins, e.Labels, e.Decomposition == Edges)
	}
	if len(g.ends) > 0 {
		g.share = 1 / float64(len(g.ends))
	}
}

// readPairs takes the edges in the order of the pairs.
func (g *graph) readPairs(signs []int8, margins []float64, k int, single bool) {
	p := 0
	for u := range k {
		for v := u + 1; v < k; v++ {
			if s := signs[p]; s > 0 {
				g.append(u, v, p, margins)
			} else if s < 0 {
				g.append(v, u, p, margins)
			}
			p++
			if n := len(g.edges); single && n > len(g.ends) {
				g.ends = append(g.ends, n)
			}
		}
	}
	if n := len(g.edges); !single && n > 0 {
		g.ends = append(g.ends, n)
	}
}

// readStars takes them by their winners.
func (g *graph) readStars(signs []int8, margins []float64, k int) {
	for w := range k {
		before := len(g.edges)
		for u := range w {
			if p := pairAt(u, w, k); signs[p] < 0 {
				g.append(w, u, p, margins)
			}
		}
		for v := w + 1; v < k; v++ {
			if p := pairAt(w, v, k); signs[p] > 0 {
				g.append(w, v, p, margins)
			}
		}
		if n := len(g.edges); n > before {
			g.ends = append(g.ends, n)
		}
	}
}

func (g *graph) append(winner, loser, pair int, margins []float64) {
	margin := 1.0
	if margins != nil {
		margin = margins[pair]
	}
	g.edges = append(g.edges, edge{winner, loser, pair, margin})
}

// pairAt returns the place of u < v among the pairs of k labels.
func pairAt(u, v, k int) int { return u*(2*k-u-1)/2 + v - u - 1 }
