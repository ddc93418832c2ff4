package labelrank

import (
	"slices"

	"combpred/core/fault"
)

// Decomposition says how the edges of an example are divided into subgraphs.
type Decomposition int32

// The decompositions.
const (
	Edges Decomposition = iota // each edge on its own
	Stars                      // the edges from each label that stands before others
	Whole                      // all edges together
	Sinks                      // the edges to each label that stands behind others
)

// Subgraphs are divisions of the caller's own: the subgraphs of row i are those numbered from Rows[i] to Rows[i+1], the edges of subgraph
// s those numbered from Edges[s] to Edges[s+1]. An edge may be in several of them.
type Subgraphs struct {
	Rows, Edges []int64
	Ends        [][2]int32 // winner and loser of each edge
}

// Examples are the preferences of n rows about k labels.
type Examples struct {
	Labels        int
	Decomposition Decomposition
	// Signs has k(k−1)/2 entries a row, for the pairs u < v in lexicographic order: positive where u is to stand before v,
	// negative where v is to stand before u, 0 where neither is known.
	Signs   []int8
	Margins []float64 // by which scores are to differ, laid out alike; nil: 1
	Weights []float64 // of the rows, not negative; nil: 1
	// Own, unless nil, divides the edges in place of Decomposition.
	Own *Subgraphs
}

// Rows returns the number of rows. Labels must be at least 2.
func (e *Examples) Rows() int { return len(e.Signs) / e.pairs() }

func (e *Examples) pairs() int { return e.Labels * (e.Labels - 1) / 2 }

// Check returns an error where the decomposition is none, or a row's weight or margin is not a number as it must be.
func (e *Examples) Check() error {
	if e.Decomposition < Edges || e.Decomposition > Sinks {
		return fault.Value("decomposition is %d, must be from %d to %d", e.Decomposition, Edges, Sinks)
	}
	if e.Own != nil {
		if err := e.Own.check(e); err != nil {
			return err
		}
	}
	for i, w := range e.Weights {
		if !finite(w) || w < 0 {
			return fault.At(i, fault.Value("the weight is %g, must be finite and not negative", w))
		}
	}
	for at, m := range e.Margins {
		if i := at / e.pairs(); !finite(m) {
			return fault.At(i, fault.Value("the margin is %g, must be finite", m))
		}
	}
	return nil
}

// check returns an error where offsets do not ascend, a subgraph is empty, or an edge is none that its row states.
func (s *Subgraphs) check(e *Examples) error {
	if len(s.Rows) != e.Rows()+1 || !ascends(s.Rows, len(s.Edges)-1) || !ascends(s.Edges, len(s.Ends)) {
		return fault.Value("the offsets of subgraphs must ascend from 0 to their numbers, for %d rows", e.Rows())
	}
	for i := range e.Rows() {
		signs := e.Signs[i*e.pairs() : (i+1)*e.pairs()]
		for at := s.Rows[i]; at < s.Rows[i+1]; at++ {
			if s.Edges[at] == s.Edges[at+1] {
				return fault.At(i, fault.Value("subgraph %d of the decomposition has no edges", at-s.Rows[i]))
			}
			for _, ends := range s.Ends[s.Edges[at]:s.Edges[at+1]] {
				winner, loser := int(ends[0]), int(ends[1])
				if min(winner, loser) < 0 || max(winner, loser) >= e.Labels || winner == loser {
					return fault.At(i, fault.Value("subgraph %d of the decomposition has an edge from %d to %d, must be different "+
						"labels from 0 to %d", at-s.Rows[i], winner, loser, e.Labels-1))
				}
				if sign := signs[pairAt(min(winner, loser), max(winner, loser), e.Labels)]; sign == 0 || (sign > 0) != (winner < loser) {
					return fault.At(i, fault.Value("subgraph %d of the decomposition has the edge from %d to %d, a preference "+
						"that the row does not state", at-s.Rows[i], winner, loser))
				}
			}
		}
	}
	return nil
}

// ascends reports whether offsets begin with 0, never fall, and end with n.
func ascends(offsets []int64, n int) bool {
	return len(offsets) > 0 && offsets[0] == 0 && offsets[len(offsets)-1] == int64(n) && slices.IsSorted(offsets)
}

// requireDisjoint returns an error where an edge is in two subgraphs of a row.
func (e *Examples) requireDisjoint() error {
	if e.Own == nil {
		return nil
	}
	seen := make(map[[2]int32]bool)
	for i := range e.Rows() {
		clear(seen)
		for _, ends := range e.Own.Ends[e.Own.Edges[e.Own.Rows[i]]:e.Own.Edges[e.Own.Rows[i+1]]] {
			if seen[ends] {
				return fault.At(i, fault.Value("two subgraphs hold the edge from %d to %d, and dual variables are one an edge; put "+
					"each edge in one", ends[0], ends[1]))
			}
			seen[ends] = true
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
	switch {
	case e.Own != nil:
		g.readOwn(e.Own, i, margins, e.Labels)
	case e.Decomposition == Stars, e.Decomposition == Sinks:
		g.readStars(signs, margins, e.Labels, e.Decomposition == Sinks)
	default:
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

// readStars takes them by their winners, or by their losers.
func (g *graph) readStars(signs []int8, margins []float64, k int, losers bool) {
	for w := range k {
		before := len(g.edges)
		for v := range k {
			if v == w {
				continue
			}
			p := pairAt(min(v, w), max(v, w), k)
			switch wins := (signs[p] > 0) == (w < v); {
			case signs[p] == 0 || wins == losers:
			case losers:
				g.append(v, w, p, margins)
			default:
				g.append(w, v, p, margins)
			}
		}
		if n := len(g.edges); n > before {
			g.ends = append(g.ends, n)
		}
	}
}

// readOwn takes them as they are given for row i.
func (g *graph) readOwn(own *Subgraphs, i int, margins []float64, k int) {
	for s := own.Rows[i]; s < own.Rows[i+1]; s++ {
		for _, ends := range own.Ends[own.Edges[s]:own.Edges[s+1]] {
			winner, loser := int(ends[0]), int(ends[1])
			g.append(winner, loser, pairAt(min(winner, loser), max(winner, loser), k), margins)
		}
		g.ends = append(g.ends, len(g.edges))
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
