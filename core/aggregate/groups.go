package aggregate

import (
	"cmp"
	"slices"

	"combpred/core/relation"
)

// Groups returns the finest groups of the items 0..k−1 that some best consensus places one after the other, each in
// ascending order, given whether placing v before u is not a best choice for that pair alone. For orders: whether more
// weight has u before v than v before u.
//
// If "before" is a best choice for every pair of an item of A with one of B, take any best consensus, and move the items of
// A before those of B, leaving the order, ties or relations within A and within B as they are. The result is of the same
// kind, pairs within A and within B cost what they did, and all others cost the least they can: it is a best consensus, too.
// The finest such division is that into the strongly connected components of the graph with an arc from u to v wherever v
// is beaten by u, in a topological order: by the number of items that a group reaches, and by its smallest item. For orders
// this is the extended Condorcet criterion (Truchon, 1998). Cost: O(k²), and O(k²/64) for each group at most.
func Groups(k int, beats func(u, v int) bool) [][]int32 {
	var graph relation.Digraph
	graph.Reset(k)
	for u := range k {
		for v := range k {
			if u != v && beats(u, v) {
				graph.Add(u, v)
			}
		}
	}
	order := make([]int32, k)
	groups := make([][]int32, 0, graph.ComponentsTo(order))
	place := make([]int, k) // of each item's group
	for lo, hi := range graph.Components() {
		for _, u := range order[lo:hi] {
			place[u] = len(groups)
		}
		groups = append(groups, order[lo:hi:hi])
	}
	reached := reachable(groups, place, &graph)
	number := make([]int, len(groups))
	for c := range number {
		number[c] = c
	}
	slices.SortFunc(number, func(a, b int) int {
		return cmp.Or(cmp.Compare(reached[b], reached[a]), cmp.Compare(groups[a][0], groups[b][0]))
	})
	sorted := make([][]int32, len(groups))
	for i, c := range number {
		sorted[i] = groups[c]
	}
	return sorted
}

// reachable returns how many items each of the groups, in a topological order, reaches along arcs, its own among them.
func reachable(groups [][]int32, place []int, arcs *relation.Digraph) []int {
	after := relation.New(len(groups))
	for u, c := range place {
		for v := range arcs.Out.Related(u) {
			if d := place[v]; d != c {
				after.Add(c, d)
			}
		}
	}
	after.Close()
	counts := make([]int, len(groups))
	for c, own := range groups {
		counts[c] = len(own)
		for d := range after.Related(c) {
			counts[c] += len(groups[d])
		}
	}
	return counts
}

// groupsOf returns the groups of orders.
func groupsOf(before matrix) [][]int32 {
	return Groups(before.Rows, func(u, v int) bool { return before.Row(u)[v] > before.Row(v)[u] })
}
