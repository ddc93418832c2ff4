package structure

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
	"combpred/core/graph/dag"
)

// Let f(v) be the number of subtrees rooted at v, the empty one included: f(v) = 1 + Π f(c) over the children c of v. A
// rooted subtree of the whole tree chooses for each child of the root one of f(c) independently, so there are f(root) −
// 1. Hence under the uniform distribution the root is always in, and a node whose parent is in is in itself with
// probability 1 − 1/f(v), independently of everything that is not below it. With k(v) this probability (1 for the root):
//
//	P(v)    = Π k(a) over v and its ancestors a,
//	P(u, v) = P(u) P(v) / P(w) for their lowest common ancestor w,
//
// and samples are drawn from the root downwards. No probability but 1/f(v) is small, and 1/f is harmless where f
// overflows a float64. So floats suffice: sums and products of positive numbers keep their relative precision.

// maxTreeNodes bounds trees: the exact count may have as many bits as half the nodes, and takes one addition of that
// length for every level.
const maxTreeNodes = 1 << 20

var _ = register(Spec{
	Name: "subtrees",
	Doc:  "Non-empty subtrees of a rooted tree that contain the root; ψ is the 0/1 membership of each node.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxTreeNodes, Reason: "beyond that the exact count takes too long",
			Doc: "number of nodes"},
		{Name: "size", Kind: "int", Least: -1, Most: maxTreeNodes, Bound: "n", Optional: true,
			Doc: "number of nodes of every subtree, not 0; -1 or absent: any number"},
		{Name: "parent", Kind: "int32 buffer", Doc: "n entries: the parent of each node, -1 for the root"},
	},
	Conditions: nodeTerms,
	Parts:      "0/1 membership of each node",
	Psi:        "the nodes",
	Ref:        "Vembu (2010), section 4.3.2, with uniform samples drawn from the root downwards",
	Typical:    []Args{{Scalars: map[string]int64{"n": 2}, Ints: []int32{-1, 0}}},
	build:      newSubtrees,
})

// subtrees is the space of the rooted subtrees of a tree, encoded as 0/1 membership of the nodes.
type subtrees struct {
	*memo
	parent []int32    // -1 for the root
	order  []int32    // all nodes, parents before children
	below  [][2]int32 // where the children of each node lie in order
	exact  []uint64   // f(v) where it fits 64 bits, otherwise 0; unused at the root
	drop   []float64  // 1/f(v), 0 at the root
	log    float64    // ln(f(root) − 1)
	sums   *scratch
	// depthFirst returns the graph whose paths are all subtrees, which is built once.
	depthFirst func() (*dag.Graph, error)
}

var (
	_ Counter    = (*subtrees)(nil)
	_ Momenter   = (*subtrees)(nil)
	_ Enumerator = (*subtrees)(nil)
	_ Sampler    = (*subtrees)(nil)
	_ Decoder    = (*subtrees)(nil)
)

func newSubtrees(a arguments) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	if len(a.Ints) != n {
		return nil, fault.Value("subtrees of %d nodes need %d integers, the parents, not %d", n, n, len(a.Ints))
	}
	t := &subtrees{
		memo:   a.memo(),
		parent: slices.Clone(a.Ints),
		exact:  make([]uint64, n),
		drop:   make([]float64, n),
		sums:   new(scratch),
	}
	if t.order, err = topDown(t.parent, t.names); err != nil {
		return nil, err
	}
	t.below = childRanges(t.parent, t.order)
	t.tabulate()
	t.depthFirst = sync.OnceValues(t.newGraph)
	size := -1
	if _, ok := a.Scalars["size"]; ok {
		if size, err = a.IntTo("size", int64(n)); err != nil {
			return nil, err
		}
	}
	switch {
	case size < 0:
		return t, nil
	case size == 0:
		return nil, fault.Value("parameter \"size\" is 0, but every subtree has its root")
	}
	mask := NewMask()
	mask.Size = Range{size, size}
	return Within(t, mask)
}

