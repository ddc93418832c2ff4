package chain

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// drawsEach is the number of draws for each output of a distribution, fewestDraws and mostDraws bound their sum.
const drawsEach, fewestDraws, mostDraws = 20, 1000, 6000

func drawsOf(g *gibbs) int { return min(mostDraws, max(fewestDraws, drawsEach*len(g.outputs))) }

// sample returns the frequencies of draws by a method, and what they took on average.
func (g *gibbs) sample(t *testing.T, method Method, draws int, seed uint64) (frequency []float64, steps float64) {
	t.Helper()
	parts := g.space.PartLen()
	dst := Draws{
		Y: make([]int32, draws*parts), Value: make([]float64, draws),
		Steps: make([]int64, draws), Accepted: make([]int64, draws),
	}
	opt := Options{Method: method, Draws: draws, Thin: 1, Budget: 1 << 22, Seed: seed}
	if err := Batch(structure.OneSpaceLinear(g.space, rows(g.score.Linear, 1)), opt, dst, 1, nil); err != nil {
		t.Fatal(err)
	}
	frequency = make([]float64, len(g.outputs))
	for j := range draws {
		i := g.at(t, dst.Y[j*parts:(j+1)*parts])
		frequency[i]++
		if dst.Value[j] != g.value[i] {
			t.Fatalf("draw %d is said to score %v, it scores %v", j, dst.Value[j], g.value[i])
		}
		if dst.Accepted[j] < 1 || dst.Accepted[j] > dst.Steps[j] {
			t.Fatalf("draw %d accepted %d of %d proposals", j, dst.Accepted[j], dst.Steps[j])
		}
		steps += float64(dst.Steps[j])
	}
	return frequency, steps / float64(draws)
}

// mostProposals bounds the mean number of proposals of the distributions that samplers of proposals are tested on.
const mostProposals = 200

// TestExactSamplers: on every structure exact methods draw from the distribution, and take as many proposals as they should.
func TestExactSamplers(t *testing.T) {
	everySmall(t, func(t *testing.T, g *gibbs, _ *rand.Rand) {
		draws := drawsOf(g)
		_, samples := g.space.(structure.Sampler)
		if samples && g.logBeta > -math.Log(mostProposals) {
			for method, name := range slicex.InOrder(map[Method]string{FromPast: "coupling from the past", Reject: "rejection"}) {
				frequency, steps := g.sample(t, method, draws, 1)
				g.fits(t, name, frequency)
				g.expectProposals(t, steps, draws)
			}
		}
		if _, err := newSites(g.space, g.score); err == nil {
			frequency, _ := g.sample(t, MonotonePast, draws, 2)
			g.fits(t, "monotone coupling from the past", frequency)
		}
	})
}

// expectProposals compares a mean number of proposals with 1/E exp(h − max h), within 5.3 standard errors of geometric
// numbers: a correct sampler fails with probability 10⁻⁷.
func (g *gibbs) expectProposals(t *testing.T, steps float64, draws int) {
	t.Helper()
	mean := math.Exp(-g.logBeta)
	standardError := math.Sqrt(mean*(mean-1)/float64(draws)) + 1e-12
	if math.Abs(steps-mean) > 5.3*standardError {
		t.Errorf("%v proposals on average, want %v ± %v", steps, mean, standardError)
	}
}

// TestStrongScores: where the best outputs have nearly all of the probability, which takes thousands of proposals, coupling
// from the past and rejection still draw from it.
func TestStrongScores(t *testing.T) {
	for name, n := range slicex.InOrder(map[string]int64{"permutations": 5, "labelsets": 7, "cycles": 5, "tournaments": 3}) {
		space := mustNew(t, name, n)
		rng := rand.New(rand.NewPCG(5, 6))
		linear := gaussian(space.FeatureLen(), 1, rng)
		for range 20 { // as strong as makes a thousand proposals or more
			if newGibbs(t, space, linear, mostListed).logBeta < -math.Log(1000) {
				break
			}
			for j := range linear {
				linear[j] *= 1.3
			}
		}
		g := newGibbs(t, space, linear, mostListed)
		for method, what := range slicex.InOrder(map[Method]string{FromPast: "coupling from the past", Reject: "rejection"}) {
			const draws = 2000
			frequency, steps := g.sample(t, method, draws, 3)
			g.fits(t, name+", "+what, frequency)
			g.expectProposals(t, steps, draws)
		}
	}
	// Scores of ±700 and all ties between them: the sampler must neither overflow nor stop at zero probabilities.
	g := newGibbs(t, mustNew(t, "labelsets", 6), []float64{700, -700, 0.5, 700, -700, 0}, mostListed)
	frequency, _ := g.sample(t, MonotonePast, 4000, 4)
	g.fits(t, "monotone, scores of ±700", frequency)
	g = newGibbs(t, mustNew(t, "multiclass", 4), []float64{700, -700, 699, 700}, mostListed)
	frequency, _ = g.sample(t, FromPast, 4000, 5)
	g.fits(t, "coupling from the past, scores of ±700", frequency)
}

