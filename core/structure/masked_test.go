package structure

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/internal/drawtest"
	"combpred/core/structure/examples"
)

// heldSpace is what every space that is held to a mask can do.
type heldSpace interface {
	Space
	Counter
	Decoder
	Partitioner
	Distributor
}

// maskCase is a space with its masks: elements are parts of outputs or entries of ψ.
type maskCase struct {
	space    Space
	elements int
	mask     func(state []int8, lo, hi int) (heldSpace, error)
	has      func(y []int32, psi []float64) []float64 // which elements an output has
	sized    bool
	pinned   bool // whether elements are entries of ψ
}

func maskCases(t *testing.T) (all []maskCase) {
	entries := func(_ []int32, psi []float64) []float64 { return psi }
	tree := []int32{-1, 0, 0, 1, 1, 2, 4, 4}
	scattered := []int32{3, 3, 0, -1, 0, 1, 7, 3}
	for _, args := range []examples.Args{
		examples.Grid(3, 3), examples.Trellis(3, 2),
		examples.Paths(6, [][2]int32{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}, {0, 4}, {4, 5}, {3, 5}}, 0, 5, nil),
		examples.Paths(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 3}}, 0, 3, []int32{0, 0, 1, 1, 2, 0}),
	} {
		p := mustNew(t, "paths", args).(*paths)
		all = append(all, maskCase{p, len(p.arcs), func(s []int8, lo, hi int) (heldSpace, error) { return asHeld(p.masked(s, lo, hi)) },
			func(y []int32, _ []float64) []float64 {
				has := make([]float64, len(p.arcs))
				for _, a := range y {
					if a >= 0 {
						has[a] = 1
					}
				}
				return has
			}, true, !p.General()})
	}
	for _, args := range []examples.Args{examples.Sized(1), examples.Sized(7), examples.SizedSets(7, 3)} {
		l := mustNew(t, "labelsets", args).(labelSets)
		all = append(all, maskCase{l, l.n, func(s []int8, lo, hi int) (heldSpace, error) { return asHeld(l.masked(s, lo, hi)) },
			entries, true, true})
	}
	listed := examples.Args{Scalars: map[string]int64{"n": 3}, Ints: []int32{0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1}}
	o := mustNew(t, "labelsets", listed).(*observedSets)
	all = append(all, maskCase{o, 3, func(s []int8, lo, hi int) (heldSpace, error) { return asHeld(o.masked(s, lo, hi)) },
		entries, true, true})
	for _, parent := range [][]int32{{-1}, tree, scattered, examples.Chain(6), {-1, 0, 0, 0, 0, 0}} {
		s := mustNew(t, "subtrees", examples.Subtrees(parent)).(*subtrees)
		all = append(all, maskCase{s, len(parent), func(st []int8, lo, hi int) (heldSpace, error) { return asHeld(s.masked(st, lo, hi)) },
			entries, true, true})
	}
	for _, x := range []Space{
		mustNew(t, "hierarchy", examples.Hierarchy(tree, []int32{0, 1, 1, 1, 0, 1, 1, 1})),
		mustNew(t, "hierarchy", examples.Hierarchy(scattered, []int32{1, 1, 1, 1, 1, 1, 1, 1})),
		mustNew(t, "multiclass", examples.Sized(6)), mustNew(t, "ordinal", examples.Sized(6)),
		mustNew(t, "posetelements", examples.Poset(12, examples.Divides)),
	} {
		x := x.(indexed)
		all = append(all, maskCase{x, x.FeatureLen(), func(s []int8, _, _ int) (heldSpace, error) { return asHeld(maskIndexed(x, s)) },
			entries, false, true})
	}
	return all
}

func asHeld[T heldSpace](m T, err error) (heldSpace, error) { return m, err }

// TestMasks compares spaces under random masks with the filtered list of their outputs, in everything. χ² tests of draws fail with
// a probability below 1e-6 each, and the seed is fixed.
func TestMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, c := range maskCases(t) {
		empty, full := 0, 0
		for trial := range 150 {
			state, lo, hi := c.randomMask(trial, rng)
			if c.check(t, state, lo, hi, trial, rng) {
				full++
			} else {
				empty++
			}
			if t.Failed() {
				t.Fatalf("%s under %v, %d to %d", Describe(c.space), state, lo, hi)
			}
		}
		if full < 15 || c.elements > 3 && empty < 3 {
			t.Errorf("%s: %d masks leave nothing, %d something", Describe(c.space), empty, full)
		}
	}
}

