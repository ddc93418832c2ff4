package extensions

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

// mostWrong is how many of so many runs may fail that fail with a probability of at most delta each: more do in a correct
// implementation with probability falseAlarm at most.
func mostWrong(runs int, delta float64) float64 {
	for k := 0; ; k++ {
		if 1-(distuv.Binomial{N: float64(runs), P: delta}).CDF(float64(k)) <= falseAlarm {
			return float64(k)
		}
	}
}

// TestEstimatesKeepTheirGuarantee compares with enumeration; no part of two elements is counted.
func TestEstimatesKeepTheirGuarantee(t *testing.T) {
	const runs, epsilon, delta = 200, 0.4, 0.2
	rng := rand.New(rand.NewPCG(3, 0))
	for name, p := range slicex.InOrder(map[string]*Poset{
		"zigzag": mustNew(t, 5, [2]int32{0, 1}, [2]int32{2, 1}, [2]int32{2, 3}, [2]int32{4, 3}),
		"random": random(t, 6, 0.3, rng),
	}) {
		want := float64(len(list(p)))
		wrong, sum, squares := 0.0, 0.0, 0.0
		for seed := range runs {
			found, err := Estimate(p, epsilon, delta, 1, uint64(seed), 1, nil)
			if err != nil || found.Levels == 0 || found.Samples <= pilotDraws {
				t.Fatal(found, err)
			}
			if ratio := math.Exp(found.Log) / want; math.Abs(ratio-1) > epsilon {
				wrong++
			}
			number, _ := new(big.Float).SetInt(found.Number).Float64()
			if math.Abs(number-math.Exp(found.Log)) > 0.5+1e-9 {
				t.Errorf("%s: %v is not exp(%v)", name, found.Number, found.Log)
			}
			off := found.Log - math.Log(want)
			sum, squares = sum+off, squares+off*off
		}
		if wrong > mostWrong(runs, delta) {
			t.Errorf("%s: %v of %d estimates are wrong, which were to be with probability %v", name, wrong, runs, delta)
		}
		// The errors are no smaller than they must be, either: their logarithms have mean 0 and enough spread.
		spread := math.Sqrt(squares / runs)
		if spread < 0.03 || math.Abs(sum/runs) > 5*spread/math.Sqrt(runs) {
			t.Errorf("%s: the logarithms are off by %v, with a spread of %v", name, sum/runs, spread)
		}
	}
}

func TestEstimatesOfWhatCanBeCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for n := 1; n <= 9; n++ {
		p := random(t, n, 0.3, rng)
		want, err := Count(p, MostCounted, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, epsilon := range []float64{0.1, 0} {
			found, err := Estimate(p, epsilon, 0.1, MostCounted, 0, 1, nil)
			if err != nil || found.Number.Cmp(want) != 0 || found.Levels != 0 || found.Samples != 0 {
				t.Errorf("%d elements: %v (%v), want %v", n, found, err, want)
			}
		}
	}
	if _, err := Estimate(mustNew(t, 4), 0, 0.1, 1, 0, 1, nil); err != nil {
		t.Errorf("elements without relations are counted one by one: %v", err)
	}
	if _, err := Estimate(mustNew(t, 2), 1, 0.1, 1, 0, 1, nil); err == nil {
		t.Error("epsilon = 1 is taken")
	}
}

