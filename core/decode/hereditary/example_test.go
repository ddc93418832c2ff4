package hereditary_test

import (
	"fmt"

	"combpred/core/decode/hereditary"
)

// The heaviest of the sets of four edges that hold no more than two, a property that only the program knows.
func ExampleFind() {
	isSmall := func(sets [][]bool, _ int, verdicts []uint8) error {
		for i, set := range sets {
			size := 0
			for _, chosen := range set {
				if chosen {
					size++
				}
			}
			verdicts[i] = 0
			if size <= 2 {
				verdicts[i] = 1
			}
		}
		return nil
	}
	found, err := hereditary.Find([]float64{3, 1, -2, 4}, hereditary.Auto, hereditary.ExactEdges, isSmall)
	fmt.Println(found.Set, found.Value, found.Bound, err)
	// Output:
	// [true false false true] 7 7 <nil>
}
