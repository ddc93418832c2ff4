package chain

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mathext"

	"combpred/core/internal/structuretest"
	"combpred/core/structure"
)

// Statistical tests have fixed seeds. A correct sampler or chain fails one of their χ² tests with probability 10⁻⁶; about
// a thousand of them are made here.
const falseAlarm = 1e-6

// gibbs is the distribution p ∝ exp ⟨s, ψ⟩ on a space, by enumeration.
type gibbs struct {
	space   structure.Space
	score   structure.Scores
	outputs [][]int32
	index   map[string]int
	value   []float64
	p       []float64
	sums    []float64 // of p up to each output, itself included
	most    float64   // largest score
	logBeta float64   // ln E exp(h − most) under the uniform distribution
}

// newGibbs lists a space, or returns nil where it has more than most outputs.
func newGibbs(t *testing.T, space structure.Space, linear []float64, most int) *gibbs {
	t.Helper()
	g := &gibbs{space: space, score: structure.Scores{Linear: linear}, index: map[string]int{}, most: math.Inf(-1)}
	psi := make([]float64, space.FeatureLen())
	for y := range space.(structure.Enumerator).All() {
		if len(g.outputs) == most {
			return nil
		}
		g.index[key(y)] = len(g.outputs)
		g.outputs = append(g.outputs, slices.Clone(y))
		space.Embed(psi, y)
		g.value = append(g.value, g.score.Value(psi))
		g.most = max(g.most, g.value[len(g.value)-1])
	}
	var sum float64
	for _, v := range g.value {
		g.p = append(g.p, math.Exp(v-g.most))
		sum += g.p[len(g.p)-1]
	}
	var upTo float64
	for i := range g.p {
		g.p[i] /= sum
		upTo += g.p[i]
		g.sums = append(g.sums, upTo)
	}
	g.logBeta = math.Log(sum / float64(len(g.p)))
	return g
}

func key(y []int32) string {
	var bytes []byte
	for _, v := range y {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(v))
	}
	return string(bytes)
}

// draw returns the number of an output drawn from the distribution.
func (g *gibbs) draw(rng *rand.Rand) int {
	return min(sort.SearchFloat64s(g.sums, rng.Float64()), len(g.p)-1)
}

// at returns the number of an output.
func (g *gibbs) at(t *testing.T, y []int32) int {
	t.Helper()
	i, ok := g.index[key(y)]
	if !ok {
		t.Fatalf("%v is not in the list", y)
	}
	return i
}

// leastExpected is the smallest frequency for which χ² is taken to be exact enough; rarer outputs are put together.
const leastExpected = 8

// fits tests that frequencies are those of draws from the distribution.
func (g *gibbs) fits(t *testing.T, what string, frequency []float64) {
	t.Helper()
	var draws float64
	for _, f := range frequency {
		draws += f
	}
	var statistic, freedom, rareSeen, rareExpected float64
	add := func(seen, expected float64) {
		statistic += (seen - expected) * (seen - expected) / expected
		freedom++
	}
	for i, p := range g.p {
		if p*draws < leastExpected {
			rareSeen, rareExpected = rareSeen+frequency[i], rareExpected+p*draws
			continue
		}
		add(frequency[i], p*draws)
	}
	switch {
	case rareExpected >= leastExpected:
		add(rareSeen, rareExpected)
	case rareSeen > rareExpected+30: // Poisson: less than 10⁻⁷ with a mean below 8
		t.Errorf("%s: %v draws of outputs that have %v together", what, rareSeen, rareExpected)
	}
	if freedom--; freedom < 1 {
		return // one output has nearly all of the probability
	}
	if p := mathext.GammaIncRegComp(freedom/2, statistic/2); p < falseAlarm {
		t.Errorf("%s: χ² is %.1f with %.0f degrees of freedom, p = %.2g", what, statistic, freedom, p)
	}
}

// balanced tests that moves forth and back are equally frequent (Bowker, 1948), given the number of moves from each
// output to each other.
func balanced(t *testing.T, what string, moves map[[2]int]float64) {
	t.Helper()
	var statistic, freedom float64
	for pair, forth := range moves {
		back := moves[[2]int{pair[1], pair[0]}]
		if pair[0] == pair[1] || back > 0 && pair[0] > pair[1] || forth+back < leastExpected {
			continue
		}
		statistic += (forth - back) * (forth - back) / (forth + back)
		freedom++
	}
	if p := mathext.GammaIncRegComp(max(freedom, 1)/2, statistic/2); p < falseAlarm {
		t.Errorf("%s: χ² is %.1f with %.0f degrees of freedom, p = %.2g: no detailed balance", what, statistic, freedom, p)
	}
}

func gaussian(d int, scale float64, rng *rand.Rand) []float64 {
	x := make([]float64, d)
	for i := range x {
		x[i] = scale * rng.NormFloat64()
	}
	return x
}

// mostListed bounds the spaces on which distributions are compared.
const mostListed = 300

// everySmall runs a test on the small sizes of every registered structure, with scores of two scales: one near the
// uniform distribution, and one that gives few outputs most of the probability.
func everySmall(t *testing.T, test func(t *testing.T, g *gibbs, rng *rand.Rand)) {
	for _, spec := range structure.Catalogue() {
		tested := 0
		for i, args := range structuretest.SizesOf(t, spec.Name).Small {
			space, err := structure.New(spec.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			for _, scale := range []float64{0.3, 2} {
				rng := rand.New(rand.NewPCG(uint64(i), math.Float64bits(scale)))
				g := newGibbs(t, space, gaussian(space.FeatureLen(), scale, rng), mostListed)
				if g == nil {
					continue
				}
				tested++
				t.Run(fmt.Sprintf("%s/%d/scale=%v", spec.Name, i, scale), func(t *testing.T) { test(t, g, rng) })
			}
		}
		if tested == 0 {
			t.Errorf("%s has no size small enough to be tested", spec.Name)
		}
	}
}

// mustNew builds a structure of n things and nothing else.
func mustNew(t testing.TB, name string, n int64) structure.Space {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": n}})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// tree returns the rooted subtrees of a tree with the given parents.
func tree(t testing.TB, parent ...int32) structure.Space {
	t.Helper()
	args := structure.Args{Scalars: map[string]int64{"n": int64(len(parent))}, Ints: parent}
	space, err := structure.New("subtrees", args)
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// rows returns the score vector as the only row of a matrix, or n times.
func rows(linear []float64, n int) blas64.General {
	m := blas64.General{Rows: n, Cols: len(linear), Stride: len(linear)}
	for range n {
		m.Data = append(m.Data, linear...)
	}
	return m
}
