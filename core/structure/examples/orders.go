package examples

var (
	_ = add("permutations", Sizes{Small: sizes(2, 3, 4, 6), Medium: sizes(11, 14), Large: sizes(40, 200)})
	_ = add("assignments", Sizes{Small: sizes(1, 2, 3, 6), Medium: sizes(11, 14), Large: sizes(30, 200)})
	_ = add("weakorders", Sizes{Small: sizes(2, 3, 4, 5), Medium: sizes(9), Large: sizes(10, 30, 200)})
	_ = add("tournaments", Sizes{Small: sizes(2, 3, 4), Large: sizes(30, 200)})
	_ = add("partialorders", Sizes{
		Small:  func() []Args { return []Args{Sized(2), Sized(3), Sized(4), PartialOrders(5, ExactMoments)} },
		Medium: sizes(6),
		Large: func() []Args {
			return []Args{Sized(12), PartialOrders(10, SampledMoments), PartialOrders(40, RelaxedMoments)}
		},
	})
)

// The values of the parameter "moments" of partial orders.
const (
	ExactMoments   = 1
	RelaxedMoments = 2
	SampledMoments = 3
)

// PartialOrders returns the parameters of partial orders with moments of a kind.
func PartialOrders(n, moments int64) Args {
	return Args{Scalars: map[string]int64{"n": n, "moments": moments}}
}
