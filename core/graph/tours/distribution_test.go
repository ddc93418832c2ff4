package tours

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

// TestDistributionAgainstAllTours: sums, arcs and draws, for gains that are numbers and for those so large that logarithms are taken.
func TestDistributionAgainstAllTours(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	for _, scale := range []float64{0, 1, 900} {
		for n := 3; n <= 6; n++ {
			for _, anchored := range []bool{false, true} {
				name := fmt.Sprintf("%d vertices, scale %g, anchored %v", n, scale, anchored)
				var w Workspace
				var d Distribution
				w.fill(rng, func(rng *rand.Rand, gain []float64, _ int) {
					each(gain, func() float64 { return scale * rng.NormFloat64() })
				}, n, anchored)
				copy(d.Reset(n, anchored), w.gain)
				var all outcomes
				w.allTours(func(tour []int32) { all.add(tour, w.Value(tour)) })
				p, want := all.probabilities()
				arcs, wanted := make([]float64, n*n), make([]float64, n*n)
				for k, tour := range all.values {
					for i, u := range tour {
						wanted[int(u)*n+int(tour[next(i, len(tour))])] += p[k]
					}
				}
				got, err := d.Sum(arcs, nil)
				if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
				}
				if !floats.EqualApprox(arcs, wanted, 1e-10) {
					t.Errorf("%s: the arcs have %v, want %v", name, arcs, wanted)
				}
				tour := make([]int32, n)
				all.check(t, name, func() []int32 { return tour[:d.DrawTo(tour, rng)] })
			}
		}
	}
}

func TestSumsStop(t *testing.T) {
	stop := errors.New("stop")
	var d Distribution
	clear(d.Reset(14, true))
	if _, err := d.Sum(nil, func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the sum ends with %v", err)
	}
	var large *SizeError
	clear(d.Reset(MaxVertices+1, true))
	if _, err := d.Sum(nil, nil); !errors.As(err, &large) || large.Error() == "" {
		t.Errorf("the sum over too many vertices ends with %v", err)
	}
}
