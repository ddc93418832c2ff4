package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// gibbs holds the scores of listed outputs and draws from p_β ∝ exp(β h).
type gibbs struct {
	values []float64
	rng    *rand.Rand
}

func (g gibbs) logZ(beta float64) float64 {
	return logMeanExp(beta, g.values) + math.Log(float64(len(g.values)))
}

func (g gibbs) logB(low, high float64) float64 {
	return g.logZ(low) + g.logZ(high) - 2*g.logZ((low+high)/2)
}

func (g gibbs) draw(beta float64, n int) ([]float64, error) {
	cumulated, logZ := make([]float64, len(g.values)), g.logZ(beta)
	for i, v := range g.values {
		cumulated[i] = math.Exp(beta*v - logZ)
	}
	floats.CumSum(cumulated, cumulated)
	out := make([]float64, n)
	for i := range out {
		u := g.rng.Float64() * cumulated[len(cumulated)-1]
		at := 0
		for step := len(cumulated); step > 0; step /= 2 {
			for at+step <= len(cumulated) && cumulated[at+step-1] <= u {
				at += step
			}
		}
		out[i] = g.values[min(at, len(g.values)-1)]
	}
	return out, nil
}

// spectra are scores that are hard in different ways: a bell, one output far above or below the others, all alike, far apart.
func spectra() map[string][]float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	all := map[string][]float64{"flat": make([]float64, 4), "needle": make([]float64, 1000), "hole": make([]float64, 1000)}
	all["needle"][999], all["hole"][999] = 60, -60
	for range 500 {
		v := 3 * rng.NormFloat64()
		all["bell"], all["steep"] = append(all["bell"], v), append(all["steep"], 1e6*v)
	}
	return all
}

// TestAdaptiveLevels: each schedule's bounds hold but with probability 1e-3 / 8 (25 are made: a false alarm with 3e-3, were the bounds
// tight, which Markov's inequality is far from).
func TestAdaptiveLevels(t *testing.T) {
	for name, values := range slicex.InOrder(spectra()) {
		g := gibbs{values, rand.New(rand.NewPCG(2, 2))}
		for range 5 {
			s, err := adaptiveSchedule(g.draw, 0.1, 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			if s.Levels[0] != 0 || s.Levels[len(s.Levels)-1] != 1 {
				t.Fatalf("%s: levels %v", name, s.Levels)
			}
			for i, v := range s.Variances {
				low, high := s.Levels[i], s.Levels[i+1]
				if truth := math.Expm1(g.logB(low, high)); !(low < high && truth <= v && v <= mostExcess) {
					t.Fatalf("%s: from %v to %v the variance is %v, said to be at most %v", name, low, high, truth, v)
				}
			}
		}
	}
}

// TestMomentBoundFailsSeldom: a bound that may fail in 5 % of 400 trials fails in more than 41 with probability 1e-5.
func TestMomentBoundFailsSeldom(t *testing.T) {
	g := gibbs{spectra()["needle"], rand.New(rand.NewPCG(3, 3))}
	const upper = 0.2
	truth := g.logB(0, upper)
	if truth < 2 { // the needle, of probability 1e-3, decides; 40 draws seldom show it
		t.Fatalf("ln B is %v", truth)
	}
	failures := 0
	for range 400 {
		low, _ := g.draw(0, 40)
		high, _ := g.draw(upper, 40)
		if logMomentBound(low, high, upper/2, 0.05) < truth {
			failures++
		}
	}
	if failures > 41 {
		t.Errorf("%d of 400 bounds do not hold", failures)
	}
}

// TestLogRatios: to first order ln of a mean has the standard deviation of its relative one; five of them, a false alarm with 1e-6.
func TestLogRatios(t *testing.T) {
	values := spectra()["bell"]
	floats.Scale(1.0/3, values)
	g := gibbs{values, rand.New(rand.NewPCG(4, 4))}
	for _, paired := range []bool{false, true} {
		s := Schedule{Levels: []float64{0, 0.3, 0.7, 1}, Repeats: 3, Paired: paired}
		ratios, err := logRatios(g.draw, s, 40_000) // more than are held at a time
		if err != nil || len(ratios) != 3 {
			t.Fatal(ratios, err)
		}
		for _, r := range ratios {
			if truth := g.logZ(1) - g.logZ(0); math.Abs(r-truth) > 5*math.Sqrt(3*0.2/40_000) {
				t.Errorf("paired %v: %v, must be near %v", paired, r, truth)
			}
		}
	}
}

func TestEvenSchedule(t *testing.T) {
	s, err := EvenSchedule(2.5, 0.1, 0.3, true)
	if err != nil || len(s.Levels) != 9 || s.Levels[7] != 7/7.5 || s.Repeats != 1 {
		t.Fatal(s, err)
	}
	if want := math.Ceil(65 * 8 * math.Exp(2.0/3) / (0.1 * 0.1)); s.Draws != want {
		t.Errorf("%v draws, the thesis says %v", s.Draws, want)
	}
	corrected, _ := EvenSchedule(2.5, 0.1, 0.3, false)
	if r := s.Draws / corrected.Draws; r < 16.5 || r > 17 { // exp(2/3) / sinh²(1/3)
		t.Errorf("the corrected number is smaller by a factor of %v", r)
	}
	for _, reach := range []float64{0, 0.2, 0.3, 0.34, 1, 7.77} {
		s, _ := EvenSchedule(reach, 0.1, 0.3, false)
		for i := range s.Levels[1:] {
			if step := (s.Levels[i+1] - s.Levels[i]) * reach; step > 1/smoothness+1e-12 {
				t.Errorf("reach %v: step %d changes scores by %v", reach, i, step)
			}
		}
	}
	if _, err := EvenSchedule(1e9, 0.1, 0.3, false); err == nil {
		t.Error("3e9 levels are not refused")
	}
}

// TestRepeats: medians fail as seldom as they are asked to, by the sum over the binomial distribution.
func TestRepeats(t *testing.T) {
	tail := func(k int, p float64) (sum float64) { // of more than half of k
		for j := (k + 1) / 2; j <= k; j++ {
			sum += math.Exp(-math.Log(float64(k+1)) - mathext.Lbeta(float64(j+1), float64(k-j+1)) +
				float64(j)*math.Log(p) + float64(k-j)*math.Log1p(-p))
		}
		return sum
	}
	for _, delta := range []float64{0.5, 0.25, 0.1, 0.05, 0.01, 1e-3, 1e-6} {
		k := FewestRepeats(delta)
		if k%2 != 1 || tail(k, 0.25) > delta || (k > 1 && tail(k-2, 0.25) <= delta) {
			t.Errorf("δ = %v: %d repeats fail with %v", delta, k, tail(k, 0.25))
		}
		k, off := CheapestRepeats(delta)
		if k%2 != 1 || math.Abs(tail(k, off)/delta-1) > 1e-6 || float64(k)/off > 1/delta*(1+1e-9) {
			t.Errorf("δ = %v: the median of %d, each off with %v, is off with %v", delta, k, off, tail(k, off))
		}
	}
}
