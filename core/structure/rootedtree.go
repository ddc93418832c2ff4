package structure

import "combpred/core/fault"

// TopDown checks that parent describes one rooted tree and returns its nodes with parents before children, siblings in
// ascending order. parent[i] is -1 for the root; parents may come in any order. Nothing recurses, so depth is no limit.
// Cost: O(n).
func TopDown(parent []int32) ([]int32, error) { return topDown(parent, nil) }

// topDown is TopDown for nodes that may have names.
func topDown(parent []int32, names Names) ([]int32, error) {
	n := len(parent)
	root := -1
	first := make([]int32, n+1) // children of v are child[first[v]:first[v+1]]
	for v, p := range parent {
		switch {
		case p == -1 && root >= 0:
			return nil, fault.Value("nodes %s and %s both have no parent, a hierarchy has one root", names.of(root), names.of(v))
		case p == -1:
			root = v
		case p < -1 || int(p) >= n:
			return nil, fault.Value("the parent of node %s is %d, must be -1 (the root) or between 0 and %d",
				names.of(v), p, n-1)
		default:
			first[p+1]++
		}
	}
	if root < 0 {
		return nil, fault.Value("every node has a parent, a hierarchy needs a root, which has none")
	}
	for v := range n {
		first[v+1] += first[v]
	}
	child := make([]int32, n-1)
	next := append([]int32(nil), first[:n]...)
	for v, p := range parent {
		if p >= 0 {
			child[next[p]] = int32(v)
			next[p]++
		}
	}
	order := make([]int32, 1, n)
	order[0] = int32(root)
	for i := 0; i < len(order); i++ {
		v := order[i]
		order = append(order, child[first[v]:first[v+1]]...)
	}
	if len(order) < n {
		return nil, fault.Value("the parents of node %s form a cycle that never reaches the root",
			names.of(int(onCycle(parent, order))))
	}
	return order, nil
}

// onCycle returns the smallest node on a cycle, given the nodes that do reach the root.
func onCycle(parent, reached []int32) int32 {
	state := make([]int32, len(parent)) // 0 unseen, otherwise the number of the walk that saw the node
	for _, v := range reached {
		state[v] = -1
	}
	for start := range parent {
		walk := int32(start + 1)
		v := int32(start)
		for state[v] == 0 {
			state[v] = walk
			v = parent[v]
		}
		if state[v] == walk {
			least := v
			for u := parent[v]; u != v; u = parent[u] {
				least = min(least, u)
			}
			return least
		}
	}
	panic("structure: every node reaches the root")
}

// childRanges returns where the children of each node lie in the order of TopDown, which lists nodes level by level and
// the children of one node together. Cost: O(n).
func childRanges(parent, order []int32) [][2]int32 {
	below := make([][2]int32, len(parent))
	for i, v := range order {
		p := parent[v]
		if p < 0 {
			continue
		}
		if below[p][1] == 0 {
			below[p][0] = int32(i)
		}
		below[p][1] = int32(i + 1)
	}
	return below
}
