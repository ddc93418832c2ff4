package spanning

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/internal/drawtest"
)

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
			var all drawtest.Outcomes
			for y := range g.All() {
				var value float64
				for i, in := range y {
					value += float64(in) * weight[i]
				}
				all.Add(y, value)
			}
			p, want := all.Probabilities()
			got, err := g.LogSum(weight, nil)
			if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
			}
			edges, wanted := make([]float64, len(weight)), make([]float64, len(weight))
			for k, y := range all.Values {
				for i, in := range y {
					wanted[i] += p[k] * float64(in)
				}
			}
			if _, err := g.EdgesTo(edges, weight, nil); err != nil || !floats.EqualApprox(edges, wanted, 1e-10) {
				t.Errorf("%s: the edges have %v, want %v (%v)", name, edges, wanted, err)
			}
			sampler, err := g.NewSampler(weight, nil)
			if err != nil {
				t.Fatal(err)
			}
			y := make([]int32, len(weight))
			all.Check(t, name, func() []int32 {
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
	var all drawtest.Outcomes
	for y := range g.All() {
		all.Add(y, 0)
	}
	y, z := make([]int32, 6), make([]int32, 6)
	all.Check(t, "exchanges", func() []int32 {
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
	if _, err := g.EdgesTo(make([]float64, 780), make([]float64, 780), func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the edges end with %v", err)
	}
}
