package tours

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/internal/drawtest"
)

// TestDistributionAgainstAllTours: sums, arcs and draws, for gains that are numbers and for those so large that logarithms are taken.
func TestDistributionAgainstAllTours(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	for _, scale := range []float64{0, 1, 300, 900} {
		for n := 3; n <= 6; n++ {
			for _, anchored := range []bool{false, true} {
				name := fmt.Sprintf("%d vertices, scale %g, anchored %v", n, scale, anchored)
				var w Workspace
				var d Distribution
				w.fill(rng, func(rng *rand.Rand, gain []float64, _ int) {
					each(gain, func() float64 { return scale * rng.NormFloat64() })
				}, n, anchored)
				copy(d.Reset(n, anchored), w.gain)
				var all drawtest.Outcomes
				w.allTours(func(tour []int32) { all.Add(tour, w.Value(tour)) })
				p, want := all.Probabilities()
				arcs, wanted := make([]float64, n*n), make([]float64, n*n)
				for k, tour := range all.Values {
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
				all.Check(t, name, func() []int32 { return tour[:d.DrawTo(tour, rng)] })
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
