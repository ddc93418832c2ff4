package hereditary_test

import (
	"fmt"

	"combpred/core/decode/hereditary"
)

// The heaviest of the sets of four edges that hold no more than two, a property that only the program knows.
func ExampleMachine() {
	m := hereditary.New([]float64{3, 1, -2, 4}, hereditary.Auto, hereditary.ExactEdges)
	var verdicts []uint8
	for {
		request, err := m.Next(verdicts)
		if err != nil {
			panic(err)
		}
		if request.Ask == hereditary.Done {
			value, bound := m.Found()
			fmt.Println(request.Sets[0], value, bound)
			return
		}
		verdicts = verdicts[:0]
		for _, set := range request.Sets {
			size, holds := 0, uint8(0)
			for _, chosen := range set {
				if chosen {
					size++
				}
			}
			if size <= 2 {
				holds = 1
			}
			verdicts = append(verdicts, holds)
		}
	}
	// Output:
	// [true false false true] 7 7
}
