package structure

// maxSizedTable bounds the choices that decoding subtrees of given sizes records, a quarter of a gigabyte.
const maxSizedTable = 1 << 26

// most returns how many nodes that are free the subtrees have at most.
func (m *maskedSubtrees) most() int { return m.size.Most - m.required }

func (m *maskedSubtrees) tooManyCells() bool { return m.free > maxSizedTable/(m.most()+1) }

// knapsack finds a best subtree of the sizes by dynamic programming, leaves first: for each node and number k, the most that k free nodes
// below it earn, itself included, with those that are required. Children are added one after the other, so that all pairs of numbers cost
// O(n·size) (the knapsack problem on trees: Johnson and Niemi, 1983).
func (m *maskedSubtrees) knapsack(dst []int32, score Scores) (value float64) {
	parent, order, most := m.all.parent, m.all.order, m.most()
	below := make([][]float64, len(parent)) // below[v][k]: the most that k free nodes below v earn, children so far
	taken := make([][]int32, len(parent))   // taken[v][k]: how many of the k free ones are v and below when v is added to its parent
	for i := len(order) - 1; i > 0; i-- {
		v := order[i]
		if m.state[v] < 0 {
			continue
		}
		own := withNode(below[v], score.indicator(int(v)), most, m.state[v] == 0)
		below[v] = nil
		below[parent[v]], taken[v] = addChild(below[parent[v]], own, most)
	}
	root := order[0]
	left := make([]int32, len(parent))
	if earned := below[root]; earned != nil {
		k := m.size.Least - m.required
		for j := k + 1; j < len(earned); j++ {
			if earned[j] > earned[k] {
				k = j
			}
		}
		left[root] = int32(k)
	}
	clear(dst)
	dst[root], value = 1, score.indicator(int(root))
	for _, v := range order[1:] {
		p := parent[v]
		if dst[p] == 0 || m.state[v] < 0 {
			continue
		}
		k := taken[v][left[p]]
		left[p] -= k
		switch {
		case m.state[v] > 0:
			dst[v], left[v] = 1, k
		case k > 0:
			dst[v], left[v] = 1, k-1
		default:
			continue
		}
		value += score.indicator(int(v))
	}
	return value
}

// withNode returns the most that 0, 1, … free nodes earn that are none, or a node and some below it. Where the node is not free itself, it
// is in.
func withNode(below []float64, score float64, most int, free bool) []float64 {
	if below == nil {
		below = []float64{0}
	}
	if !free {
		for k := range below {
			below[k] += score
		}
		return below
	}
	own := make([]float64, 1, len(below)+1)
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