func (c maskCase) randomMask(trial int, rng *rand.Rand) (state []int8, lo, hi int) {
	lo, hi = 0, math.MaxInt32
	if trial%5 > 0 {
		state = make([]int8, c.elements)
		for range rng.IntN(4) {
			state[rng.IntN(c.elements)] = []int8{required, forbidden, forbidden}[rng.IntN(3)]
		}
	}
	if c.sized && trial%3 > 0 {
		lo = rng.IntN(c.elements + 1)
		hi = lo + rng.IntN(3)
	}
	return state, lo, hi
}

// check compares with the list, and reports whether the mask leaves an output.
func (c maskCase) check(t *testing.T, state []int8, lo, hi, trial int, rng *rand.Rand) bool {
	d := c.space.FeatureLen()
	scores := make([]float64, d)
	for i := range scores {
		scores[i] = []float64{rng.NormFloat64(), 0, 700 * rng.NormFloat64(), float64(1400*rng.IntN(2) - 700), 1e9 * rng.NormFloat64()}[trial%5]
	}
	kept := &drawtest.Outcomes{}
	var psis [][]float64
	m, err := c.mask(state, lo, hi)
	for y := range c.space.(Enumerator).All() {
		psi := make([]float64, d)
		c.space.Embed(psi, y)
		obeys := maskAllows(c.has(y, psi), state, lo, hi)
		if obeys {
			kept.Add(y, Scores{Linear: scores}.Value(psi))
			psis = append(psis, psi)
		}
		if err == nil && (m.Check(y) == nil) != obeys {
			t.Errorf("%v obeys: %t, Check says %v", y, obeys, m.Check(y))
		}
	}
	if len(psis) == 0 {
		if !errors.Is(err, ErrNoOutput) {
			t.Errorf("no output is left, the error is %v", err)
		}
		return false
	}
	if err != nil {
		t.Errorf("%d outputs are left, the error is %v", len(psis), err)
		return true
	}
	if m.Count().Cmp(big.NewInt(int64(len(psis)))) != 0 {
		t.Errorf("%v outputs are counted, %d are left", m.Count(), len(psis))
	}
	c.compare(t, m, kept, psis, scores, state)
	if draw, err := m.Distribution(scores, nil); err != nil {
		t.Error(err)
	} else if trial%7 == 0 && len(psis) > 1 && trial%5 < 2 {
		y := make([]int32, c.space.PartLen())
		kept.Check(t, Describe(c.space), func() []int32 { draw(y, rng); return y })
	}
	return true
}

func maskAllows(has []float64, state []int8, lo, hi int) bool {
	size := 0
	for i, v := range has {
		size += int(v)
		if state != nil && (state[i] == required && v == 0 || state[i] == forbidden && v > 0) {
			return false
		}
	}
	return size >= lo && size <= hi
}

func (c maskCase) compare(t *testing.T, m heldSpace, kept *drawtest.Outcomes, psis [][]float64, scores []float64, state []int8) {
	p, want := kept.Probabilities()
	slack := 1e-11 * max(1, math.Abs(want))
	for _, s := range scores {
		slack += 1e-15 * math.Abs(s) * float64(c.space.PartLen())
	}
	y, marginals := make([]int32, c.space.PartLen()), slices.Repeat([]float64{math.NaN()}, len(scores))
	magnitude := make([]float64, len(scores))
	general, _ := c.space.(Generalized)
	score := Scores{Linear: scores, Magnitude: magnitude}
	if general != nil && general.General() {
		score.Magnitude = nil
	}
	certificate, err := m.Decode(y, score)
	best := math.Inf(-1)
	for _, psi := range psis {
		best = max(best, score.Value(psi))
	}
	if err != nil || !certificate.Optimal || math.Abs(certificate.Value-best) > slack {
		t.Errorf("the best output is %v with %+v, error %v; that of the list has %v", y, certificate, err, best)
	}
	at := slices.IndexFunc(kept.Values, func(k []int32) bool { return slices.Equal(k, y) })
	if at < 0 || math.Abs(score.Value(psis[at])-best) > slack {
		t.Errorf("%v is decoded, number %d of the list", y, at)
	}
	logZ, err := m.LogPartition(marginals, scores, nil)
	alone, err2 := m.LogPartition(nil, scores, nil)
	if err != nil || err2 != nil || !(math.Abs(logZ-want) <= slack) || math.Abs(alone-logZ) > 1e-12*max(1, math.Abs(logZ)) {
		t.Errorf("ln Z is %v, %v without marginals, want %v; errors %v, %v", logZ, alone, want, err, err2)
	}
	if !(m.PartitionCost(true) > 0) {
		t.Errorf("the cost is %v", m.PartitionCost(true))
	}
	for i, got := range marginals {
		var mean float64
		for k, psi := range psis {
			mean += p[k] * psi[i]
		}
		if !(math.Abs(got-mean) <= 3*slack) {
			t.Errorf("marginal %d is %v, want %v", i, got, mean)
		}
		if c.pinned && state != nil && (state[i] == required && got != 1 || state[i] == forbidden && got != 0) {
			t.Errorf("marginal %d is %v under state %d", i, got, state[i])
		}
	}
}

