package relation_test

import (
	"fmt"

	"combpred/core/relation"
)

func Example() {
	r := relation.New(4)
	r.Add(2, 0)
	r.Add(0, 3)
	order, acyclic := r.Order()
	r.Close()
	fmt.Println(order, acyclic, r.Has(2, 3))
	r.Add(3, 2)
	fmt.Println(r.Cycle())
	// Output:
	// [1 2 0 3] true true
	// [2 3 2]
}
