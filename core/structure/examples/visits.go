package examples

var (
	_ = add("cycles", Sizes{
		Small:  list(append([]Args{Sized(3), Sized(4), Sized(5), Sized(6), Sized(7)}, ruledCycles...)...),
		Medium: sizes(10),
		Large:  list(Sized(30), Sized(200), ruled(30, 3, 5, 6), ruled(40, 3, -1, 25)),
	})
	_ = add("directedcycles", Sizes{
		Small:  list(append([]Args{Sized(3), Sized(4), Sized(5), Sized(6)}, ruledCycles...)...),
		Medium: sizes(10),
		Large:  list(Sized(30), Sized(200), ruled(30, 3, 5, 6), ruled(40, 3, -1, 25)),
	})
	_ = add("routes", Sizes{
		Small: list(append(append([]Args{Sized(2), Sized(3), Sized(4), Sized(5), Sized(6)}, ruledCycles...),
			ruled(4, 3, 0, 2), ruled(5, -1, -1, 2, 0, 0, 1, 0, 0), ruled(2, 1, -1, -1))...),
		Medium: sizes(10),
		Large:  list(Sized(30), Sized(100), Sized(180), ruled(30, 3, 5, 6), ruled(40, 3, -1, 25)),
	})
)

// ruledCycles are parameters with rules, which routes may have as well.
var ruledCycles = []Args{
	ruled(5, 2, -1, -1),
	ruled(5, -1, 3, -1),
	ruled(6, 4, 1, -1),
	ruled(6, 1, 4, 3),
	ruled(6, -1, -1, 4),
	ruled(6, -1, -1, -1, 0, 1, -1, 0, 1, 0),
	ruled(6, 5, -1, 5, 0, 0, -1, 0, 1, 0),
	ruled(5, -1, -1, 3, -1, 0, -1, 0, 0),
}

// ruled returns parameters of cycles or routes with rules; those of −1, and fixed without entries, are left out.
func ruled(n, start, end, length int64, fixed ...int32) Args {
	a := Args{Scalars: map[string]int64{"n": n, "start": start, "end": end, "length": length}, Ints: fixed}
	for _, name := range []string{"start", "end", "length"} {
		if a.Scalars[name] < 0 {
			delete(a.Scalars, name)
		}
	}
	return a
}
