package logsum

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"

	"gonum.org/v1/gonum/mathext"
)

var extremes = []float64{math.Inf(-1), -1e300, -800, -30, -1, -1e-20, 0, 1e-20, 1, 30, 800, 1e300}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-14*max(1, math.Abs(b)) }

func TestSums(t *testing.T) {
	for _, a := range extremes {
		for _, b := range extremes {
			got := Add(a, b)
			if want := max(a, b); math.Abs(a-b) > 40 || a == b && math.IsInf(a, -1) {
				if got != want {
					t.Errorf("Add(%v, %v) is %v, want %v", a, b, got, want)
				}
			} else if want += math.Log(math.Exp(a-want) + math.Exp(b-want)); !near(got, want) {
				t.Errorf("Add(%v, %v) is %v, want %v", a, b, got, want)
			}
			if of := Of([]float64{a, b}); !near(of, got) {
				t.Errorf("Of(%v, %v) is %v, want %v", a, b, of, got)
			}
		}
		if got := Softplus(a); !near(got, Add(0, a)) {
			t.Errorf("Softplus(%v) is %v, want %v", a, got, Add(0, a))
		}
		if got, other := Sigmoid(a), Sigmoid(-a); !(got >= 0 && got <= 1) || !near(got+other, 1) {
			t.Errorf("Sigmoid is %v at %v and %v at its negative", got, a, other)
		}
	}
	if got := Of(nil); !math.IsInf(got, -1) {
		t.Errorf("no numbers add up to exp(%v)", got)
	}
	if Share(math.Inf(-1), math.Inf(-1)) != 0 || Share(1, 1-1e-16) != 1 || !near(Share(-1, 0), math.Exp(-1)) {
		t.Error("Share is wrong")
	}
}

func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	if got := new(Sum).Log(); !math.IsInf(got, -1) {
		t.Errorf("nothing adds up to exp(%v)", got)
	}
	for _, shift := range []float64{0, -1e5, 1e5} {
		const n = 5000
		var sum Sum
		logs := make([]float64, n)
		for i := range logs {
			logs[i] = shift + 700*rng.NormFloat64() + float64(i)
			if i%7 == 0 {
				logs[i] = math.Inf(-1) // weight 0
			}
			sum.Add(logs[i])
		}
		if got, want := sum.Log(), Of(logs); !near(got, want) {
			t.Errorf("the sum is exp(%v), want exp(%v)", got, want)
		}
	}
}

// TestDraws compares frequencies with probabilities by χ²; each of the three tests of correct functions fails with
// probability 1e-4, and the seed is fixed.
func TestDraws(t *testing.T) {
	x := []float64{-2, 0, 1, math.Inf(-1), 0.5, -800, 700, 699, 698.5, -1e9}
	p := make([]float64, len(x))
	SoftmaxTo(p, x)
	table := NewTable(x)
	rng := rand.New(rand.NewPCG(7, 8))
	for name, draw := range slicex.InOrder(map[string]func() int{
		"Pick": func() int { return Pick(x, rng) }, "PickWeight": func() int { return PickWeight(p, rng) },
		"Table": func() int { return table.Draw(rng) },
	}) {
		const n = 20000
		seen := make([]float64, len(x))
		for range n {
			seen[draw()]++
		}
		var statistic, freedom float64
		for i, f := range seen {
			if e := p[i] * n; e > 5 {
				statistic += (f - e) * (f - e) / e
				freedom++
			} else if f > 0 {
				t.Errorf("%s draws %d, whose probability is %v", name, i, p[i])
			}
		}
		if q := mathext.GammaIncRegComp((freedom-1)/2, statistic/2); q < 1e-4 {
			t.Errorf("%s: χ² is %v, p = %v", name, statistic, q)
		}
	}
}

// TestExp compares with math.Exp, which is within one unit in the last place itself.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	x := []float64{0, math.Copysign(0, -1), 1, -1, 699.99, -699.99, 700, -700, 710, -745, -800, math.Inf(-1), math.Inf(1), 1e-300, -1e-17}
	for range 100000 {
		x = append(x, (rng.Float64()-0.5)*math.Exp(15*rng.Float64()-7))
	}
	got := make([]float64, len(x))
	ExpTo(got, x)
	for i, v := range x {
		if want := math.Exp(v); got[i] != want && !(math.Abs(got[i]-want) <= 3*0x1p-52*want) {
			t.Fatalf("exp(%v) is %v, want %v", v, got[i], want)
		}
	}
	if ExpTo(x[:1], x[:1]); x[0] != 1 {
		t.Error("ExpTo does not work in place")
	}
	ExpTo(got[:1], []float64{math.NaN()})
	if !math.IsNaN(got[0]) {
		t.Error("the exponential of NaN is a number")
	}
}

func BenchmarkExp(b *testing.B) {
	x, dst := make([]float64, 1000), make([]float64, 1000)
	for i := range x {
		x[i] = 3 * math.Sin(float64(i))
	}
	for b.Loop() {
		ExpTo(dst, x)
	}
}
