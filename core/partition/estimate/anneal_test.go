package estimate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/chain"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/partition/estimate"
	"combpred/core/slicex"
	"combpred/core/structure"
)

func build(t *testing.T, name string, scalars map[string]int64, ints ...int32) structure.Space {
	t.Helper()
	s, err := structure.New(name, structure.Args{Scalars: scalars, Ints: ints})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listed are the scores of all outputs, and ψ of each.
type listed struct {
	scores []float64
	psi    [][]float64
}

func list(space structure.Space, scores []float64) (l listed) {
	for y := range space.(structure.Enumerator).All() {
		psi := make([]float64, space.FeatureLen())
		space.Embed(psi, y)
		l.psi = append(l.psi, psi)
		l.scores = append(l.scores, structure.Scores{Linear: scores}.Value(psi))
	}
	return l
}

func (l listed) logZ() float64 {
	top, sum := math.Inf(-1), 0.0
	for _, h := range l.scores {
		top = max(top, h)
	}
	for _, h := range l.scores {
		sum += math.Exp(h - top)
	}
	return top + math.Log(sum)
}

func (l listed) mean() []float64 {
	logZ, mean := l.logZ(), make([]float64, len(l.psi[0]))
	for i, psi := range l.psi {
		p := math.Exp(l.scores[i] - logZ)
		for j, v := range psi {
			mean[j] += p * v
		}
	}
	return mean
}

func rowsOf(n int, scores []float64) blas64.General {
	m := blas64.General{Rows: n, Cols: len(scores), Stride: len(scores)}
	for range n {
		m.Data = append(m.Data, scores...)
	}
	return m
}

func normal(d int, seed uint64) []float64 {
	rng, s := rand.New(rand.NewPCG(seed, 7)), make([]float64, d)
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	return s
}

func spaces(t *testing.T) map[string]structure.Space {
	return map[string]structure.Space{
		"permutations": build(t, "permutations", map[string]int64{"n": 4}),
		"subtrees":     build(t, "subtrees", map[string]int64{"n": 7}, -1, 0, 0, 1, 1, 2, 3),
		"cycles":       build(t, "cycles", map[string]int64{"n": 5}),
		"labelsets":    build(t, "labelsets", map[string]int64{"n": 5, "size": 2}),
		"weakorders":   build(t, "weakorders", map[string]int64{"n": 3}),
	}
}

var samplers = []estimate.Sampler{
	estimate.AutoSampler, estimate.ExactSampler, estimate.Sampler(chain.FromPast), estimate.Sampler(chain.Reject),
	estimate.Sampler(chain.LocalMoves), estimate.Sampler(chain.Meta),
}

// TestAnnealedValues: estimates are within ln(1 ± ε) of sums over all outputs. Bounds are Chebyshev's: the 60 fail together with far
// less than their δ of 0.01, by the standard errors.
func TestAnnealedValues(t *testing.T) {
	for name, space := range slicex.InOrder(spaces(t)) {
		scores := normal(space.FeatureLen(), 1)
		exact := list(space, scores).logZ()
		logCount, err := structure.LogCount(space)
		if err != nil {
			t.Fatal(err)
		}
		for _, sampler := range samplers {
			opt := estimate.Options{Epsilon: 0.2, Delta: 0.01, Sampler: sampler, MaxSteps: 1e8, Seed: 3}
			found, err := estimate.Anneal(structure.OneSpaceLinear(space, rowsOf(2, scores)), opt, 2, nil)
			if err != nil {
				t.Fatalf("%s by %v: %v", name, sampler, err)
			}
			for _, row := range found {
				value := logCount + row.LogRatio
				if exact < value-math.Log1p(0.2) || exact > value-math.Log1p(-0.2) {
					t.Errorf("%s by %v: %v, must be near %v", name, sampler, value, exact)
				}
				if row.Failure != "" || row.Steps < row.Samples || float64(row.Samples) <= row.Schedule.Draws || row.Accepted < 1 ||
					row.Accepted > row.Steps {
					t.Errorf("%s by %v: %+v", name, sampler, row)
				}
			}
			if found[0].LogRatio == found[1].LogRatio {
				t.Errorf("%s by %v: rows share a random stream", name, sampler)
			}
		}
	}
}

// TestShares: of 60 rows at least as many are within ε as 1 − δ says, but for a false alarm of 1e-5.
func TestShares(t *testing.T) {
	space := build(t, "subtrees", map[string]int64{"n": 7}, -1, 0, 0, 1, 1, 2, 3)
	scores := normal(space.FeatureLen(), 2)
	for i := range scores {
		scores[i] *= 0.2
	}
	exact := list(space, scores).logZ()
	logCount, _ := structure.LogCount(space)
	const runs = 60
	for _, c := range []struct {
		levels estimate.Levels
		delta  float64
		least  int // the 1e-5 quantile of the binomial distribution
	}{{estimate.Adaptive, 0.25, 30}, {estimate.Uniform, 0.05, 47}, {estimate.Thesis, 0.25, 30}} {
		opt := estimate.Options{
			Epsilon: 0.8, Delta: c.delta, Sampler: estimate.ExactSampler, Levels: c.levels, MaxSteps: 1e8, Seed: 5,
		}
		found, err := estimate.Anneal(structure.OneSpaceLinear(space, rowsOf(runs, scores)), opt, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		within := 0
		for _, row := range found {
			if value := logCount + row.LogRatio; exact >= value-math.Log1p(0.8) && exact <= value-math.Log1p(-0.8) {
				within++
			}
		}
		if within < c.least {
			t.Errorf("levels %v: %d of %d are within ε", c.levels, within, runs)
		}
	}
}

// TestResultsDependOnSeedsAlone: neither on workers nor on later rows.
func TestResultsDependOnSeedsAlone(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 4})
	for _, sampler := range []estimate.Sampler{estimate.Sampler(chain.FromPast), estimate.Sampler(chain.LocalMoves)} {
		opt := estimate.Options{Epsilon: 0.5, Delta: 0.05, Sampler: sampler, MaxSteps: 1e8, Seed: 3}
		scores := normal(3*6, 4)
		three := blas64.General{Rows: 3, Cols: 6, Stride: 6, Data: scores}
		two := blas64.General{Rows: 2, Cols: 6, Stride: 6, Data: scores[:12]}
		a, err := estimate.Anneal(structure.OneSpaceLinear(space, three), opt, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := estimate.Anneal(structure.OneSpaceLinear(space, two), opt, 4, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			if a[i].LogRatio != b[i].LogRatio || a[i].Steps != b[i].Steps {
				t.Errorf("row %d: %v and %v", i, a[i].LogRatio, b[i].LogRatio)
			}
		}
	}
}

// TestBeyondRecursions: the sum over orders of exp(2s · pairs in order − s · pairs) is a product of q-numbers (Mahonian),
// q = exp(2s), for rankings of 24 labels, which "auto" draws by coupling where scores are weak, else along chains.
func TestBeyondRecursions(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 24})
	for s, want := range slicex.InOrder(map[float64]estimate.Sampler{
		0.002: estimate.Sampler(chain.FromPast), 0.4: estimate.Sampler(chain.LocalMoves),
	}) {
		scores := make([]float64, 276)
		for i := range scores {
			scores[i] = s
		}
		opt := estimate.Options{Epsilon: 0.9, Delta: 0.5, Sampler: estimate.AutoSampler, MaxSteps: 1e8, Seed: 1}
		var mon parallel.Monitor
		found, err := estimate.Anneal(structure.OneSpaceLinear(space, rowsOf(1, scores)), opt, 2, &mon)
		if err != nil {
			t.Fatal(err)
		}
		exact := -276 * s
		for k := 1; k <= 24; k++ {
			var q float64
			for i := range k {
				q += math.Exp(2 * s * float64(i))
			}
			exact += math.Log(q)
		}
		logCount, _ := structure.LogCount(space)
		value := logCount + found[0].LogRatio
		if found[0].Sampler != want || exact < value-math.Log1p(0.9) || exact > value-math.Log1p(-0.9) {
			t.Errorf("s = %v: %v by %v, must be near %v", s, value, found[0].Sampler, exact)
		}
		if mon.Steps() != int(found[0].Samples) {
			t.Errorf("the monitor counts %d draws of %d", mon.Steps(), found[0].Samples)
		}
	}
}

