package walks_test

import (
	"fmt"
	"math"

	"combpred/core/custom/walks"
	"combpred/core/structure"
)

// stairs has the steps 0 to 9 as outputs, and moves up.
type stairs map[int64]float64

func (s stairs) Move(_, from, to []int64, psi, ratio []float64) error {
	for k := range from {
		if s[from[k]] == 9 {
			ratio[k] = math.Inf(-1) // there is no step above
			continue
		}
		s[to[k]] = s[from[k]] + 1
		psi[k] = s[to[k]]
	}
	return nil
}

func ExampleLockstep() {
	outputs := stairs{0: 2, 1: 7}
	scores := []structure.Scores{{Linear: []float64{1}}, {Linear: []float64{-1}}}
	l := walks.NewLockstep(outputs, scores, 1, walks.Numbers(2, 2), 0, []uint64{0, 1})
	l.Begin([]int64{0, 1}, []float64{2, 7})
	for range 20 {
		if err := l.Step([]float64{math.Inf(1), math.Inf(1)}, false); err != nil {
			panic(err)
		}
	}
	fmt.Println(outputs[l.Best[0]], outputs[l.Best[1]], l.Most)
	// Output: 9 7 [9 -7]
}
