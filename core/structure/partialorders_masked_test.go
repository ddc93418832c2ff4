package structure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/internal/drawtest"
	"combpred/core/ordering"
	"combpred/core/structure/examples"
)

// TestPartialOrdersUnderMasks compares decoding, ln Z, marginals, draws and counts with the filtered list of orders. Draws of
// a correct sampler fail with a probability below 1e-6 for each of some dozen masks.
func TestPartialOrdersUnderMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	none := 0
	for n := 2; n <= 4; n++ {
		p := mustNew(t, "partialorders", examples.Sized(int64(n))).(listedPartialOrders)
		for round := range 240 {
			scale := []float64{0, 1, 700, 1e9}[round%4]
			mask, scores, magnitude := make(pairMask, p.len()), make([]float64, p.len()), make([]float64, p.len())
			for i := range mask {
				mask[i] = ordering.PairChoices(rng.IntN(8))
				if round%3 > 0 { // few holes
					mask[i] = ordering.MayAll &^ (1 << rng.IntN(3*round%3+3))
				}
				scores[i], magnitude[i] = scale*rng.NormFloat64(), scale*rng.NormFloat64()
			}
			if !checkPartialMask(t, p, mask, Scores{Linear: scores, Magnitude: magnitude}, rng) {
				none++
			}
		}
	}
	if none < 50 {
		t.Errorf("only %d masks leave nothing", none)
	}
}

// allowed lists the orders that a mask allows.
func (p listedPartialOrders) allowed(mask pairMask, scores []float64) (all drawtest.Outcomes) {
	for y := range p.All() {
		ok, value := true, 0.0
		for i, v := range y {
			ok = ok && mask[i]&map[int32]ordering.PairChoices{1: ordering.MayPrecede, 0: ordering.MayLevel, -1: ordering.MayFollow}[v] != 0
			value += float64(v) * scores[i]
		}
		if ok {
			all.Add(y, value)
		}
	}
	return all
}

// checkPartialMask reports whether the mask leaves an order.
func checkPartialMask(t *testing.T, p listedPartialOrders, mask pairMask, score Scores, rng *rand.Rand) bool {
	t.Helper()
	all := p.allowed(mask, score.Linear)
	if count, err := p.countMasked(mask, nil); err != nil || count != len(all.Values) {
		t.Fatalf("mask %v: the count is %d, want %d (%v)", mask, count, len(all.Values), err)
	}
	y, marginals := make([]int32, p.len()), make([]float64, p.len())
	c, err := p.decodeMasked(y, score, mask)
	logZ, other := p.logPartition(marginals, score.Linear, mask, nil)
	if len(all.Values) == 0 {
		if !errors.Is(err, ordering.ErrNoneAllowed) || !errors.Is(other, ordering.ErrNoneAllowed) {
			t.Fatalf("mask %v: of no orders, the best is %v, ln Z %v (%v, %v)", mask, y, logZ, err, other)
		}
		return false
	}
	size, most := 0.0, math.Inf(-1)
	for i, s := range score.Linear {
		size += math.Abs(s) + math.Abs(score.Magnitude[i])
	}
	inside := false
	for _, x := range all.Values {
		value := p.valueOf(x, score)
		most = max(most, value)
		inside = inside || slices.Equal(x, y)
	}
	if err != nil || !inside || math.Abs(c.Value-most) > 1e-14*size || p.valueOf(y, score) < most-1e-14*size {
		t.Fatalf("mask %v, %v: the best is %v with %v, want %v (%v)", mask, score, y, c, most, err)
	}
	probabilities, want := all.Probabilities()
	if other != nil || math.Abs(logZ-want) > 1e-11+1e-14*size {
		t.Fatalf("mask %v, %v: ln Z is %v, want %v (%v)", mask, score, logZ, want, other)
	}
	for i, got := range marginals {
		var mean float64
		same := true
		for k, x := range all.Values {
			mean += probabilities[k] * float64(x[i])
			same = same && x[i] == all.Values[0][i]
		}
		if math.Abs(got-mean) > 1e-11+1e-14*size || same && got != float64(all.Values[0][i]) {
			t.Fatalf("mask %v, %v: marginal %d is %v, want %v", mask, score, i, got, mean)
		}
	}
	if size < 100 && rng.IntN(5) == 0 {
		draw, err := p.distribution(score.Linear, mask, nil)
		if err != nil {
			t.Fatal(err)
		}
		all.Check(t, "draws under a mask", func() []int32 {
			draw(y, rng)
			return y
		})
	}
	return true
}
