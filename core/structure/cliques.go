package structure

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

var _ = register(Spec{
	Name: "cliques",
	Doc:  "Cliques of the complete graph on n vertices, as vertex sets; ψ marks the pairs u < v inside the clique.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 2, Most: maxVertices,
			Reason: "beyond that the n(n−1)/2 scores of a single clique and their matrix take hundreds of megabytes",
			Doc:    "number of vertices"},
		{Name: "size", Kind: "int", Least: -1, Most: maxVertices, Bound: "n", Optional: true,
			Doc: "number of vertices in every clique; -1 or absent: any number"},
		{Name: "fixed", Kind: "int32 buffer", Optional: true,
			Doc: "n entries: 1 for each vertex that every clique holds, -1 for each that none holds, " +
				"0 for others; or none: all 0"},
	},
	Conditions: vertexTerms,
	Parts:      "0/1 membership of each vertex",
	Psi:        "the pairs u < v of vertices in lexicographic order: (0, 1), (0, 2), …, (1, 2), …",
	Ref:        "Vembu (2010), section 4.3.1, where an exponent of the second moment is to count the union of two pairs",
	Typical:    []Args{{Scalars: map[string]int64{"n": 3}}},
	build: func(a arguments) (Space, error) {
		n, err := a.Int("n")
		if err != nil {
			return nil, err
		}
		all := cliques{
			sets:   newSets(a.memo(), n, -1),
			scheme: pairScheme{n},
			pool:   new(pool[cliqueWorkspace]),
		}
		return all.restrict(a)
	},
})

// cliques is the space of all sets of vertices, encoded as 0/1 membership; the members are those of the subsets of as
// many labels. The empty set and the single vertices have no pair inside and share ψ = 0. Complements have other edges than
// those that are missing, and the score of a clique is no sum over its vertices: cliques are neither a sibling system nor a
// lattice, although vertex sets are.
type cliques struct {
	sets
	scheme pairScheme
	pool   *pool[cliqueWorkspace]
}

var (
	_ Counter    = cliques{}
	_ Momenter   = cliques{}
	_ Enumerator = cliques{}
	_ Sampler    = cliques{}
	_ Decoder    = cliques{}
	_ Searcher   = cliques{}
)

func (c cliques) String() string                         { return fmt.Sprintf("cliques among %d vertices", c.n) }
func (c cliques) FeatureLen() int                        { return c.scheme.pairs() }
func (c cliques) FrameLen(i int) int                     { return c.scheme.frameLen(i) }
func (c cliques) AnalyzeTo(dst, v blas64.General, i int) { c.scheme.analyzeTo(dst, v, i) }
func (c cliques) SynthesizeTo(dst, v blas64.General, i int) {
	c.scheme.synthesizeTo(dst, v, i)
}

func (c cliques) Check(y []int32) error {
	mustLen("y", len(y), c.n)
	if i := notBit(y); i >= 0 {
		return wrongPart(y, i, c.names, c.Format())
	}
	return nil
}

func (c cliques) Format() string {
	return "cliques are 0/1 matrices, 1 where the vertex belongs to the row"
}

// Facts: sets of fewer than two vertices share ψ = 0. The loss is the thesis's, as vertices show in ψ by pairs of them only.
func (c cliques) Facts() Facts {
	moves := movesOf(c.moveGaps())
	moves.Gain = c.gain
	return Facts{
		Layout:    Layout{Format: c.Format(), Cells: Cells{"edges", c.n, itemPairs(c.n)}},
		Ambiguous: true,
		Spectrum:  c,
		Loss:      "auc",
		Decision:  "mbr",
		Moves:     moves,
		Sums:      sumsOf(c.partitionCost),
	}
}

func (c cliques) columnNames() Names { return c.names }

func (c cliques) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), c.FeatureLen())
	mustLen("y", len(y), c.n)
	pair := 0
	for u, in := range y {
		for _, other := range y[u+1:] {
			dst[pair] = float64(in & other)
			pair++
		}
	}
}

// Mean is 1/4: both ends are in.
func (c cliques) Mean(dst []float64) {
	mustLen("dst", len(dst), c.FeatureLen())
	fill(dst, 0.25)
}

// SecondMoment is 2^−m for two pairs with m vertices in their union: 1/4, 1/8 where they share one, 1/16 where they are
// disjoint. Cost: O(d²).
func (c cliques) SecondMoment(dst blas64.General) {
	d := c.FeatureLen()
	mustLen("dst's column", dst.Rows, d)
	mustLen("dst's row", dst.Cols, d)
	pair := 0
	for u := range c.n {
		for v := u + 1; v < c.n; v++ {
			r := row(dst, pair)
			fill(r, 1.0/16)
			for w := range c.n {
				if w != u && w != v {
					r[c.scheme.number(u, w)] = 1.0 / 8
					r[c.scheme.number(v, w)] = 1.0 / 8
				}
			}
			r[pair] = 1.0 / 4
			pair++
		}
	}
}

// Eigenvalues: Σ is 3/16 on the diagonal, 1/16 for pairs that share a vertex, and 0 for others.
func (c cliques) Eigenvalues() []float64 {
	return c.scheme.eigenvalues(3.0/16, 1.0/16, 0)
}

func (c cliques) bounds() (items, ends int) { return c.n, 0 }

// keeps: the items of a mask are vertices.
func (c cliques) keeps(m *Mask, y []int32) bool {
	for v, x := range m.Items {
		if x != 0 && (x > 0) != (y[v] > 0) {
			return false
		}
	}
	return c.sets.keeps(m, y)
}
