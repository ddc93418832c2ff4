package structure

import "fmt"

// maxVertices bounds complete graphs: at this size the scores of one output fill 64 megabytes, and decoding takes a
// matrix of twice that.
const maxVertices = 1 << 12

var _ = register(Spec{
	Name: "graphs",
	Doc:  "Sets of edges of a graph, of the complete one by default; ψ is the 0/1 membership of each edge.",
	Params: []Param{
		{Name: "n", Kind: "int", Doc: fmt.Sprintf("number of vertices, from 2 on, at most %d without edges", maxVertices)},
		{Name: "edges", Kind: "int32 buffer", Doc: "ends of the possible edges, two for each; absent: all pairs u < v"},
	},
	Ref: "Vembu (2010), ch. 5: a graph property relaxed to all edge sets",
	New: newGraphs,
	Small: []Args{
		sized(2), sized(3), sized(5),
		edgeArgs(4, [][2]int32{{2, 0}}),
		edgeArgs(4, [][2]int32{{3, 1}, {0, 1}, {1, 2}, {2, 0}}),
	},
	Large: []Args{sized(60), edgeArgs(5001, pathEdges(5001))},
})

func edgeArgs(n int, edges [][2]int32) Args {
	a := sized(int64(n))
	for _, e := range edges {
		a.Ints = append(a.Ints, e[0], e[1])
	}
	return a
}

// pathEdges returns the edges of a path on n vertices.
func pathEdges(n int) [][2]int32 {
	edges := make([][2]int32, n-1)
	for i := range edges {
		edges[i] = [2]int32{int32(i), int32(i + 1)}
	}
	return edges
}

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
	_ Moments    = graphs{}
	_ Spectrum   = graphs{}
	_ Enumerator = graphs{}
	_ Sampler    = graphs{}
	_ Decoder    = graphs{}
)

func newGraphs(a Args) (Space, error) {
	n, err := a.Int("n", 2, maxLen)
	if err != nil {
		return nil, err
	}
	g := graphs{vertices: n}
	switch {
	case len(a.Ints) > 0:
		g.edges, err = edgesOf(n, a.Ints)
	case n > maxVertices:
		err = fmt.Errorf("structure: the complete graph may have %d vertices, not %d; list the possible edges",
			maxVertices, n)
	default:
		g.edges = completeEdges(n)
	}
	if err != nil {
		return nil, err
	}
	g.labelSets = labelSets{n: len(g.edges), size: -1, sorted: new(scratch)}
	return g, nil
}

func (g graphs) Check(y []int32) error { return checkEdgeMask(y, g.edges) }

func (g graphs) String() string {
	return fmt.Sprintf("sets of %d edges among %d vertices", len(g.edges), g.vertices)
}
