package combin_test

import (
	"fmt"

	"combpred/core/combin"
)

func Example_counts() {
	fmt.Println(combin.Factorial(20), combin.Binomial(50, 25), combin.Fubini(5), combin.Arrangements(4))
	fmt.Printf("ln 1000! = %.4f\n", combin.LogInt(combin.Factorial(1000)))
	// Output:
	// 2432902008176640000 126410606437752 [1 1 3 13 75 541] 65
	// ln 1000! = 5912.1282
}
