package estimate_test

import (
	"math"
	"testing"

	"combpred/core/partition/estimate"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// TestTaylor: the expansion is that of the sum over all outputs, its gradient the derivative, and the bounds hold.
func TestTaylor(t *testing.T) {
	for name, space := range slicex.InOrder(spaces(t)) {
		taylor, err := estimate.NewTaylor(space)
		if err != nil {
			t.Fatal(err)
		}
		d := space.FeatureLen()
		scores := normal(d, 6)
		for i := range scores {
			scores[i] *= 0.1
		}
		all := list(space, scores)
		var mean float64
		for _, h := range all.scores {
			mean += h / float64(len(all.scores))
		}
		for _, plain := range []bool{false, true} {
			centre := mean
			if plain {
				centre = 0
			}
			var sum, furthest float64
			for _, h := range all.scores {
				sum += (1 + h - centre + (h-centre)*(h-centre)/2) / float64(len(all.scores))
				furthest = max(furthest, math.Abs(h-mean))
			}
			want := math.Log(float64(len(all.scores))) + centre + math.Log(sum)
			value := func(at []float64) estimate.Expansion {
				e, err := taylor.Expand(rowsOf(1, at), plain, nil)
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
			e := value(scores)
			if math.Abs(e.Value[0]-want) > 1e-12 {
				t.Errorf("%s, plain %v: %v, must be %v", name, plain, e.Value[0], want)
			}
			if err := taylor.Bound(e, structure.Rows(space, rowsOf(1, scores)), 1, nil); err != nil {
				t.Fatal(err)
			}
			if logZ := all.logZ(); !(e.Lower[0] <= logZ && logZ <= e.Upper[0]) || math.Abs(e.Spread[0]-furthest) > 1e-12 {
				t.Errorf("%s: bounds %v to %v of %v, spread %v of %v", name, e.Lower[0], e.Upper[0], logZ, e.Spread[0], furthest)
			}
			for j := range scores {
				const h = 1e-5
				up, down := append([]float64(nil), scores...), append([]float64(nil), scores...)
				up[j] += h
				down[j] -= h
				slope := (value(up).Value[0] - value(down).Value[0]) / (2 * h)
				if math.Abs(slope-e.Gradient.Data[j]) > 1e-8 {
					t.Errorf("%s, plain %v: slope %v, gradient %v", name, plain, slope, e.Gradient.Data[j])
				}
			}
		}
	}
}
