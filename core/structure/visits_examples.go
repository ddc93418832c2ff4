package structure

// Rules for cycles and routes that the laws of package structuretest try.

// restrictedArgs are parameters with rules; −1 and nil leave one out.
func restrictedArgs(n, start, end, length int64, fixed []int32) Args {
	a := Args{Scalars: map[string]int64{"n": n, "start": start, "end": end, "length": length}, Ints: fixed}
	for _, name := range []string{"start", "end", "length"} {
		if a.Scalars[name] < 0 {
			delete(a.Scalars, name)
		}
	}
	return a
}

func restrictedCycleArgs() []Args {
	return []Args{
		restrictedArgs(5, 2, -1, -1, nil),
		restrictedArgs(5, -1, 3, -1, nil),
		restrictedArgs(6, 4, 1, -1, nil),
		restrictedArgs(6, 1, 4, 3, nil),
		restrictedArgs(6, -1, -1, 4, nil),
		restrictedArgs(6, -1, -1, -1, []int32{0, 1, -1, 0, 1, 0}),
		restrictedArgs(6, 5, -1, 5, []int32{0, 0, -1, 0, 1, 0}),
		restrictedArgs(5, -1, -1, 3, []int32{-1, 0, -1, 0, 0}),
	}
}

func restrictedRouteArgs() []Args {
	return append(restrictedCycleArgs(),
		restrictedArgs(4, 3, 0, 2, nil),
		restrictedArgs(5, -1, -1, 2, []int32{0, 0, 1, 0, 0}),
		restrictedArgs(2, 1, -1, -1, nil),
	)
}
