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
	fmt.Println(r.Weak())
	// Output:
	// [1 2 0 3] true true
	// [0 1 0 0]
}
