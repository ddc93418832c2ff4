package catalogue_test

import (
	"fmt"
	"slices"

	"combpred/core/catalogue"
	"combpred/core/structure"
)

func ExampleCapabilities() {
	space, err := structure.New("multiclass", structure.Args{Scalars: map[string]int64{"n": 3}})
	if err != nil {
		panic(err)
	}
	for names := range slices.Chunk(catalogue.Capabilities(space), 8) {
		fmt.Println(names)
	}
	// Output:
	// [count log-count moments exact-moments spectrum enumerate sample exclusive]
	// [decode partition marginals exact meta local cftp rejection]
}
