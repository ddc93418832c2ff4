package structure

import (
	"fmt"

	"combpred/core/fault"
)

// maxVertices bounds complete graphs: at this size the scores of one output fill 64 megabytes, and decoding takes a
// matrix of twice that.
const maxVertices = 1 << 12

var _ = register(Spec{
	Name: "graphs",
	Doc:  "Sets of edges of a graph, of the complete one by default; ψ is the 0/1 membership of each edge.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 2, Most: maxLen, Reason: reasonOfLen,
			Bound: fmt.Sprintf("%d without edges", maxVertices), Doc: "number of vertices"},
		{Name: "property", Kind: "int", Most: 3, Optional: true,
			Doc: "what sets of edges have to be, 1: forests; 2: matchings; 3: bipartite graphs; " +
				"0 or absent: anything. Moments are those of all sets"},
		{Name: "edges", Kind: "int32 buffer", Optional: true, Doc: "ends of the possible edges, two for each; absent: all pairs u < v"},
	},
	Conditions: edgeTerms,
	Parts:      "0/1 membership of each edge",
	Psi: "the edges in the order of the parameter, or the pairs u < v of vertices in lexicographic order: (0, 1), (0, 2), …, " +
		"(1, 2), …",
	Ref:     "Vembu (2010), section 4.3.1: a graph property relaxed to all edge sets",
	Typical: []Args{{Scalars: map[string]int64{"n": 3}}, {Scalars: map[string]int64{"n": 3, "property": int64(matchings)}}},
	build:   newGraphs,
})

// graphs is the space of the sets of given edges, encoded as 0/1 membership. Edges are independent fair coins, so that
// all but the messages is the space of the subsets of as many labels: Σ = I/4, and the sign of its score decides every
// edge.
type graphs struct {
	labelSets
	vertices int
	edges    [][2]int32
}

var (
	_ Counter    = graphs{}
	_ Momenter   = graphs{}
	_ Enumerator = graphs{}
	_ Sampler    = graphs{}
	_ Decoder    = graphs{}
)

func newGraphs(a arguments) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	g := graphs{vertices: n}
	switch {
	case len(a.Ints) > 0:
		g.edges, err = edgesOf(n, a.Ints, a.names())
	case n > maxVertices:
		err = fault.Value("the complete graph may have %d vertices, not %d; list the possible edges",
			maxVertices, n)
	default:
		g.edges = completeEdges(n)
	}
	if err != nil {
		return nil, err
	}
	g.labelSets = labelSets{newSets(a.memo(), len(g.edges), -1), new(scratch)}
	if _, ok := a.Scalars["property"]; ok {
		property, err := a.Int("property")
		if err != nil {
			return nil, err
		}
		if property := edgeProperty(property); property != anyEdges {
			return newHereditaryGraphs(g, property), nil
		}
	}
	return g, nil
}

// Facts are those of label sets, with the layout of edges.
func (g graphs) Facts() Facts {
	f := g.labelSets.Facts()
	f.Layout = Layout{Format: formatOfEdges, Cells: g.cells()}
	return f
}

func (g graphs) columnNames() Names { return g.names.ofCells(g.cells()) }

// cells returns the edges.
func (g graphs) cells() Cells { return Cells{"edges", g.vertices, endsOf(g.edges)} }

func (g graphs) Check(y []int32) error { return checkEdgeMask(y, g.edges, g.names) }

func (g graphs) String() string {
	return fmt.Sprintf("sets of %d edges among %d vertices", len(g.edges), g.vertices)
}

var _ Proposer = graphs{}

// Restrict takes edges that are required or forbidden.
func (g graphs) Restrict() func([]Condition) (Restriction, error) {
	return restrictEdges(edgeTerms, g.Facts().Cells, g.names)
}
