package spanning

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

// TestDistributionAgainstAllTrees: sums, edges and draws of weighted trees, also where weights are far apart.
func TestDistributionAgainstAllTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	for _, scale := range []float64{0, 1, 900} {
		for trial := range 12 {
			n := 2 + trial%5
			g := mustNew(t, n, random(n, rng.IntN(5), rng))
			name := fmt.Sprintf("%d vertices, %v, scale %g", g.N(), g.ends, scale)
			weight := make([]float64, len(g.ends))
			for i := range weight {
				weight[i] = scale * rng.NormFloat64()
			}
			var all outcomes
			for y := range g.All() {
				var value float64
				for i, in := range y {
					value += float64(in) * weight[i]
				}
				all.add(y, value)
			}
			p, want := all.probabilities()
			got, err := g.LogSum(weight, nil)
			if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
			}
			edges, wanted := make([]float64, len(weight)), make([]float64, len(weight))
			for k, y := range all.values {
				for i, in := range y {
					wanted[i] += p[k] * float64(in)
				}
			}
			if err := g.EdgesTo(edges, weight, nil); err != nil || !floats.EqualApprox(edges, wanted, 1e-10) {
				t.Errorf("%s: the edges have %v, want %v (%v)", name, edges, wanted, err)
			}
			sampler, err := g.NewSampler(weight, nil)
			if err != nil {
				t.Fatal(err)
			}
			y := make([]int32, len(weight))
			all.check(t, name, func() []int32 {
				sampler.DrawTo(y, rng)
				return y
			})
		}
	}
}

// TestExchangesAreSymmetric: a uniform tree stays uniform.
func TestExchangesAreSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 6))
	g := mustNew(t, 4, complete(4))
	var all outcomes
	for y := range g.All() {
		all.add(y, 0)
	}
	y, z := make([]int32, 6), make([]int32, 6)
	all.check(t, "exchanges", func() []int32 {
		g.SampleTo(y, rng)
		g.ExchangeTo(z, y, rng)
		if slices.Equal(y, z) {
			t.Fatalf("nothing is exchanged in %v", y)
		}
		return z
	})
	tree := mustNew(t, 3, [][2]int32{{0, 1}, {1, 2}})
	tree.ExchangeTo(z[:2], []int32{1, 1}, rng)
	if z[0] != 1 || z[1] != 1 {
		t.Errorf("a tree becomes %v", z[:2])
	}
}

func TestSumsOfTreesStop(t *testing.T) {
	stop := errors.New("stop")
	g := mustNew(t, 40, complete(40))
	if _, err := g.LogSum(make([]float64, 780), func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the sum ends with %v", err)
	}
	if _, err := g.NewSampler(make([]float64, 780), func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the sampler ends with %v", err)
	}
	if err := g.EdgesTo(make([]float64, 780), make([]float64, 780), func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the edges end with %v", err)
	}
}