// tabulate computes f of every node, children first: exactly where it fits 64 bits (0 stands for larger), and its
// reciprocal; and the logarithm of the count. Cost: O(n).
func (t *subtrees) tabulate() {
	n := len(t.parent)
	product := make([]uint64, n) // Π f(c) over the children c of each node, 0 beyond 64 bits
	float := make([]float64, n)  // the same, +Inf where it overflows
	logs := make([]float64, n)   // its logarithm
	for v := range n {
		product[v], float[v] = 1, 1
	}
	for i := n - 1; i > 0; i-- {
		v := t.order[i]
		p := t.parent[v]
		if product[v] > 0 {
			t.exact[v] = product[v] + 1 // 0 where that is 2⁶⁴
		}
		t.drop[v] = 1 / (float[v] + 1)
		high, low := bits.Mul64(product[p], t.exact[v])
		if high > 0 {
			low = 0
		}
		product[p] = low
		float[p] *= float[v] + 1
		logs[p] += logs[v] + math.Log1p(math.Exp(-logs[v]))
	}
	t.log = logs[t.order[0]]
}

func (t *subtrees) String() string {
	return fmt.Sprintf("rooted subtrees of a tree of %d nodes", len(t.parent))
}
func (t *subtrees) PartLen() int    { return len(t.parent) }
func (t *subtrees) FeatureLen() int { return len(t.parent) }

// Count multiplies the children's counts in balanced pairs. Cost: for a tree of height h, h additions of up to n/2 bits
// and products of the same total length.
func (t *subtrees) Count() *big.Int {
	factors := make([][]*big.Int, len(t.parent))
	one := big.NewInt(1)
	for i := len(t.order) - 1; i > 0; i-- {
		v := t.order[i]
		f := multiply(factors[v])
		factors[v] = nil
		p := t.parent[v]
		factors[p] = append(factors[p], f.Add(f, one))
	}
	return multiply(factors[t.order[0]])
}

// multiply returns the product of the numbers as a new number, multiplied in a balanced tree.
func multiply(x []*big.Int) *big.Int {
	switch len(x) {
	case 0:
		return big.NewInt(1)
	case 1:
		return new(big.Int).Set(x[0])
	}
	half := len(x) / 2
	z := multiply(x[:half])
	return z.Mul(z, multiply(x[half:]))
}

func (t *subtrees) Check(y []int32) error {
	mustLen("y", len(y), len(t.parent))
	if i := notBit(y); i >= 0 {
		return wrongPart(y, i, t.names, t.Format())
	}
	for v, in := range y {
		switch p := t.parent[v]; {
		case p < 0 && in == 0:
			return fault.Value("the root, node %s, is left out; every subtree contains it: set it to 1", t.names.of(v))
		case p >= 0 && in == 1 && y[p] == 0:
			return fault.Value("node %s is in, its parent, node %s, is not; add the ancestors of every node to the row", t.names.of(v),
				t.names.of(int(p)))
		}
	}
	return nil
}

func (t *subtrees) Format() string {
	return "subtrees are 0/1 matrices, 1 where the node belongs to the row"
}

func (t *subtrees) Facts() Facts {
	return Facts{
		Layout:   Layout{Format: t.Format(), Names: t.names.each("node", len(t.parent)), Costs: costsOfTrees},
		LogCount: func() float64 { return t.log },
		Lattice:  t,
		Sums:     sumsOf(t.partitionCost),
	}
}

func (t *subtrees) columnNames() Names { return t.names }

func (t *subtrees) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), len(t.parent))
	mustLen("y", len(y), len(t.parent))
	for v, in := range y {
		dst[v] = float64(in)
	}
}

func (t *subtrees) Mean(dst []float64) {
	mustLen("dst", len(dst), len(t.parent))
	for _, v := range t.order {
		dst[v] = 1
		if p := t.parent[v]; p >= 0 {
			dst[v] = dst[p] * (1 - t.drop[v])
		}
	}
}

