package structure

// Graphs that the laws of all structures are checked on.

var smallPaths = []Args{
	pathArgs(2, []arc{{0, 1}}, 0, 1, nil),
	pathArgs(5, []arc{{4, 2}, {4, 1}, {2, 1}, {1, 3}, {2, 3}}, 4, 3, nil), // lengths 2 and 3, and a vertex without arcs
	// Vertex 0 is not reached from the source, vertex 5 does not lead to the target.
	pathArgs(6, []arc{{0, 2}, {1, 2}, {2, 5}, {1, 3}, {2, 4}, {3, 4}, {2, 3}}, 1, 4, nil),
	gridArgs(4, 4),
	pathArgs(4, []arc{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 0, 3, []int32{0, 1, 2, 2}), // tied, counts 0 or 1
	trellisArgs(5, 3),
	pathArgs(4, []arc{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 3}}, 0, 3, []int32{0, 0, 0, 0, 0, 0}), // the length
}

// The counts are 48!/(19! 29!), 2³⁰⁰ and 2¹²⁰⁰, the last beyond the largest float64.
var largePaths = []Args{gridArgs(20, 30), ladderArgs(300), ladderArgs(1200)}

// pathArgs returns the parameters of the paths in a graph; tied nil stands for no groups.
func pathArgs(vertices int, arcs []arc, source, target int64, tied []int32) Args {
	ints := make([]int32, 0, 2*len(arcs)+len(tied))
	for _, x := range arcs {
		ints = append(ints, x.tail, x.head)
	}
	scalars := map[string]int64{
		"vertices": int64(vertices), "arcs": int64(len(arcs)), "source": source, "target": target,
	}
	groups := int32(0)
	for _, g := range tied {
		groups = max(groups, g+1)
	}
	if tied != nil {
		scalars["groups"] = int64(groups)
	}
	return Args{Scalars: scalars, Ints: append(ints, tied...)}
}

// gridArgs returns the moves to the right and down through a grid from its first to its last vertex.
func gridArgs(rows, columns int) Args {
	var arcs []arc
	for r := range rows {
		for c := range columns {
			v := int32(r*columns + c)
			if c+1 < columns {
				arcs = append(arcs, arc{v, v + 1})
			}
			if r+1 < rows {
				arcs = append(arcs, arc{v, v + int32(columns)})
			}
		}
	}
	return pathArgs(rows*columns, arcs, 0, int64(rows*columns-1), nil)
}

// ladderArgs returns a chain of n diamonds, with 2ⁿ paths.
func ladderArgs(n int) Args {
	var arcs []arc
	for i := range int32(n) {
		v := 3 * i
		arcs = append(arcs, arc{v, v + 1}, arc{v, v + 2}, arc{v + 1, v + 3}, arc{v + 2, v + 3})
	}
	return pathArgs(3*n+1, arcs, 0, int64(3*n), nil)
}

// trellisArgs returns sequences of states: arcs are tied by the pair of states, whatever the step, and arcs from the
// source and to the target by the state.
func trellisArgs(steps, states int) Args {
	var arcs []arc
	var tied []int32
	k := int32(states)
	for s := range k {
		arcs, tied = append(arcs, arc{0, 1 + s}), append(tied, s)
	}
	for t := range int32(steps - 1) {
		for s := range k {
			for next := range k {
				arcs, tied = append(arcs, arc{1 + t*k + s, 1 + (t+1)*k + next}), append(tied, k+s*k+next)
			}
		}
	}
	last := 1 + int32(steps)*k
	for s := range k {
		arcs, tied = append(arcs, arc{last - k + s, last}), append(tied, k+k*k+s)
	}
	return pathArgs(int(last)+1, arcs, 0, int64(last), tied)
}