func TestRefusals(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 8})
	weak, strong := make([]float64, 28), make([]float64, 28)
	for i := range strong {
		strong[i] = 2
	}
	rows := blas64.General{Rows: 2, Cols: 28, Stride: 28, Data: append(weak, strong...)}
	good := estimate.Options{Epsilon: 0.3, Delta: 0.05, Sampler: estimate.Sampler(chain.FromPast), MaxSteps: 50_000}
	cases := map[string]func(*estimate.Options){
		"of at most max_steps=50000 steps, and ":          func(*estimate.Options) {},
		"epsilon is 1, must be between":                   func(o *estimate.Options) { o.Epsilon = 1 },
		"delta is NaN":                                    func(o *estimate.Options) { o.Delta = math.NaN() },
		"max_steps is 0":                                  func(o *estimate.Options) { o.MaxSteps = 0 },
		"row 1: an output scores 56, beyond the bound 50": func(o *estimate.Options) { o.Bound = []float64{0, 50} },
		"row 0: bound is -1":                              func(o *estimate.Options) { o.Bound = []float64{-1, 60} },
		"a lattice":                                       func(o *estimate.Options) { o.Sampler = estimate.Sampler(chain.MonotonePast) },
	}
	for want, change := range slicex.InOrder(cases) {
		opt := good
		change(&opt)
		_, err := estimate.Anneal(structure.OneSpaceLinear(space, rows), opt, 1, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
	if _, err := estimate.Anneal(structure.OneSpaceLinear(space, rows), good, 1, nil); fault.KindOf(err) != fault.KindBudget || fault.RowOf(err) != 1 {
		t.Errorf("%v", err)
	}
	var mon parallel.Monitor
	mon.Cancel()
	if _, err := estimate.Anneal(structure.OneSpaceLinear(space, rows), good, 1, &mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestShortBudgetsOfChains: what they say about themselves names the figure.
func TestShortBudgetsOfChains(t *testing.T) {
	space := build(t, "permutations", map[string]int64{"n": 8})
	scores := make([]float64, 28)
	for i := range scores {
		scores[i] = 2
	}
	opt := estimate.Options{Epsilon: 0.1, Delta: 0.05, Sampler: estimate.Sampler(chain.LocalMoves), MaxSteps: 20_000}
	found, err := estimate.Anneal(structure.OneSpaceLinear(space, rowsOf(1, scores)), opt, 1, nil)
	if err != nil || !strings.Contains(found[0].Failure, "max_steps=20000") {
		t.Errorf("%+v %v", found, err)
	}
}
