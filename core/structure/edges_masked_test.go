package structure

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"combpred/core/combin"
	"combpred/core/fault"
	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// randomEdges returns a path through n vertices in a random order, and other edges up to a number.
func randomEdges(rng *rand.Rand, n, number int) (edges [][2]int32) {
	seen := map[[2]int32]bool{}
	add := func(u, v int32) {
		if key := [2]int32{min(u, v), max(u, v)}; u != v && !seen[key] {
			seen[key] = true
			edges = append(edges, key)
		}
	}
	order := rng.Perm(n)
	for i := range n - 1 {
		add(int32(order[i]), int32(order[i+1]))
	}
	for len(edges) < number {
		add(rng.Int32N(int32(n)), rng.Int32N(int32(n)))
	}
	return edges
}

// wholeScores are such that sums of them are exact, with penalties as well.
func wholeScores(rng *rand.Rand, d int) []float64 {
	scores := make([]float64, d)
	for i := range scores {
		scores[i] = float64(rng.IntN(2001) - 1000)
	}
	return scores
}

// maskAlong requires some entries of the 0/1 vector of a member and forbids some that it lacks, so that it is allowed.
func maskAlong(rng *rand.Rand, member []float64, required, forbidden float64) Mask {
	m := NewMask()
	for i, in := range member {
		switch {
		case in == 1 && rng.Float64() < required:
			m.Limit(len(member), i, Plus)
		case in == 0 && rng.Float64() < forbidden:
			m.Limit(len(member), i, Zero)
		}
	}
	return m
}

// weighed returns scores with what decides every condition of a mask, and what the required entries earn by it. Whole numbers below 2⁵³
// add up exactly, so that a best output of all with these scores is one of those that are allowed.
func weighed(m *Mask, scores []float64) (with []float64, earned float64) {
	const heavy = 1 << 30
	with = append(with, scores...)
	for i, v := range m.Entries {
		switch v {
		case Plus:
			with[i] += heavy
			earned += heavy
		case Zero:
			with[i] -= heavy
		}
	}
	return with, earned
}

// decodesWithin compares what is decoded under a mask with what heavy scores lead to.
func decodesWithin(t *testing.T, space Space, m Mask, scores []float64) {
	t.Helper()
	within, err := Within(space, m)
	if err != nil {
		t.Fatalf("%v: %v", space, err)
	}
	with, earned := weighed(&m, scores)
	y := make([]int32, space.PartLen())
	want, err := space.(Decoder).Decode(y, Scores{Linear: with})
	if err != nil {
		t.Fatal(err)
	}
	got, err := within.(Decoder).Decode(y, Scores{Linear: scores})
	if err != nil || !got.Optimal || got.Value != want.Value-earned || within.Check(y) != nil {
		t.Fatalf("%v: %+v, want %v; error %v, check %v", within, got, want.Value-earned, err, within.Check(y))
	}
}

// TestMaskedEdgesLarge: under conditions as without them, decoding is exact at sizes that no list covers.
func TestMaskedEdgesLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	sparse := examples.Graph(200, randomEdges(rng, 200, 2000))
	for name, args := range slicex.InOrder(map[string]examples.Args{
		"spanningtrees": sparse,
		"assignments":   examples.Sized(300),
		"graphs":        sparse,
		"forests":       examples.Hereditary(sparse, examples.Forests),
		"matchings":     examples.Hereditary(examples.Graph(150, randomEdges(rng, 150, 400)), examples.Matchings),
		"bipartite":     examples.Hereditary(examples.Sized(20), examples.Bipartite),
	}) {
		t.Run(name, func(t *testing.T) {
			if args.Scalars["property"] > 0 {
				name = "graphs"
			}
			space := mustNew(t, name, args)
			d, y := space.FeatureLen(), make([]int32, space.PartLen())
			member := make([]float64, d)
			for range 5 {
				if _, err := space.(Decoder).Decode(y, Scores{Linear: wholeScores(rng, d)}); err != nil {
					t.Fatal(err)
				}
				space.Embed(member, y)
				decodesWithin(t, space, maskAlong(rng, member, 0.2, 0.2), wholeScores(rng, d))
			}
		})
	}
}

