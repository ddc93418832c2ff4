package structure

import (
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/graph/spanning"
)

// maxSpanned bounds the vertices of graphs with spanning trees: their moments take a matrix of n² potentials.
const maxSpanned = 1 << 12

var _ = register(Spec{
	Name: "spanningtrees",
	Doc:  "Spanning trees of a connected graph; ψ is the 0/1 membership of each edge.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 2, Most: maxSpanned, Reason: "beyond that the moments take gigabytes",
			Doc: "number of vertices"},
		{Name: "edges", Kind: "int32 buffer", Optional: true, Doc: "ends of the edges, two for each; absent: all pairs u < v"},
	},
	Conditions: edgeTerms,
	Parts:      "0/1 membership of each edge",
	Psi:        "the edges in the order of the parameter",
	Ref:        "Kirchhoff's matrix-tree theorem; Burton and Pemantle (1993) for pairs of edges; Wilson (1996) for samples",
	Typical:    []Args{{Scalars: map[string]int64{"n": 2}, Ints: []int32{0, 1}}},
	build:      newSpanningTrees,
})

// spanningTrees is the space of the spanning trees of a graph, encoded as 0/1 membership of the edges. Their number and
// moments, samples and maximum are those of package spanning.
type spanningTrees struct {
	*memo
	graph   *spanning.Graph
	edges   [][2]int32
	forests *pool[spanning.Forest]
}

var (
	_ Counter    = spanningTrees{}
	_ Momenter   = spanningTrees{}
	_ Enumerator = spanningTrees{}
	_ Sampler    = spanningTrees{}
	_ Decoder    = spanningTrees{}
)

func newSpanningTrees(a arguments) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	edges := completeEdges(n)
	if len(a.Ints) > 0 {
		if edges, err = edgesOf(n, a.Ints, a.names()); err != nil {
			return nil, err
		}
	}
	graph, err := spanning.New(n, edges)
	if disconnected, is := errors.AsType[*spanning.DisconnectedError](err); is {
		return nil, fault.Value("the graph is not connected, no path joins the vertices %s and %s; add edges, or take a tree for each of "+
			"its parts", a.names().of(int(disconnected.From)), a.names().of(int(disconnected.To)))
	}
	forests := new(pool[spanning.Forest])
	return spanningTrees{memo: a.memo(), graph: graph, edges: edges, forests: forests}, nil
}

func (s spanningTrees) String() string {
	return fmt.Sprintf("spanning trees of a graph of %d vertices and %d edges", s.graph.N(), len(s.edges))
}

func (s spanningTrees) PartLen() int           { return len(s.edges) }
func (s spanningTrees) FeatureLen() int        { return len(s.edges) }
func (s spanningTrees) Count() *big.Int        { return s.graph.Count() }
func (s spanningTrees) All() iter.Seq[[]int32] { return s.graph.All() }

// Check costs nearly O(n + d).
func (s spanningTrees) Check(y []int32) error {
	if err := checkEdgeMask(y, s.edges, s.names); err != nil {
		return err
	}
	f := s.forests.get()
	defer s.forests.put(f)
	f.Reset(s.graph.N())
	for i, in := range y {
		if e := s.edges[i]; in == 1 && !f.Join(e[0], e[1]) {
			return fault.Value("edge %d, %s, closes a cycle with edges before it; %s", i, s.names.pair(int(e[0]), int(e[1])),
				s.remedy())
		}
	}
	for v := range int32(s.graph.N()) {
		if f.Root(v) != f.Root(0) {
			return fault.Value("the edges do not span the graph: none of them joins vertex %s to vertex %s, "+
				"directly or through others; %s", s.names.of(int(v)), s.names.of(0), s.remedy())
		}
	}
	return nil
}

func (s spanningTrees) remedy() string {
	n := s.graph.N()
	return fmt.Sprintf("a spanning tree has %d edges that connect all %d vertices", n-1, n)
}

// cells returns the edges.
func (s spanningTrees) cells() Cells { return Cells{"edges", s.graph.N(), endsOf(s.edges)} }

func (s spanningTrees) columnNames() Names { return s.names.ofCells(s.cells()) }

func (s spanningTrees) Facts() Facts {
	f := Facts{
		Layout:   Layout{Format: formatOfEdges, Cells: s.cells()},
		LogCount: s.graph.LogCount,
		Moves:    movesOf(s.moveGaps()),
		Sums:     s.sums(),
	}
	f.Moves.Least = s.leastGap()
	return f
}

func (s spanningTrees) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), len(s.edges))
	mustLen("y", len(y), len(s.edges))
	for i, in := range y {
		dst[i] = float64(in)
	}
}

// Mean costs one elimination, at most O(n³), the first time.
func (s spanningTrees) Mean(dst []float64) {
	mustLen("dst", len(dst), len(s.edges))
	currents := s.graph.Currents()
	for i := range dst {
		dst[i] = currents.Edge(i)
	}
}

// SecondMoment costs O(d²) beside the first elimination.
func (s spanningTrees) SecondMoment(dst blas64.General) {
	d := len(s.edges)
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	currents := s.graph.Currents()
	for i := range d {
		r := row(dst, i)
		for j := range i + 1 {
			r[j] = currents.Pair(i, j)
			dst.Data[j*dst.Stride+i] = r[j]
		}
	}
}

func (s spanningTrees) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), len(s.edges))
	s.graph.SampleTo(dst, rng)
}

// Decode takes edges by descending score as long as they close no cycle; of equal ones those with small indices come
// first. Cost: O(d log d).
func (s spanningTrees) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), len(s.edges))
	mustScores(score, len(s.edges))
	return proven(s.graph.MaximumTo(dst, score.indicator)), nil
}

// Restrict takes edges that are required or forbidden.
func (s spanningTrees) Restrict() func([]Condition) (Restriction, error) {
	return refusing(s, restrictEdges(edgeTerms, s.Facts().Cells, s.names))
}
