package aggregate_test

import (
	"fmt"

	"combpred/core/aggregate"
	"combpred/core/linalg"
)

// Three rankings of three items with 4, 3 and 2 ballots each.
func Example() {
	ranks := linalg.NewMatrix[float64](3, 3)
	copy(ranks.Data, []float64{
		1, 2, 3,
		3, 1, 2,
		1, 3, 2,
	})
	profile := &aggregate.Profile{Ranks: ranks, Weights: []float64{4, 3, 2}}
	if err := profile.Check(); err != nil {
		panic(err)
	}
	pairs, err := aggregate.CountPairs(profile, 0, nil)
	if err != nil {
		panic(err)
	}
	best, err := aggregate.Kemeny(profile, pairs, aggregate.Options{Penalty: 0.5})
	if err != nil {
		panic(err)
	}
	fmt.Println(best.Positions, best.Distance, best.Optimal)
	tied, err := aggregate.Kemeny(profile, pairs, aggregate.Options{Output: aggregate.Weak, Penalty: 0.3})
	if err != nil {
		panic(err)
	}
	fmt.Println(tied.Positions)
	// Output:
	// [1 2 3] 8 true
	// [1 1 2]
}