// TestLargeMasks compares two routes at sizes without a list: sets by their sizes, and as the subtrees of a star.
func TestLargeMasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, c := range []struct {
		n, lo, hi int
		spread    float64
	}{
		{60, 10, 20, 1}, {300, 40, 40, 300}, {900, 100, 130, 1}, {1200, 3, 5, 50}, {1000, 600, 700, 700}, {850, 849, 850, 1},
		{900, 450, 900, 1e9}, {2000, 20, 20, 0}, {2000, 1980, 1980, 0},
	} {
		l := mustNew(t, "labelsets", examples.Sized(int64(c.n))).(labelSets)
		state, scores := make([]int8, c.n), make([]float64, c.n)
		for i := range scores {
			scores[i] = c.spread * rng.NormFloat64()
		}
		m, err := l.masked(nil, c.lo, c.hi)
		if err != nil {
			t.Fatal(err)
		}
		marginals := make([]float64, c.n)
		logZ, err := m.LogPartition(marginals, scores, nil)
		if err != nil {
			t.Fatal(err)
		}
		// A star is all sets beside its root.
		parent := make([]int32, c.n+1)
		parent[0] = -1
		tree := mustNew(t, "subtrees", examples.Subtrees(parent)).(*subtrees)
		s, err := tree.masked(nil, c.lo+1, c.hi+1)
		if err != nil {
			t.Fatal(err)
		}
		other, ofTree := append([]float64{0}, scores...), make([]float64, c.n+1)
		want, err := s.LogPartition(ofTree, other, nil)
		slack := 1e-10 + 1e-15*c.spread*float64(c.n)
		if err != nil || math.Abs(logZ-want) > slack*max(1, math.Abs(want)) {
			t.Errorf("%v: ln Z is %v, as paths %v, error %v", c, logZ, want, err)
		}
		for i, p := range marginals {
			if math.Abs(p-ofTree[i+1]) > slack {
				t.Fatalf("%v: the marginal %d is %v, as paths %v", c, i, p, ofTree[i+1])
			}
		}
		state[3], state[5] = required, forbidden
		held, err := l.masked(state, c.lo, c.hi)
		if c.lo == 849 {
			if err != nil || held.Count().Cmp(big.NewInt(1)) != 0 {
				t.Errorf("%v: error %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		with, err := held.LogPartition(nil, scores, nil)
		if p := math.Exp(with - logZ); err != nil || p > marginals[3]+slack || p < marginals[3]-marginals[5]-slack {
			t.Errorf("%v: the mask has the probability %v, its parts %v and %v, error %v", c, p, marginals[3], 1-marginals[5], err)
		}
	}
}

// Bounds of any size say no more than they do.
func TestBoundsOfAnySize(t *testing.T) {
	for _, c := range maskCases(t) {
		if !c.sized {
			continue
		}
		whole, err := c.mask(nil, math.MinInt, math.MaxInt)
		if err != nil || whole.Count().Cmp(c.space.(Counter).Count()) != 0 {
			t.Errorf("%s without bounds: error %v", Describe(c.space), err)
		}
		for _, bounds := range [][2]int{{math.MaxInt, math.MaxInt}, {math.MinInt, math.MinInt}, {3, 2}, {math.MaxInt, math.MinInt}} {
			if _, err := c.mask(nil, bounds[0], bounds[1]); !errors.Is(err, ErrNoOutput) {
				t.Errorf("%s within %v: error %v", Describe(c.space), bounds, err)
			}
		}
	}
}

// Masks whose counter would take too much memory are refused before it is made.
func TestMasksBeyondTheLimit(t *testing.T) {
	tree := mustNew(t, "subtrees", examples.Subtrees(examples.BinaryTree(100000))).(*subtrees)
	_, err := tree.masked(nil, 50000, 50000)
	if limit, ok := errors.AsType[*LimitError](err); !ok {
		t.Errorf("the error is %v", err)
	} else {
		expectError(t, limit, "rooted subtrees of 50000 to 50000 nodes")
	}
	huge := labelSets{sets: newSets(100000, -1), sorted: new(scratch)}
	m, err := huge.masked(nil, 40000, 60000)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.LogPartition(make([]float64, 100000), make([]float64, 100000), nil)
	if _, ok := errors.AsType[*LimitError](err); !ok {
		t.Errorf("the error is %v", err)
	}
	expectError(t, err, fmt.Sprintf("sets of %d to %d labels", 40000, 60000))
}