// TestEstimatesOfPartsThatAreCounted: a fence of 12 elements, of which a part has few enough downsets.
func TestEstimatesOfPartsThatAreCounted(t *testing.T) {
	fence := make([][2]int32, 11)
	for i := range fence {
		fence[i] = [2]int32{int32(i + i%2), int32(i + 1 - i%2)}
	}
	p := mustNew(t, 12, fence...)
	want, err := Count(p, MostCounted, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	exact, _ := new(big.Float).SetInt(want).Float64()
	one, err := Estimate(p, 0.5, 1e-6, 60, 5, 1, nil)
	if err != nil || math.Abs(math.Exp(one.Log)/exact-1) > 0.5 || one.Levels == 0 {
		t.Fatalf("%v, want %v (%v)", one, want, err)
	}
	two, err := Estimate(p, 0.5, 1e-6, 60, 5, 2, nil)
	if err != nil || two.Number.Cmp(one.Number) != 0 || two.Log != one.Log || two.Samples != one.Samples {
		t.Errorf("%v with two workers, %v with one (%v)", two, one, err)
	}
	other, err := Estimate(p, 0.5, 1e-6, 60, 6, 1, nil)
	if err != nil || other.Log == one.Log {
		t.Errorf("another seed gives the same (%v)", err)
	}
	if _, err := Estimate(p, 1e-6, 1e-6, 60, 5, 1, nil); err == nil || !strings.Contains(err.Error(), "larger epsilon") {
		t.Errorf("%v, want it refused", err)
	}
	mon := new(parallel.Monitor)
	mon.Cancel()
	if _, err := Estimate(p, 0.5, 1e-6, 60, 5, 1, mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("%v, want it cancelled", err)
	}
}

// TestRelativeErrorsHaveAKnownDistribution: p times the estimate follows Gamma(k), by the Kolmogorov–Smirnov test, whose
// limit is that of falseAlarm by the inequality of Dvoretzky, Kiefer and Wolfowitz.
func TestRelativeErrorsHaveAKnownDistribution(t *testing.T) {
	const k, runs = 5, 2000
	for _, p := range []float64{0.15, 0.7, 1} {
		coins, rng := rand.New(rand.NewPCG(1, 0)), rand.New(rand.NewPCG(2, 0))
		flip := func(many int) ([]bool, error) {
			found := make([]bool, many)
			for i := range found {
				found[i] = coins.Float64() < p
			}
			return found, nil
		}
		values := make([]float64, runs)
		for i := range values {
			log, err := logInverse(flip, k, 0.5, 16, rng)
			if err != nil {
				t.Fatal(err)
			}
			values[i] = p * math.Exp(log+mathext.Digamma(k))
		}
		slices.Sort(values)
		most, gamma := 0.0, distuv.Gamma{Alpha: k, Beta: 1}
		for i, v := range values {
			share := gamma.CDF(v)
			most = max(most, share-float64(i)/runs, float64(i+1)/runs-share)
		}
		if limit := math.Sqrt(math.Log(2/falseAlarm) / (2 * runs)); most > limit {
			t.Errorf("p = %v: the distributions are %v apart, at most %v", p, most, limit)
		}
	}
}

func TestAsManySuccessesAsTheGuaranteeNeeds(t *testing.T) {
	const runs = 20000
	rng := rand.New(rand.NewPCG(5, 0))
	for _, c := range []struct {
		levels         int
		epsilon, delta float64
	}{{1, 0.5, 0.3}, {4, 0.2, 0.05}, {30, 0.8, 0.01}} {
		k := successesNeeded(c.levels, c.epsilon, c.delta)
		if errorBound(c.levels, k-1, c.epsilon) <= c.delta || errorBound(c.levels, k, c.epsilon) > c.delta {
			t.Errorf("%v: %d is not the least number", c, k)
		}
		wrong, gamma := 0.0, distuv.Gamma{Alpha: float64(k), Beta: 1, Src: rng}
		for range runs {
			product := 1.0
			for range c.levels {
				product *= gamma.Rand() / math.Exp(mathext.Digamma(float64(k)))
			}
			if math.Abs(product-1) > c.epsilon {
				wrong++
			}
		}
		if wrong > mostWrong(runs, c.delta) || wrong < c.delta*runs/40 { // Chernoff's bound is not far off
			t.Errorf("%v: %v of %d are wrong", c, wrong, runs)
		}
	}
}

func TestScaledNumbers(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 20000)
	if got := scaled(big.NewInt(1), 20000*math.Ln2); new(big.Int).Sub(got, huge).BitLen() > 20000-38 {
		t.Errorf("2^20000 is off by a number of %d bits", new(big.Int).Sub(got, huge).BitLen())
	}
	if got := scaled(big.NewInt(16), math.Log(0.52)); got.Int64() != 8 {
		t.Errorf("16 · 0.52 is rounded to %v", got)
	}
}

func TestProbabilitiesAreThoseOfEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	for n := 1; n <= 7; n++ {
		p := random(t, n, 0.25, rng)
		want, all := make([]float64, n*n), list(p)
		for _, order := range all {
			for i, u := range order {
				for _, v := range order[i+1:] {
					want[int(u)*n+int(v)] += 1 / float64(len(all))
				}
			}
		}
		got := make([]float64, n*n)
		if err := Before(got, p, MostCounted, 2, nil); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%d elements, entry %d: %v, want %v", n, i, got[i], want[i])
			}
		}
	}
	if err := Before(make([]float64, 3), mustNew(t, 2), 1, 1, nil); err == nil {
		t.Error("a matrix of the wrong size is taken")
	}
	var chains [][2]int32 // one pair more connects all 70
	for i := range int32(69) {
		if i != 34 {
			chains = append(chains, [2]int32{i, i + 1})
		}
	}
	var limit *LimitError
	if err := Before(make([]float64, 4900), mustNew(t, 70, chains...), MostCounted, 1, nil); !errors.As(err, &limit) {
		t.Errorf("%v, want a *LimitError", err)
	}
}
