package structure

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/fault"
)

var _ = register(Spec{
	Name: "hierarchy",
	Doc:  "One allowed node of a rooted tree; ψ marks the node and all its ancestors.",
	Params: []Param{
		{Name: "n", Kind: "int", Least: 1, Most: maxLen, Reason: reasonOfLen,
			Doc: "number of nodes"},
		{Name: "parent", Kind: "int32 buffer", Doc: "first n entries: the parent of each node, -1 for the root"},
		{Name: "allowed", Kind: "int32 buffer", Doc: "next n entries: 1 for nodes that may be predicted, 0 for others"},
	},
	Conditions: withinTerms,
	Parts:      "the node",
	Psi:        "the nodes",
	Ref:        "Vembu (2010), section 4.3.1: poset regression on the tree order, restricted to the allowed nodes",
	Typical:    []Args{{Scalars: map[string]int64{"n": 2}, Ints: []int32{-1, 0, 1, 1}}},
	build:      newHierarchy,
})

// hierarchy is the space of the allowed nodes of a tree, encoded as the node's index.
type hierarchy struct {
	allowedIndices
	parent []int32 // -1 for the root
	order  []int32 // all nodes, parents before children
	below  []int   // allowed nodes in the subtree of each node, itself included
	sums   *scratch
}

var (
	_ Counter    = (*hierarchy)(nil)
	_ Momenter   = (*hierarchy)(nil)
	_ Enumerator = (*hierarchy)(nil)
	_ Sampler    = (*hierarchy)(nil)
	_ Proposer   = (*hierarchy)(nil)
	_ Decoder    = (*hierarchy)(nil)
	_ Restricter = (*hierarchy)(nil)
	_ Moder      = (*hierarchy)(nil)
)

// withinTerms are the keys of nodes of a tree.
var withinTerms = []Term{{Key: WithinKey, Form: One, Of: "nodes"}}

func newHierarchy(a arguments) (Space, error) {
	n, err := a.Int("n")
	if err != nil {
		return nil, err
	}
	if len(a.Ints) != 2*n {
		return nil, fault.Value("a hierarchy of %d nodes needs %d integers, parents and allowed mask, not %d",
			n, 2*n, len(a.Ints))
	}
	allowed, err := allowIndices(a.memo(), n, "node", "hierarchy", a.Ints[n:])
	if err != nil {
		return nil, err
	}
	h := &hierarchy{
		allowedIndices: allowed,
		parent:         append([]int32(nil), a.Ints[:n]...),
		below:          make([]int, n),
		sums:           new(scratch),
	}
	for _, v := range h.allowed {
		h.below[v] = 1
	}
	if h.order, err = topDown(h.parent, h.names); err != nil {
		return nil, err
	}
	for i := n - 1; i > 0; i-- {
		v := h.order[i]
		h.below[h.parent[v]] += h.below[v]
	}
	return h, nil
}

func (h *hierarchy) String() string {
	return fmt.Sprintf("%d allowed nodes of a hierarchy of %d", len(h.allowed), len(h.parent))
}

func (h *hierarchy) FeatureLen() int { return len(h.parent) }

func (h *hierarchy) Facts() Facts {
	f := h.facts()
	f.Costs, f.Loss, f.Decision = costsOfTrees, "squared", "mode"
	f.Names, f.Sums = h.names.each("node", len(h.parent)), sumsOf(h.partitionCost)
	return f
}

// Embed costs O(n).
func (h *hierarchy) Embed(dst []float64, y []int32) {
	mustLen("dst", len(dst), len(h.parent))
	clear(dst)
	for v := y[0]; v >= 0; v = h.parent[v] {
		dst[v] = 1
	}
}

// share returns the fraction of outputs that lie below node v, itself included.
func (h *hierarchy) share(v int32) float64 {
	return float64(h.below[v]) / float64(len(h.allowed))
}

// Mean: ψ_i is 1 for the outputs in the subtree of i.
func (h *hierarchy) Mean(dst []float64) {
	mustLen("dst", len(dst), len(h.parent))
	for i := range dst {
		dst[i] = h.share(int32(i))
	}
}

// SecondMoment: two nodes are both marked for the outputs below the lower one if one is an ancestor of the other, and
// never otherwise. Cost: O(n²) to clear dst plus the sum of the depths.
func (h *hierarchy) SecondMoment(dst blas64.General) {
	n := len(h.parent)
	mustLen("dst's column", dst.Rows, n)
	mustLen("dst's row", dst.Cols, n)
	for i := range n {
		clear(row(dst, i))
	}
	for i := range int32(n) {
		both, r := h.share(i), row(dst, int(i))
		for a := i; a >= 0; a = h.parent[a] {
			r[a] = both
			dst.Data[int(a)*dst.Stride+int(i)] = both
		}
	}
}

// Decode sums the scores from the root downwards; the smallest index wins among allowed nodes of equal score. Cost:
// O(n).
func (h *hierarchy) Decode(dst []int32, score Scores) (Certificate, error) {
	mustLen("dst", len(dst), 1)
	mustScores(score, len(h.parent))
	buf := h.sums.get(len(h.parent))
	defer h.sums.put(buf)
	sum := *buf
	for _, v := range h.order {
		sum[v] = score.indicator(int(v))
		if p := h.parent[v]; p >= 0 {
			sum[v] += sum[p]
		}
	}
	best := h.allowed[0]
	for _, v := range h.allowed[1:] {
		if sum[v] > sum[best] {
			best = v
		}
	}
	dst[0] = best
	return proven(sum[best]), nil
}

// ModeScores: the probability of a node is that of its subtree less those of its children's. Scores add up along the path to the root, so
// that each node has what its probability exceeds that of its parent by. Cost: O(n).
func (h *hierarchy) ModeScores(expected []float64) {
	mustLen("expected", len(expected), len(h.parent))
	buf := h.sums.get(len(h.parent))
	defer h.sums.put(buf)
	own := *buf
	copy(own, expected)
	for v, p := range h.parent {
		if p >= 0 {
			own[p] -= expected[v]
		}
	}
	copy(expected, own)
	for v, p := range h.parent {
		if p >= 0 {
			expected[v] -= own[p]
		}
	}
}

// Restrict takes a node within whose subtree the output lies, the node itself included.
func (h *hierarchy) Restrict() func([]Condition) (Restriction, error) {
	return func(conditions []Condition) (r Restriction, err error) {
		keys, err := readConditions(withinTerms, conditions, len(h.parent), 0, h.names)
		if err != nil {
			return r, err
		}
		r.Mask = NewMask()
		if v := keys.one(WithinKey); v >= 0 {
			if h.below[v] == 0 {
				return r, fault.Value("'within' is node %s, and no node of its subtree is allowed; take a node above it", h.names.of(v))
			}
			r.Mask.Limit(len(h.parent), v, Plus)
		}
		return r, nil
	}
}
