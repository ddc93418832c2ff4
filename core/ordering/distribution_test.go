package ordering

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/internal/drawtest"
)

var errStop = errors.New("stop")

// TestDistributionAgainstAllOrders: sums, pairs and draws, for gains that are numbers and for those so large that logarithms are taken.
func TestDistributionAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for _, scale := range []float64{0, 1, 900} {
		for n := 1; n <= 5; n++ {
			name := fmt.Sprintf("%d items, scale %g", n, scale)
			var d Distribution
			gain := d.Reset(n)
			for i := range gain {
				gain[i] = scale * rng.NormFloat64()
			}
			var all drawtest.Outcomes
			drawtest.Permutations(n, func(y []int32) {
				var value float64
				for i, u := range y {
					for _, v := range y[i+1:] {
						value += gain[int(u)*n+int(v)]
					}
				}
				all.Add(y, value)
			})
			p, want := all.Probabilities()
			got, err := d.Sum(nil)
			if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
			}
			pairs, wanted := make([]float64, n*n), make([]float64, n*n)
			for k, y := range all.Values {
				for i, u := range y {
					for _, v := range y[i+1:] {
						wanted[int(u)*n+int(v)] += p[k]
					}
				}
			}
			if err := d.PairsTo(pairs, nil); err != nil || !floats.EqualApprox(pairs, wanted, 1e-10) {
				t.Errorf("%s: the pairs have %v, want %v (%v)", name, pairs, wanted, err)
			}
			y := make([]int32, n)
			all.Check(t, name, func() []int32 {
				d.DrawTo(y, rng)
				return y
			})
		}
	}
}

func TestSumsStop(t *testing.T) {
	stop := func() error { return errStop }
	var d Distribution
	clear(d.Reset(16))
	if _, err := d.Sum(stop); !errors.Is(err, errStop) {
		t.Errorf("the sum ends with %v", err)
	}
	if _, err := d.Sum(nil); err != nil {
		t.Fatal(err)
	}
	if err := d.PairsTo(make([]float64, 256), stop); !errors.Is(err, errStop) {
		t.Errorf("the pairs end with %v", err)
	}
}
