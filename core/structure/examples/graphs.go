package examples

var (
	_ = add("graphs", Sizes{
		Small: func() []Args {
			sizes := []Args{
				Sized(2), Sized(3), Sized(5),
				Graph(4, [][2]int32{{2, 0}}),
				Graph(4, [][2]int32{{3, 1}, {0, 1}, {1, 2}, {2, 0}}),
			}
			for property := Forests; property <= Bipartite; property++ {
				sizes = append(sizes, Hereditary(Sized(2), property), Hereditary(Sized(5), property), Hereditary(
					Graph(9, [][2]int32{{5, 4}, {1, 7}, {2, 1}, {7, 2}, {3, 4}, {4, 2}, {5, 3}, {1, 3}}), property))
			}
			return sizes
		},
		Large: func() []Args {
			sizes := []Args{Sized(60), Graph(5001, pathEdges(5001))}
			for property := Forests; property <= Bipartite; property++ {
				sizes = append(sizes, Hereditary(Sized(20), property), Hereditary(Sized(60), property),
					Hereditary(Graph(501, pathEdges(501)), property))
			}
			return sizes
		},
	})
	_ = add("spanningtrees", Sizes{
		Small: func() []Args {
			return []Args{
				Complete(2),
				Graph(4, pathEdges(4)),
				Complete(3),
				Complete(5),
				Complete(6),
				Graph(6, [][2]int32{{5, 4}, {1, 0}, {2, 1}, {0, 2}, {3, 4}, {4, 2}, {5, 3}}), // two triangles and a bridge
				GridGraph(3, 3),
			}
		},
		Large: func() []Args { return []Args{Complete(45), Complete(180), GridGraph(25, 25)} },
	})
)

// The values of the parameter "property" of graphs.
const (
	Forests int64 = 1 + iota
	Matchings
	Bipartite
)

// Hereditary returns the parameters of graphs with a property.
func Hereditary(all Args, property int64) Args {
	scalars := map[string]int64{"property": property}
	for name, value := range all.Scalars {
		scalars[name] = value
	}
	return Args{Scalars: scalars, Ints: all.Ints}
}

// Graph returns the parameters of a structure on the given edges.
func Graph(n int, edges [][2]int32) Args {
	a := Sized(int64(n))
	for _, e := range edges {
		a.Ints = append(a.Ints, e[0], e[1])
	}
	return a
}

// Complete returns those of one on the edges u < v of all pairs, in lexicographic order.
func Complete(n int) Args {
	var edges [][2]int32
	for u := range int32(n) {
		for v := u + 1; v < int32(n); v++ {
			edges = append(edges, [2]int32{u, v})
		}
	}
	return Graph(n, edges)
}

// pathEdges returns the edges of a path on n vertices.
func pathEdges(n int) [][2]int32 {
	edges := make([][2]int32, n-1)
	for i := range edges {
		edges[i] = [2]int32{int32(i), int32(i + 1)}
	}
	return edges
}

// GridGraph returns the parameters of a structure on a grid of vertices numbered by rows.
func GridGraph(rows, cols int) Args { return Graph(rows*cols, gridEdges(rows, cols)) }

// gridEdges returns the edges of a grid of vertices numbered by rows.
func gridEdges(rows, cols int) [][2]int32 {
	var edges [][2]int32
	for v := range int32(rows * cols) {
		if (int(v)+1)%cols != 0 {
			edges = append(edges, [2]int32{v, v + 1})
		}
		if int(v)+cols < rows*cols {
			edges = append(edges, [2]int32{v, v + int32(cols)})
		}
	}
	return edges
}