// TestMaskedTreesLarge: sums and draws are over the trees that are allowed.
func TestMaskedTreesLarge(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(9, 10))
	space := mustNew(t, "spanningtrees", examples.Graph(n, randomEdges(rng, n, 2000)))
	d, y := space.FeatureLen(), make([]int32, space.PartLen())
	member, scores := make([]float64, d), make([]float64, d)
	space.(Sampler).Sample(y, rng)
	space.Embed(member, y)
	for i := range scores {
		scores[i] = rng.NormFloat64()
	}
	mask := maskAlong(rng, member, 0.3, 0.3)
	within, err := Within(space, mask)
	if err != nil {
		t.Fatal(err)
	}
	if log, exact := within.Facts().LogCount(), combin.LogInt(within.(Counter).Count()); math.Abs(log-exact) > 1e-9*exact {
		t.Errorf("ln of the count is %v, want %v", log, exact)
	}
	marginals := make([]float64, d)
	if _, err := within.(Partitioner).LogPartition(marginals, scores, nil); err != nil {
		t.Fatal(err)
	}
	var edges float64
	for i, p := range marginals {
		if edges += p; mask.Entries[i] == Plus && p != 1 || mask.Entries[i] == Zero && p != 0 {
			t.Errorf("edge %d, which is decided, has the probability %v", i, p)
		}
	}
	if math.Abs(edges-(n-1)) > 1e-9 {
		t.Errorf("trees have %v edges", edges)
	}
	draw, err := within.(Partitioner).Distribution(scores, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if draw(y, rng); within.Check(y) != nil {
			t.Fatal(within.Check(y))
		}
	}
}

// TestMaskedAssignmentsLarge: where conditions leave 15 of 300 rows a choice, sums are those of 15 rows; where they leave 21, there are
// none.
func TestMaskedAssignmentsLarge(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(11, 12))
	space := mustNew(t, "assignments", examples.Sized(n))
	scores := make([]float64, n*n)
	for i := range scores {
		scores[i] = rng.NormFloat64()
	}
	fixedBut := func(free int) (Space, float64) {
		mask, fixed := NewMask(), 0.0
		for i := free; i < n; i++ {
			mask.Limit(n*n, i*n+i, Plus)
			fixed += scores[i*n+i]
		}
		within, err := Within(space, mask)
		if err != nil {
			t.Fatal(err)
		}
		return within, fixed
	}
	const k = 15
	within, fixed := fixedBut(k)
	small, part := mustNew(t, "assignments", examples.Sized(k)), make([]float64, k*k)
	for i := range k {
		copy(part[i*k:], scores[i*n:][:k])
	}
	p, q := make([]float64, n*n), make([]float64, k*k)
	got, err := within.(Partitioner).LogPartition(p, scores, nil)
	want, _ := small.(Partitioner).LogPartition(q, part, nil)
	if err != nil || math.Abs(got-want-fixed) > 1e-10*math.Abs(want+fixed) {
		t.Errorf("ln Z is %v, want %v; error %v", got, want+fixed, err)
	}
	for i := range k {
		for j := range k {
			if math.Abs(p[i*n+j]-q[i*k+j]) > 1e-12 {
				t.Fatalf("cell (%d, %d) has the probability %v, want %v", i, j, p[i*n+j], q[i*k+j])
			}
		}
	}
	if count := within.(Counter).Count(); count.Cmp(combin.Factorial(k)) != 0 {
		t.Errorf("there are %v", count)
	}
	within, _ = fixedBut(21)
	limit := (*LimitError)(nil)
	if _, err := within.(Partitioner).LogPartition(nil, scores, nil); !errors.As(err, &limit) || !math.IsInf(within.Facts().Sums.Plain, 1) {
		t.Errorf("the error is %v, the cost %v", err, within.Facts().Sums.Plain)
	}
	if count := within.(Counter).Count(); count != nil {
		t.Errorf("there are %v", count)
	}
}

// TestMaskedSearchLarge: bipartite graphs beyond exact decoding are searched among those that are allowed, large matchings with a poll.
func TestMaskedSearchLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	stop := errors.New("stop")
	for property := examples.Matchings; property <= examples.Bipartite; property++ {
		space := mustNew(t, "graphs", examples.Hereditary(examples.Sized(40), property))
		d, y := space.FeatureLen(), make([]int32, space.PartLen())
		member := make([]float64, d)
		for range 5 {
			if _, err := space.(Searcher).Start(y, Scores{Linear: wholeScores(rng, d)}, nil); err != nil {
				t.Fatal(err)
			}
			space.Embed(member, y)
			scores := Scores{Linear: wholeScores(rng, d)}
			within, err := Within(space, maskAlong(rng, member, 0.05, 0.1))
			if err != nil {
				t.Fatal(err)
			}
			start, err := within.(Searcher).Start(y, scores, nil)
			if err != nil || within.Check(y) != nil || start.Nu > 0.5+1e-12 {
				t.Fatalf("%v: start %+v, error %v, %v", within, start, err, within.Check(y))
			}
			found, err := within.(Searcher).Search(y, scores, nil)
			if err != nil || within.Check(y) != nil || found.Value < start.Value || property == examples.Matchings && !found.Optimal {
				t.Fatalf("%v: %+v after the start %+v, error %v, %v", within, found, start, err, within.Check(y))
			}
			searcher := within.(Searcher)
			for _, f := range []func([]int32, Scores, func() error) (Certificate, error){searcher.Start, searcher.Search} {
				if _, err := f(y, scores, func() error { return stop }); err != stop {
					t.Errorf("%v: the error is %v", within, err)
				}
			}
		}
	}
}

