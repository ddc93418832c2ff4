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

	"combpred/core/structure"
	"combpred/core/structure/structuretest"
)

// Statistical tests have fixed seeds. A correct sampler or chain fails one of their χ² tests with probability 10⁻⁶; about
// a thousand of them are made here.
const falseAlarm = 1e-6

// law is p ∝ exp ⟨s, ψ⟩ on a space by enumeration.
type law struct {
	space   structure.Space
	score   structure.Scores
	outputs [][]int32
	index   map[string]int
	value   []float64
	p       []float64
	sums    []float64 // of p up to each output, itself included
	most    float64   // largest score
	logBeta float64   // ln E exp(h − most) under the uniform law
}

// newLaw lists a space, or returns nil where it has more than most outputs.
func newLaw(t *testing.T, space structure.Space, linear []float64, most int) *law {
	t.Helper()
	l := &law{space: space, score: structure.Scores{Linear: linear}, index: map[string]int{}, most: math.Inf(-1)}
	psi := make([]float64, space.FeatureLen())
	for y := range space.(structure.Enumerator).All() {
		if len(l.outputs) == most {
			return nil
		}
		l.index[key(y)] = len(l.outputs)
		l.outputs = append(l.outputs, slices.Clone(y))
		space.Embed(psi, y)
		l.value = append(l.value, l.score.Value(psi))
		l.most = max(l.most, l.value[len(l.value)-1])
	}
	var sum float64
	for _, v := range l.value {
		l.p = append(l.p, math.Exp(v-l.most))
		sum += l.p[len(l.p)-1]
	}
	var upTo float64
	for i := range l.p {
		l.p[i] /= sum
		upTo += l.p[i]
		l.sums = append(l.sums, upTo)
	}
	l.logBeta = math.Log(sum / float64(len(l.p)))
	return l
}

func key(y []int32) string {
	var bytes []byte
	for _, v := range y {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(v))
	}
	return string(bytes)
}

// draw returns the number of an output drawn from the law.
func (l *law) draw(rng *rand.Rand) int {
	return min(sort.SearchFloat64s(l.sums, rng.Float64()), len(l.p)-1)
}

// at returns the number of an output.
func (l *law) at(t *testing.T, y []int32) int {
	t.Helper()
	i, ok := l.index[key(y)]
	if !ok {
		t.Fatalf("%v is not in the list", y)
	}
	return i
}

// leastExpected is the smallest frequency for which χ² is taken to be exact enough; rarer outputs are put together.
const leastExpected = 8

// fits tests that frequencies are those of draws from the law.
func (l *law) fits(t *testing.T, what string, frequency []float64) {
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
	for i, p := range l.p {
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
		return // one output has nearly all of the law
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

// mostListed bounds the spaces on which laws are compared.
const mostListed = 300

// everySmall runs a test on the small sizes of every registered structure, with scores of two scales: those near the
// uniform law, and those under which few outputs have most of it.
func everySmall(t *testing.T, test func(t *testing.T, l *law, rng *rand.Rand)) {
	for _, spec := range structure.Catalogue() {
		tested := 0
		for i, args := range structuretest.SizesOf(t, spec.Name).Small {
			space, err := structure.New(spec.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			for _, scale := range []float64{0.3, 2} {
				rng := rand.New(rand.NewPCG(uint64(i), math.Float64bits(scale)))
				l := newLaw(t, space, gaussian(space.FeatureLen(), scale, rng), mostListed)
				if l == nil {
					continue
				}
				tested++
				t.Run(fmt.Sprintf("%s/%d/scale=%v", spec.Name, i, scale), func(t *testing.T) { test(t, l, rng) })
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
