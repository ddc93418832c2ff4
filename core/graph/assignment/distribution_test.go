package assignment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// outcomes are all that a distribution may draw, with what each earns; the oracle of the tests.
type outcomes struct {
	seen   map[string]int
	values [][]int32
	earned []float64
}

func (o *outcomes) add(y []int32, value float64) {
	if o.seen == nil {
		o.seen = map[string]int{}
	}
	o.seen[fmt.Sprint(y)] = len(o.values)
	o.values, o.earned = append(o.values, slices.Clone(y)), append(o.earned, value)
}

// probabilities returns those of the outcomes, and ln Σ exp of what they earn.
func (o *outcomes) probabilities() ([]float64, float64) {
	log := floats.LogSumExp(o.earned)
	p := make([]float64, len(o.earned))
	for i, v := range o.earned {
		p[i] = math.Exp(v - log)
	}
	return p, log
}

// check draws 40 times for each outcome, and compares counts with probabilities: a correct sampler fails with a probability below 1e-6.
func (o *outcomes) check(t *testing.T, name string, draw func() []int32) {
	t.Helper()
	p, _ := o.probabilities()
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

// permutations calls visit with each order of n numbers.
func permutations(n int, visit func(y []int32)) {
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

var errStop = errors.New("stop")

// TestDistributionAgainstAllAssignments: sums, cells and draws, for gains that are numbers and for those so large that logarithms are taken.
func TestDistributionAgainstAllAssignments(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, scale := range []float64{0, 1, 900} {
		for n := 1; n <= 5; n++ {
			name := fmt.Sprintf("%d rows, scale %g", n, scale)
			var d Distribution
			gain := d.Reset(n)
			for i := range gain {
				gain[i] = scale * rng.NormFloat64()
			}
			var all outcomes
			permutations(n, func(y []int32) {
				var value float64
				for i, j := range y {
					value += gain[i*n+int(j)]
				}
				all.add(y, value)
			})
			p, want := all.probabilities()
			got, err := d.Sum(nil)
			if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
			}
			cells, wanted := make([]float64, n*n), make([]float64, n*n)
			for k, y := range all.values {
				for i, j := range y {
					wanted[i*n+int(j)] += p[k]
				}
			}
			if err := d.CellsTo(cells, nil); err != nil || !floats.EqualApprox(cells, wanted, 1e-10) {
				t.Errorf("%s: the cells have %v, want %v (%v)", name, cells, wanted, err)
			}
			y := make([]int32, n)
			all.check(t, name, func() []int32 {
				d.DrawTo(y, rng)
				return y
			})
		}
	}
}

func TestSumsStop(t *testing.T) {
	var d Distribution
	clear(d.Reset(16))
	if _, err := d.Sum(func() error { return errStop }); !errors.Is(err, errStop) {
		t.Errorf("the sum ends with %v", err)
	}
	if _, err := d.Sum(nil); err != nil {
		t.Fatal(err)
	}
	if err := d.CellsTo(make([]float64, 256), func() error { return errStop }); !errors.Is(err, errStop) {
		t.Errorf("the cells end with %v", err)
	}
}