// TestMaskedHereditarySums: the sets of few free edges are listed, however many edges there are; those of many are refused by name.
func TestMaskedHereditarySums(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	space := mustNew(t, "graphs", examples.Hereditary(examples.Graph(150, randomEdges(rng, 150, 400)), examples.Forests))
	few, many := NewMask(), NewMask()
	for i := 12; i < 400; i++ {
		few.Limit(400, i, Zero)
	}
	many.Limit(400, 0, Zero)
	within, err := Within(space, few) // a part of a path: all sets are forests
	if err != nil {
		t.Fatal(err)
	}
	marginals, scores := make([]float64, 400), make([]float64, 400)
	logZ, err := within.(Partitioner).LogPartition(marginals, scores, nil)
	if err != nil || math.Abs(logZ-12*math.Ln2) > 1e-12 || math.Abs(marginals[3]-0.5) > 1e-12 || within.(Counter).Count().Int64() != 1<<12 {
		t.Errorf("ln Z is %v, the error %v", logZ, err)
	}
	if within, err = Within(space, many); err != nil {
		t.Fatal(err)
	}
	lacks := (*CapabilityError)(nil)
	if _, err := within.(Partitioner).LogPartition(nil, scores, nil); !errors.As(err, &lacks) {
		t.Errorf("the error is %v", err)
	}
	if _, err := within.(Partitioner).Distribution(scores, nil); !errors.As(err, &lacks) || within.Facts().Sums.Draws {
		t.Errorf("the error is %v", err)
	}
	if n := within.(Counter).Count(); n != nil {
		t.Errorf("there are %v", n)
	}
	bounds := NewMask()
	bounds.Size = Range{1, 2}
	if _, err := Within(space, bounds); !errors.As(err, &lacks) {
		t.Errorf("sizes of forests: the error is %v", err)
	}
}

// TestContradictionsNameEdges: what cannot be required or forbidden together is named as its user names it.
func TestContradictionsNameEdges(t *testing.T) {
	named := func(a examples.Args) examples.Args {
		a.Names = strings.Split("abcde", "")
		return a
	}
	wheel := examples.Graph(5, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}, {0, 3}})
	columns := examples.Sized(3)
	columns.Names = strings.Split("abcxyz", "")
	for _, c := range []struct {
		name string
		args examples.Args
		mask string // + required, − forbidden
		want string
	}{
		{"spanningtrees", named(wheel), "+++....", `the required edges ("a", "b"), ("b", "c"), ("c", "a") form a cycle; leave one`},
		{"spanningtrees", wheel, "...+++.", `the required edges (2, 3), (3, 4), (4, 2) form a cycle`},
		{"spanningtrees", named(wheel), "...-.--",
			`the vertices ["a", "b", "c"] are joined to ["d", "e"] by forbidden edges alone, ("c", "d"), ("e", "c"), ("a", "d");`},
		{"graphs", named(examples.Hereditary(wheel, examples.Forests)), "+.+++++",
			`the required edges ("d", "e"), ("c", "d"), ("e", "c") form a cycle, which forests rule out`},
		{"graphs", named(examples.Hereditary(wheel, examples.Matchings)), "....+.+",
			`the edges ("d", "e"), ("a", "d") are required and share the vertex "d", which matchings rule out`},
		{"graphs", named(examples.Hereditary(wheel, examples.Matchings)), "+..+..+",
			`the edges ("a", "b"), ("a", "d") are required and share the vertex "a"`},
		{"graphs", named(examples.Hereditary(wheel, examples.Bipartite)), "+++....",
			`the required edges ("b", "c"), ("a", "b"), ("c", "a") form a cycle of odd length, which bipartite`},
		{"assignments", columns, "++.......", `'required' holds ("a", "x") and ("a", "y"), two columns of one item; leave one out`},
		{"assignments", columns, "+..+.....", `'required' holds ("a", "x") and ("b", "x"), two items of one column`},
		{"assignments", columns, "...---...", `all columns of item "b" are forbidden; allow one`},
		{"assignments", columns, "--.--.--.", `column "x" is forbidden for all items; allow one`},
		{"assignments", columns, "--.--....", "no output satisfies the conditions"},
	} {
		t.Run(fmt.Sprint(c.name, c.mask), func(t *testing.T) {
			mask := NewMask()
			for i, x := range c.mask {
				switch x {
				case '+':
					mask.Limit(len(c.mask), i, Plus)
				case '-':
					mask.Limit(len(c.mask), i, Zero)
				}
			}
			_, err := Within(mustNew(t, c.name, c.args), mask)
			expectError(t, err, c.want)
			if !errors.Is(err, ErrNone) || fault.KindOf(err) != fault.KindValue {
				t.Errorf("%v is of kind %v", err, fault.KindOf(err))
			}
		})
	}
}
