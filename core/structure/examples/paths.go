package examples

var _ = add("paths", Sizes{
	Small: func() []Args {
		return []Args{
			Paths(2, [][2]int32{{0, 1}}, 0, 1, nil),
			// Lengths 2 and 3, and a vertex without arcs.
			Paths(5, [][2]int32{{4, 2}, {4, 1}, {2, 1}, {1, 3}, {2, 3}}, 4, 3, nil),
			// Vertex 0 is not reached from the source, vertex 5 does not lead to the target.
			Paths(6, [][2]int32{{0, 2}, {1, 2}, {2, 5}, {1, 3}, {2, 4}, {3, 4}, {2, 3}}, 1, 4, nil),
			Grid(4, 4),
			Paths(4, [][2]int32{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 0, 3, []int32{0, 1, 2, 2}), // tied, counts 0 or 1
			Trellis(5, 3),
			// The length.
			Paths(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 3}}, 0, 3, []int32{0, 0, 0, 0, 0, 0}),
		}
	},
	// The counts are 48!/(19! 29!), 2³⁰⁰ and 2¹²⁰⁰, the last beyond the largest float64.
	Large: func() []Args { return []Args{Grid(20, 30), Ladder(300), Ladder(1200)} },
})

// Paths returns the parameters of the paths in a graph, of which each arc is a tail and a head; tied nil stands for no groups.
func Paths(vertices int, arcs [][2]int32, source, target int64, tied []int32) Args {
	ints := make([]int32, 0, 2*len(arcs)+len(tied))
	for _, x := range arcs {
		ints = append(ints, x[0], x[1])
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

// Grid returns the moves to the right and down through a grid from its first to its last vertex.
func Grid(rows, columns int) Args {
	var arcs [][2]int32
	for r := range rows {
		for c := range columns {
			v := int32(r*columns + c)
			if c+1 < columns {
				arcs = append(arcs, [2]int32{v, v + 1})
			}
			if r+1 < rows {
				arcs = append(arcs, [2]int32{v, v + int32(columns)})
			}
		}
	}
	return Paths(rows*columns, arcs, 0, int64(rows*columns-1), nil)
}

// Ladder returns a chain of n diamonds, with 2ⁿ paths.
func Ladder(n int) Args {
	var arcs [][2]int32
	for i := range int32(n) {
		v := 3 * i
		arcs = append(arcs, [2]int32{v, v + 1}, [2]int32{v, v + 2}, [2]int32{v + 1, v + 3}, [2]int32{v + 2, v + 3})
	}
	return Paths(3*n+1, arcs, 0, int64(3*n), nil)
}

// Trellis returns sequences of states: arcs are tied by the pair of states, whatever the step, and arcs from the source and
// to the target by the state.
func Trellis(steps, states int) Args {
	var arcs [][2]int32
	var tied []int32
	k := int32(states)
	for s := range k {
		arcs, tied = append(arcs, [2]int32{0, 1 + s}), append(tied, s)
	}
	for t := range int32(steps - 1) {
		for s := range k {
			for next := range k {
				arcs, tied = append(arcs, [2]int32{1 + t*k + s, 1 + (t+1)*k + next}), append(tied, k+s*k+next)
			}
		}
	}
	last := 1 + int32(steps)*k
	for s := range k {
		arcs, tied = append(arcs, [2]int32{last - k + s, last}), append(tied, k+k*k+s)
	}
	return Paths(int(last)+1, arcs, 0, int64(last), tied)
}
