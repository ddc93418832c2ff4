package structure

import (
	"fmt"
	"iter"
	"math"
	"sync"

	"combpred/core/fault"
)

// maxSizedTable bounds the choices that decoding subtrees of a given size records, a quarter of a gigabyte.
const maxSizedTable = 1 << 26

// sizedSubtrees is the space of the rooted subtrees with a given number of nodes. It has sums, but no moments.
type sizedSubtrees struct {
	subspace[*subtrees]
	size   int
	masked func() (*maskedSubtrees, error) // the same space as paths of a graph, made once
}

func newSizedSubtrees(all *subtrees, size int) *sizedSubtrees {
	masked := sync.OnceValues(func() (*maskedSubtrees, error) { return all.masked(nil, size, size) })
	return &sizedSubtrees{subspace[*subtrees]{all}, size, masked}
}

var (
	_ Enumerator  = (*sizedSubtrees)(nil)
	_ Decoder     = (*sizedSubtrees)(nil)
	_ Partitioner = (*sizedSubtrees)(nil)
)

func (t *sizedSubtrees) String() string {
	return fmt.Sprintf("%v, those with %d nodes", t.all, t.size)
}

func (t *sizedSubtrees) Facts() Facts {
	f := t.subspace.Facts()
	f.TooLargeToDecode = t.tooLarge()
	return f
}

func (t *sizedSubtrees) tooLarge() bool { return len(t.all.parent) > maxSizedTable/(t.size+1) }

func (t *sizedSubtrees) Check(y []int32) error {
	if err := t.all.Check(y); err != nil {
		return err
	}
	if k := members(y); k != t.size {
		return fault.Value("the subtree has %d nodes, must have %d", k, t.size)
	}
	return nil
}

func members(y []int32) (k int) {
	for _, in := range y {
		k += int(in)
	}
	return k
}

// All lists the subtrees in the order of all.
func (t *sizedSubtrees) All() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for y := range t.all.All() {
			if members(y) == t.size && !yield(y) {
				return
			}
		}
	}
}

// Decode finds a best subtree by dynamic programming, leaves first: for each node and number k, the most that k nodes
// below it earn, itself included. Children are added one after the other, so that all pairs of numbers cost O(n·size)
// (the knapsack problem on trees: Johnson and Niemi, 1983). It returns a *LimitError where n·size exceeds 2²⁶.
func (t *sizedSubtrees) Decode(dst []int32, score Scores) (Certificate, error) {
	parent, order := t.all.parent, t.all.order
	n := len(parent)
	mustLen("dst", len(dst), n)
	mustScores(score, n)
	if t.tooLarge() {
		return Certificate{}, &LimitError{
			What:         fmt.Sprintf("decoding of rooted subtrees of %d nodes by the number of nodes of the tree", t.size),
			Size:         n,
			Limit:        maxSizedTable / (t.size + 1),
			Alternatives: "leave out the size, or ask for a smaller one",
		}
	}
	below := make([][]float64, n) // below[v][k]: the most that k nodes below v earn, children so far
	taken := make([][]int32, n)   // taken[v][k]: how many of the k nodes are v and below when v is added to its parent
	for i := n - 1; i > 0; i-- {
		v := order[i]
		p := parent[v]
		own := withNode(below[v], score.indicator(int(v)), t.size)
		below[v] = nil
		below[p], taken[v] = addChild(below[p], own, t.size-1)
	}
	left := make([]int32, n)
	clear(dst)
	root := order[0]
	dst[root], left[root] = 1, int32(t.size-1)
	value := score.indicator(int(root))
	for _, v := range order[1:] {
		p := parent[v]
		if dst[p] == 0 {
			continue
		}
		k := taken[v][left[p]]
		left[p] -= k
		if k > 0 {
			dst[v], left[v] = 1, k-1
			value += score.indicator(int(v))
		}
	}
	return proven(value), nil
}

// LogPartition sums over the paths of a graph with a vertex for each node and size. It returns a *LimitError where that has more
// than 2²⁵ arcs. Cost: O(n·size).
func (t *sizedSubtrees) LogPartition(marginals, scores []float64, poll func() error) (float64, error) {
	m, err := t.masked()
	if err != nil {
		return 0, err
	}
	return m.LogPartition(marginals, scores, poll)
}

func (t *sizedSubtrees) partitionCost(marginals bool) float64 {
	m, err := t.masked()
	if err != nil {
		return math.Inf(1)
	}
	return m.PartitionCost(marginals)
}

// Distribution draws node by node. Cost: O(n) for each output, beside that of LogPartition.
func (t *sizedSubtrees) Distribution(scores []float64, poll func() error) (Draw, error) {
	m, err := t.masked()
	if err != nil {
		return nil, err
	}
	return m.Distribution(scores, poll)
}

// withNode returns the most that 0, 1, … nodes earn that are none, or a node and some below it.
func withNode(below []float64, score float64, most int) []float64 {
	own := make([]float64, 1, len(below)+2)
	if below == nil {
		below = []float64{0}
	}
	for _, b := range below[:min(len(below), most)] {
		own = append(own, score+b)
	}
	return own
}

// addChild returns what both can earn together, for every number of nodes up to most, and how many are the child's.
func addChild(one, child []float64, most int) (sum []float64, taken []int32) {
	if one == nil {
		one = []float64{0}
	}
	size := min(len(one)+len(child)-1, most+1)
	sum, taken = make([]float64, size), make([]int32, size)
	for k := range sum {
		first := max(0, k-len(one)+1) // which stays where sums overflow to −Inf
		sum[k], taken[k] = one[k-first]+child[first], int32(first)
		for j := first + 1; j <= min(k, len(child)-1); j++ {
			if s := one[k-j] + child[j]; s > sum[k] {
				sum[k], taken[k] = s, int32(j)
			}
		}
	}
	return sum, taken
}

// Restrict takes nodes that are required, as those above them are then, or forbidden, as those below them are then, and a number of
// nodes.
func (t *subtrees) Restrict() func([]Condition) (Restriction, error) {
	return func(given []Condition) (r Restriction, err error) {
		m, err := readMembers(nodeTerms, "node", given, len(t.parent), t.names)
		if err != nil {
			return r, err
		}
		const in, out = 1, -1
		fixed := make([]int8, len(t.parent))
		for _, v := range m.forbidden {
			fixed[v] = out
		}
		root := t.order[0]
		if fixed[root] == out {
			return r, fault.Value("'forbidden' holds node %s, the root of every subtree; leave it out", t.names.of(int(root)))
		}
		fixed[root] = in
		for _, v := range m.required {
			for at := int32(v); fixed[at] != in; at = t.parent[at] {
				if fixed[at] == out {
					return r, fault.Value("node %s is required, node %s above it is forbidden; %s", t.names.of(v), t.names.of(int(at)), dropOne)
				}
				fixed[at] = in
			}
		}
		for _, v := range t.order[1:] {
			if fixed[t.parent[v]] == out {
				fixed[v] = out
			}
		}
		m.required, m.forbidden = nil, nil
		for v, f := range fixed {
			switch f {
			case in:
				m.required = append(m.required, v)
			case out:
				m.forbidden = append(m.forbidden, v)
			}
		}
		return Restriction{Mask: m.mask()}, m.checkSize(1)
	}
}
