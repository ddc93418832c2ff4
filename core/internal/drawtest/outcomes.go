// Package drawtest compares what samplers draw with all that they may draw, in tests of packages that have no spaces.
package drawtest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// Outcomes are all that a distribution may draw, with what each earns.
type Outcomes struct {
	Values [][]int32
	earned []float64
	seen   map[string]int // numbers of the outcomes
}

// Add adds an outcome that is not among them, and keeps a copy of it.
func (o *Outcomes) Add(y []int32, value float64) {
	if o.seen == nil {
		o.seen = map[string]int{}
	}
	o.seen[fmt.Sprint(y)] = len(o.Values)
	o.Values, o.earned = append(o.Values, slices.Clone(y)), append(o.earned, value)
}

// Probabilities returns those of the outcomes, and ln Σ exp of what they earn.
func (o *Outcomes) Probabilities() ([]float64, float64) {
	log := floats.LogSumExp(o.earned)
	p := make([]float64, len(o.earned))
	for i, v := range o.earned {
		p[i] = math.Exp(v - log)
	}
	return p, log
}

// Check draws 40 times for each outcome, and compares counts with probabilities: a correct sampler fails with a probability below 1e-6.
func (o *Outcomes) Check(t *testing.T, name string, draw func() []int32) {
	t.Helper()
	p, _ := o.Probabilities()
	counts, n := make([]float64, len(p)), 40*len(p)
	for range n {
		y := draw()
		at, ok := o.seen[fmt.Sprint(y)]
		if !ok {
			t.Fatalf("%s: %v is drawn, which is none of the %d outcomes", name, y, len(p))
		}
		counts[at]++
	}
	var statistic, rare, few float64
	degrees := -1.0
	for i, c := range counts {
		if want := p[i] * float64(n); want < 5 {
			rare, few = rare+want, few+c
		} else {
			statistic += (c - want) * (c - want) / want
			degrees++
		}
	}
	if rare > 0 {
		statistic += (few - rare) * (few - rare) / max(rare, 1)
		degrees++
	}
	if statistic > degrees+8*math.Sqrt(2*degrees)+30 {
		t.Errorf("%s: the draws are %.0f from their probabilities, with %.0f degrees of freedom", name, statistic, degrees)
	}
}

// Permutations calls visit with each order of n numbers.
func Permutations(n int, visit func(y []int32)) {
	y := make([]int32, n)
	for i := range y {
		y[i] = int32(i)
	}
	var from func(i int)
	from = func(i int) {
		if i == n {
			visit(y)
		}
		for j := i; j < n; j++ {
			y[i], y[j] = y[j], y[i]
			from(i + 1)
			y[i], y[j] = y[j], y[i]
		}
	}
	from(0)
}