// SecondMoment fills the row of each node u downwards: ancestors of u are in whenever u is, and any other node v with
// probability k(v) where its parent is. Cost: O(n²).
func (t *subtrees) SecondMoment(dst blas64.General) {
	n := len(t.parent)
	mustLen("dst's column", dst.Rows, n)
	mustLen("dst's row", dst.Cols, n)
	mean := make([]float64, n)
	t.Mean(mean)
	above := make([]bool, n)
	for u := range n {
		for a := int32(u); a >= 0; a = t.parent[a] {
			above[a] = true
		}
		r := row(dst, u)
		for _, v := range t.order {
			if above[v] {
				r[v] = mean[u]
			} else {
				r[v] = r[t.parent[v]] * (1 - t.drop[v])
			}
		}
		for a := int32(u); a >= 0; a = t.parent[a] {
			above[a] = false
		}
		for v := range u { // the same up to rounding
			r[v] = dst.Data[v*dst.Stride+u]
		}
	}
}

// All lists the subtrees in lexicographic order of the memberships, nodes level by level from the root: the next one
// gains the last node that can be added, and loses all nodes after it.
func (t *subtrees) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		y := make([]int32, len(t.parent))
		y[t.order[0]] = 1
		for yield(y) {
			i := len(t.order) - 1
			for ; i > 0; i-- {
				v := t.order[i]
				if y[v] == 0 && y[t.parent[v]] == 1 {
					y[v] = 1
					break
				}
				y[v] = 0
			}
			if i == 0 {
				return
			}
		}
	}
}

// Sample drops each node whose parent is in with probability 1/f(v). The coin is exact while f(v) fits 64 bits; rarer
// events come out with a probability that is right to 53 bits. Leaves take one bit each, whether their parent is in or
// not, which saves a branch that no processor foresees. Cost: O(n).
func (t *subtrees) Sample(dst []int32, rng *rand.Rand) {
	mustLen("dst", len(dst), len(t.parent))
	dst[t.order[0]] = 1
	var word uint64
	left := 0
	for _, v := range t.order[1:] {
		in := dst[t.parent[v]]
		switch {
		case t.exact[v] == 2:
			if left == 0 {
				word, left = rng.Uint64(), 64
			}
			in &= int32(word & 1)
			word >>= 1
			left--
		case in == 1 && t.dropped(v, rng):
			in = 0
		}
		dst[v] = in
	}
}

func (t *subtrees) dropped(v int32, rng *rand.Rand) bool {
	if f := t.exact[v]; f > 0 {
		return rng.Uint64N(f) == 0
	}
	return rng.Uint64() == 0 && rng.Float64() < t.drop[v]*(1<<63)*2
}

// Decode adds up the best scores below each node, leaves first, and keeps the branches whose best is positive: among
// equals the smallest subtree. Cost: O(n).
func (t *subtrees) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), len(t.parent))
	mustScores(score, len(t.parent))
	return proven(t.best(dst, score, nil)), nil
}

// best writes the best subtree that holds the nodes of state 1, and with them all above, and none of state −1, nor below; nil: any.
func (t *subtrees) best(dst []int32, score Scores, state []int8) float64 {
	buf := t.sums.get(len(t.parent))
	defer t.sums.put(buf)
	best := *buf
	for v := range best {
		best[v] = score.indicator(v)
	}
	for i := len(t.order) - 1; i > 0; i-- {
		v := t.order[i]
		worth := max(0, best[v])
		if state != nil && state[v] != 0 { // then the sign of best says which
			worth, best[v] = best[v], math.Inf(1)
			if state[v] < 0 {
				worth, best[v] = 0, 0
			}
		}
		best[t.parent[v]] += worth
	}
	for _, v := range t.order {
		dst[v] = 1
		if p := t.parent[v]; p >= 0 && (dst[p] == 0 || !(best[v] > 0)) {
			dst[v] = 0
		}
	}
	return best[t.order[0]]
}

func (t *subtrees) bounds() (items, ends int) { return 0, 0 }

// keeps: the size of a mask bounds the number of nodes.
func (t *subtrees) keeps(m *Mask, y []int32) bool { return m.Size.has(members(y)) }