// TestNoSampleBeyondTheBudget: a budget that runs out is an error with its figures, for every exact method.
func TestNoSampleBeyondTheBudget(t *testing.T) {
	space := mustNew(t, "labelsets", 40)
	linear := make([]float64, 40)
	for i := range linear {
		linear[i] = 3
	}
	for method, want := range slicex.InOrder(map[Method]string{
		FromPast: "coupling from the past did not end within 1000 steps; by the scores of these proposals it takes about 10^",
		Reject:   "rejection sampling did not end within 1000 steps; by the scores",
		MonotonePast: "monotone coupling from the past did not end within 40 steps; the chains from the least and the greatest " +
			"set differ in ",
	}) {
		budget := 1000
		if method == MonotonePast {
			budget = 50
		}
		dst := Draws{Y: make([]int32, 40)}
		err := Batch(structure.OneSpaceLinear(space, rows(linear, 1)), Options{Method: method, Draws: 1, Thin: 1, Budget: budget}, dst, 1, nil)
		spent, ok := errors.AsType[*BudgetError](err)
		if !ok || spent.Kind() != fault.KindBudget || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "row 0") {
			t.Errorf("method %d: error %v, want a BudgetError with %q", method, err, want)
		}
	}
}

// TestBounds: a bound that is too large changes nothing but the time, one that is too small is found out, and the
// certificate of a guaranteed solution takes the place of an exact decoder beyond its size.
func TestBounds(t *testing.T) {
	space := mustNew(t, "labelsets", 5)
	linear := []float64{1, -0.5, 0.3, 0.2, -1}
	g := newGibbs(t, space, linear, mostListed)
	for _, method := range []Method{FromPast, Reject} {
		const draws = 3000
		dst := Draws{Y: make([]int32, draws*5), Steps: make([]int64, draws)}
		opt := Options{Method: method, Draws: draws, Thin: 1, Budget: 1 << 20, Bound: []float64{g.most + 1}}
		if err := Batch(structure.OneSpaceLinear(space, rows(linear, 1)), opt, dst, 1, nil); err != nil {
			t.Fatal(err)
		}
		frequency := make([]float64, len(g.outputs))
		var steps float64
		for j := range draws {
			frequency[g.at(t, dst.Y[5*j:5*j+5])]++
			steps += float64(dst.Steps[j]) / draws
		}
		g.fits(t, "a bound larger by 1", frequency)
		g.logBeta--
		g.expectProposals(t, steps, draws)
		g.logBeta++
		opt.Bound = []float64{g.most - 0.4}
		err := Batch(structure.OneSpaceLinear(space, rows(linear, 1)), opt, dst, 1, nil)
		if _, ok := errors.AsType[*BoundError](err); !ok {
			t.Errorf("a bound that is too small gives the error %v", err)
		}
	}

	large := mustNew(t, "permutations", 60)
	rng := rand.New(rand.NewPCG(1, 2))
	score := structure.Scores{Linear: gaussian(large.FeatureLen(), 1, rng)}
	bound, err := UpperBound(large, score, nil)
	if err != nil {
		t.Fatal(err)
	}
	y, psi := make([]int32, 60), make([]float64, large.FeatureLen())
	cert, err := large.(structure.Searcher).Search(y, score, nil)
	if err != nil {
		t.Fatal(err)
	}
	large.Embed(psi, y)
	if v := score.Value(psi); !(bound >= v) || bound != cert.UpperBound && bound < cert.Value {
		t.Errorf("the bound is %v, an output scores %v", bound, v)
	}
	if _, err := UpperBound(struct{ structure.Space }{space}, g.score, nil); err == nil {
		t.Error("a space without a decoder has a bound")
	}
}
