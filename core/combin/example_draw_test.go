package combin_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"combpred/core/combin"
)

// A ranking of five labels, the number of heads of four coins, and three of seven elements.
func Example_draws() {
	rng := rand.New(rand.NewPCG(1, 2))
	ranking := make([]int32, 5)
	combin.Permutation(ranking, 1, rng)
	heads := combin.NewTable(combin.Weighted(func(yield func(*big.Int) bool) {
		for k := range int64(5) {
			if !yield(new(big.Int).Binomial(4, k)) {
				return
			}
		}
	}, big.NewInt(16)))
	set := make([]int32, 7)
	combin.Subset(set, 3, rng)
	fmt.Println(ranking, heads.Draw(rng), set)
	// Output: [1 3 5 2 4] 3 [1 0 0 1 0 0 1]
}
