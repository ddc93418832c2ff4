package metric

import (
	"math"

	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/structure"
)

// Nodes is a measure of nodes of a tree, or of sets of nodes with all above them.
type Nodes int

const (
	PathLength   Nodes = iota // how many nodes are on one of the paths to the root only
	PathDistance              // the same over how many are on either
	HLoss                     // the cost of the wrong nodes of which all above are right
	SetHLoss                  // the same of sets
)

// NodeCosts is how much a wrong node counts in HLoss.
type NodeCosts int

const (
	UnitCosts    NodeCosts = iota
	SiblingCosts           // 1 for the root, which its children share equally, and so on
	SubtreeCosts           // the share of all nodes that are in the subtree
	OwnCosts               // what the caller says
)

// Tree is a rooted tree of nodes and the costs of these.
type Tree struct {
	parent, depth []int32
	cost          []float64
}

// NewTree returns a tree, given the parent of each node, −1 for the root. own is of OwnCosts alone: at least 0 and finite. Cost: O(k).
func NewTree(parent []int32, costs NodeCosts, own []float64) (*Tree, error) {
	down, err := structure.TopDown(parent)
	if err != nil {
		return nil, err
	}
	t := &Tree{parent: parent, depth: make([]int32, len(parent)), cost: make([]float64, len(parent))}
	children := make([]int, len(parent))
	for _, v := range down[1:] {
		t.depth[v] = t.depth[parent[v]] + 1
		children[parent[v]]++
	}
	for v := range t.cost {
		t.cost[v] = 1
	}
	switch costs {
	case SiblingCosts:
		for _, v := range down[1:] {
			t.cost[v] = t.cost[parent[v]] / float64(children[parent[v]])
		}
	case SubtreeCosts:
		for at := len(down) - 1; at > 0; at-- {
			t.cost[parent[down[at]]] += t.cost[down[at]]
		}
		for v := range t.cost {
			t.cost[v] /= float64(len(parent))
		}
	case OwnCosts:
		if len(own) != len(parent) {
			return nil, fault.Value("node_weight has %d entries for %d nodes", len(own), len(parent))
		}
		for v, c := range own {
			if !(c >= 0) || math.IsInf(c, 1) {
				return nil, fault.Value("the node_weight of node %d is %g, must be finite and at least 0", v, c)
			}
		}
		t.cost = own
	}
	return t, nil
}

// rowsOfNodes is how many rows a worker takes at a time.
const rowsOfNodes = 256

// ValuesTo writes to dst the measure of every row: of one node each, or, of SetHLoss, of a set, an entry 0 or 1 for every node, in which
// the parents of its nodes are. Cost: O(h) for each row of nodes, h the height, and O(k) for sets.
func (m Nodes) ValuesTo(dst []float64, truth, predicted Rows, t *Tree, workers int, mon *parallel.Monitor) error {
	want := 1
	if m == SetHLoss {
		want = len(t.parent)
	}
	if truth.Width != want || predicted.Width != want {
		return fault.Value("rows have %d and %d entries, must have %d", truth.Width, predicted.Width, want)
	}
	return parallel.For(truth.count(), rowsOfNodes, workers, mon, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			a, b := truth.row(i), predicted.row(i)
			if m == SetHLoss {
				dst[i] = t.wrongSets(a, b)
				continue
			}
			for at, v := range [2]int32{a[0], b[0]} {
				if v < 0 || int(v) >= len(t.parent) {
					name := [2]string{"y_true", "y_pred"}[at]
					return fault.At(i, fault.Value("%s is %d; nodes are whole numbers 0..%d", name, v, len(t.parent)-1))
				}
			}
			dst[i] = m.value(t, a[0], b[0])
		}
		return mon.Err()
	})
}

func (m Nodes) value(t *Tree, a, b int32) float64 {
	apart, cost := 0.0, 0.0 // what is on one path only, and the cost of the highest of these
	for a != b {
		cost = 0
		deeper := t.depth[a] - t.depth[b]
		if deeper >= 0 {
			cost += t.cost[a]
			a = t.parent[a]
			apart++
		}
		if deeper <= 0 {
			cost += t.cost[b]
			b = t.parent[b]
			apart++
		}
	}
	switch m {
	case PathLength:
		return apart
	case PathDistance:
		return apart / (apart + float64(t.depth[a]) + 1)
	default:
		return cost
	}
}

// wrongSets returns the cost of the nodes in one of two sets only whose parents are in both. Those of a node in one alone are right, or
// it is not outermost.
func (t *Tree) wrongSets(a, b []int32) float64 {
	sum := 0.0
	for v, above := range t.parent {
		if a[v] != b[v] && (above < 0 || a[above] == b[above]) {
			sum += t.cost[v]
		}
	}
	return sum
}
