package examples

var (
	_ = add("hierarchy", Sizes{
		Small: func() []Args {
			return []Args{
				Hierarchy([]int32{-1}, nil),
				Hierarchy([]int32{1, -1}, nil),
				Hierarchy([]int32{-1, 0, 0, 1, 1, 2, 5}, nil),
				Hierarchy([]int32{3, 3, 0, -1, 0, 1, 5}, []int32{0, 0, 1, 0, 1, 0, 1}),
				Hierarchy([]int32{-1, 0, 0, 1, 1}, []int32{0, 1, 0, 0, 0}),
			}
		},
		Large: func() []Args { return []Args{Hierarchy(Chain(2000), nil), Hierarchy(BinaryTree(2047), nil)} },
	})
	_ = add("subtrees", Sizes{
		Small: func() []Args {
			return []Args{
				Subtrees([]int32{-1}),
				Subtrees([]int32{1, -1}),
				Subtrees([]int32{-1, 0, 0, 0, 0}),
				Subtrees(Chain(9)),
				Subtrees([]int32{3, 3, 0, -1, 0, 1, 5}),
				Subtrees(BinaryTree(15)),
				sizedSubtrees([]int32{-1, 0, 0, 0, 0}, 3),
				sizedSubtrees([]int32{3, 3, 0, -1, 0, 1, 5}, 4),
				sizedSubtrees(BinaryTree(15), 6),
				sizedSubtrees(Chain(9), 4),
				sizedSubtrees(BinaryTree(7), 1),
				sizedSubtrees(BinaryTree(7), 7),
			}
		},
		Large: func() []Args {
			return []Args{
				Subtrees(Chain(2000)),
				Subtrees(BinaryTree(4095)),
				Subtrees(Broom(600, 600)),
				sizedSubtrees(Broom(600, 600), 700),
			}
		},
	})
)

// Hierarchy returns the parameters of a hierarchy; allowed nil allows every node.
func Hierarchy(parent, allowed []int32) Args {
	n := len(parent)
	ints := make([]int32, 2*n)
	copy(ints, parent)
	for i := range n {
		if allowed == nil || allowed[i] == 1 {
			ints[n+i] = 1
		}
	}
	return Args{Scalars: map[string]int64{"n": int64(n)}, Ints: ints}
}

// Subtrees returns the parameters of the subtrees of a tree.
func Subtrees(parent []int32) Args {
	return Args{Scalars: map[string]int64{"n": int64(len(parent))}, Ints: parent}
}

func sizedSubtrees(parent []int32, size int64) Args {
	a := Subtrees(parent)
	a.Scalars["size"] = size
	return a
}

// Chain returns the parents of a path whose last node is the root.
func Chain(n int) []int32 {
	parent := make([]int32, n)
	for i := range parent {
		parent[i] = int32(i + 1)
	}
	parent[n-1] = -1
	return parent
}

// BinaryTree returns the parents of a complete binary tree in heap order.
func BinaryTree(n int) []int32 {
	parent := make([]int32, n)
	for i := range parent {
		parent[i] = int32((i+1)/2 - 1)
	}
	return parent
}

// Broom returns the parents of a path of handle nodes from the root whose last node has bristles leaves.
func Broom(handle, bristles int) []int32 {
	parent := make([]int32, handle+bristles)
	for i := range parent {
		parent[i] = int32(min(i, handle) - 1)
	}
	return parent
}
