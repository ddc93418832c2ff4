package count_test

import (
	"fmt"

	"combpred/core/count"
)

func Example() {
	fmt.Println(count.Factorial(20), count.Binomial(50, 25), count.Fubini(5), count.Arrangements(4))
	fmt.Printf("ln 1000! = %.4f\n", count.LogInt(count.Factorial(1000)))
	// Output:
	// 2432902008176640000 126410606437752 [1 1 3 13 75 541] 65
	// ln 1000! = 5912.1282
}
