package examples

var (
	_ = add("labelsets", Sizes{
		Small: list(
			Sized(1), Sized(2), Sized(6),
			SizedSets(1, 0), SizedSets(1, 1), SizedSets(3, 1), SizedSets(4, 0), SizedSets(4, 4),
			SizedSets(6, 2), SizedSets(7, 4),
			fixedSets(3, -1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1), fixedSets(2, 1, 0, 1, 1, 0), fixedSets(4, -1, 0, 1, 1, 0),
		),
		Medium: list(SizedSets(60, 20), SizedSets(700, 600), SizedSets(900, 40)),
		Large:  list(Sized(5000), SizedSets(5000, 1700)),
	})
	_ = add("cliques", Sizes{
		Small: list(
			Sized(2), Sized(3), Sized(4), Sized(5), Sized(8),
			fixedSets(4, 1), fixedSets(5, 2), fixedSets(7, 4), fixedSets(7, 6),
			fixedSets(6, -1, 0, 1, 0, -1, 0, 1), fixedSets(6, -1, 0, 0, -1, 0, 0, 0), fixedSets(3, -1, 1, 0, 0),
			fixedSets(7, 3, 0, 1, 0, -1, 0, 0, 0), fixedSets(6, 2, 1, 0, 0, 0, 0, -1),
			fixedSets(8, 5, 0, 0, 1, 0, 1, 0, -1, 0),
		),
		Medium: sizes(14),
		Large:  list(Sized(40), Sized(50), Sized(90), Sized(220), SizedSets(25, 6), SizedSets(60, 4)),
	})
)

// fixedSets returns the parameters of sets of which some elements, or some sets, are fixed; a size of −1 is left out.
func fixedSets(n, size int64, fixed ...int32) Args {
	a := SizedSets(n, size)
	if size < 0 {
		delete(a.Scalars, "size")
	}
	a.Ints = fixed
	return a
}
