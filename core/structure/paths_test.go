package structure

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"combpred/core/combin"
	"combpred/core/slicex"
	"combpred/core/structure/examples"
)

// TestPathCounts compares with known numbers: lattice paths are binomial coefficients, the transitive tournament on n
// vertices has 2ⁿ⁻² paths between its ends, a ladder of n diamonds 2ⁿ.
func TestPathCounts(t *testing.T) {
	for _, n := range []int{2, 5, 30, 100} {
		space := mustNew(t, "paths", examples.Grid(n, n)).(*paths)
		if want := combin.Binomial(2*n-2, n-1); space.Count().Cmp(want) != 0 {
			t.Errorf("the %d×%d grid has %v paths, want %v", n, n, space.Count(), want)
		}
	}
	const n = 64
	var arcs [][2]int32
	for u := range int32(n) {
		for v := u + 1; v < n; v++ {
			arcs = append(arcs, [2]int32{u, v})
		}
	}
	for name, c := range slicex.InOrder(map[string]struct {
		args examples.Args
		log2 uint
		len  int
	}{
		"tournament": {examples.Paths(n, arcs, 0, n-1, nil), n - 2, n - 1},
		"ladder":     {examples.Ladder(2000), 2000, 4000},
	}) {
		space := mustNew(t, "paths", c.args).(*paths)
		if want := new(big.Int).Lsh(big.NewInt(1), c.log2); space.Count().Cmp(want) != 0 || space.PartLen() != c.len {
			t.Errorf("%s: %v paths of up to %d arcs, want %v of %d", name, space.Count(), space.PartLen(), want, c.len)
		}
	}
}

// TestTrellisMoments compares with the closed form for sequences of T independent fair states out of K. With M the second
// moment of the K² counts of transitions, two transitions a→b and c→d occur (T−2)(T−3)/K⁴ times in two places apart,
// ((T−2)([b=c] + [d=a]))/K³ times in adjacent ones and (T−1)/K² times in one place if they are the same.
func TestTrellisMoments(t *testing.T) {
	const steps, k = 1000, 3
	space := mustNew(t, "paths", examples.Trellis(steps, k)).(*paths)
	if want := new(big.Int).Exp(big.NewInt(k), big.NewInt(steps), nil); space.Count().Cmp(want) != 0 {
		t.Fatal("the count is not 3¹⁰⁰⁰")
	}
	d := space.FeatureLen()
	mean, second := make([]float64, d), square(d)
	space.Mean(mean)
	space.SecondMoment(second)
	one := func(same bool) float64 {
		if same {
			return 1
		}
		return 0
	}
	for g := range k * k {
		if want := (steps - 1.0) / (k * k); math.Abs(mean[k+g]-want) > 1e-11*want {
			t.Errorf("the mean of transition %d is %v, want %v", g, mean[k+g], want)
		}
		for h := range k * k {
			a, b, c, e := g/k, g%k, h/k, h%k
			want := (steps-2.0)*(steps-3)/(k*k*k*k) + (steps-2)*(one(b == c)+one(e == a))/(k*k*k) + one(g == h)*(steps-1)/(k*k)
			if got := second.Data[(k+g)*d+k+h]; math.Abs(got-want) > 1e-10*want {
				t.Errorf("the second moment of transitions %d and %d is %v, want %v", g, h, got, want)
			}
		}
	}
}

// TestRarePaths: the mean stays exact where probabilities range over hundreds of orders of magnitude, and finite where
// they are beyond float64.
func TestRarePaths(t *testing.T) {
	for _, n := range []int{500, 2000} {
		args := examples.Ladder(n)
		shortcut := [2]int32{0, int32(3 * n)} // one path beside 2ⁿ others
		space := mustNew(t, "paths", examples.Paths(3*n+1, append(pairsOf(args.Ints), shortcut), 0, int64(3*n), nil))
		mean := make([]float64, space.FeatureLen())
		space.(Momenter).Mean(mean)
		want := math.Exp2(-float64(n)) // 0 for 2000
		if got := mean[4*n]; math.Abs(got-want) > 1e-12*want {
			t.Errorf("the shortcut has the mean %v, want %v", got, want)
		}
		if got := mean[2*n]; math.Abs(got-0.5) > 1e-12 {
			t.Errorf("an arc of the ladder has the mean %v, want 0.5", got)
		}
	}
}

// TestTiedSquares: scores of squares are refused exactly where a path can count a group twice. Arcs that no path from
// the source holds do not matter.
func TestTiedSquares(t *testing.T) {
	arcs := [][2]int32{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {4, 0}}
	for name, c := range slicex.InOrder(map[string]struct {
		tied    []int32
		repeats bool
	}{
		"alternatives":   {[]int32{0, 1, 0, 2, 3}, false},
		"consecutive":    {[]int32{0, 0, 1, 2, 3}, true},
		"two apart":      {[]int32{0, 1, 2, 0, 3}, true},
		"not on a path":  {[]int32{0, 1, 2, 3, 0}, false},
		"each its own":   {[]int32{0, 1, 2, 3, 4}, false},
		"all the length": {[]int32{0, 0, 0, 0, 0}, true},
	}) {
		space := mustNew(t, "paths", examples.Paths(5, arcs, 0, 3, c.tied)).(*paths)
		if space.repeats != c.repeats {
			t.Errorf("%s: repeats is %t", name, space.repeats)
		}
		d := space.FeatureLen()
		y := make([]int32, space.PartLen())
		_, err := space.Decode(y, Scores{Linear: make([]float64, d), Magnitude: make([]float64, d)})
		if _, refused := errors.AsType[*CapabilityError](err); refused != c.repeats {
			t.Errorf("%s: decoding with squares gives the error %v", name, err)
		}
		if _, err := space.Decode(y, Scores{Linear: make([]float64, d)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// More than 64 groups take a second pass.
	long := make([][2]int32, 100)
	tied := make([]int32, 100)
	for i := range long {
		long[i], tied[i] = [2]int32{int32(i), int32(i + 1)}, int32(i)
	}
	if mustNew(t, "paths", examples.Paths(101, long, 0, 100, tied)).(*paths).repeats {
		t.Error("a chain of a hundred groups counts one twice")
	}
	tied[98], tied[97], tied[99] = 97, 90, 98
	if !mustNew(t, "paths", examples.Paths(101, long, 0, 100, tied)).(*paths).repeats {
		t.Error("a chain with group 90 twice does not count it twice")
	}
}

func TestPathMessages(t *testing.T) {
	diamond := [][2]int32{{0, 1}, {0, 2}, {1, 3}, {2, 3}}
	for want, args := range slicex.InOrder(map[string]examples.Args{
		"arc 1 leads from vertex 2 to itself":              examples.Paths(3, [][2]int32{{0, 1}, {2, 2}}, 0, 1, nil),
		"arcs 0 and 2 both lead from vertex 0 to vertex 1": examples.Paths(3, [][2]int32{{0, 1}, {1, 2}, {0, 1}}, 0, 2, nil),
		"the arcs form a cycle: 1 → 2 → 3 → 1": examples.Paths(5, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}},
			0, 4, nil),
		"no path leads from the source, vertex 3, to the target":                 examples.Paths(4, diamond, 3, 0, nil),
		"vertex 2 is both source and target":                                     examples.Paths(4, diamond, 2, 2, nil),
		"arc 2 leads from vertex 1 to 3, must be between 0 and 2":                examples.Paths(3, diamond, 0, 1, nil),
		"tied has the group 2 but no arc of group 1; number groups without gaps": examples.Paths(4, diamond, 0, 3, []int32{0, 2, 2, 0}),
		"arc 1 has the group -1, must be between 0 and 2":                        examples.Paths(4, diamond, 0, 3, []int32{0, -1, 2, 0}),
		`"target" is 9, must be between 0 and 3`:                                 examples.Paths(4, diamond, 0, 9, nil),
		"tied has -1 groups for 4 arcs; give a group for each arc": {
			Scalars: examples.Paths(4, diamond, 0, 3, nil).Scalars, Ints: make([]int32, 7)},
		"tied has the group 4 but no arc of group 3": examples.Paths(4, diamond, 0, 3,
			[]int32{0, 1, 2, 4}),
		"the arcs form a cycle: 0 → 1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 → 9 → … (20 vertices) → 0": ring(20),
	}) {
		_, err := build("paths", args)
		expectError(t, err, want)
	}
	space := mustNew(t, "paths", examples.Paths(4, append(diamond, [2]int32{0, 3}), 0, 3, nil))
	expectError(t, space.Check([]int32{0, 3}), "arc 3 at place 1 starts at vertex 2, but the path has come to vertex 1")
	expectError(t, space.Check([]int32{0, -1}), "the path ends at vertex 1, must end at the target, vertex 3")
	expectError(t, space.Check([]int32{4, 2}), "place 1 holds 2 after the path has reached the target, vertex 3, must be -1")
	expectError(t, space.Check([]int32{5, 2}), "found 5 in column 0; paths list arcs 0..4")
}

// pairsOf returns the arcs that come one after the other.
func pairsOf(ends []int32) (arcs [][2]int32) {
	for arc := range slices.Chunk(ends, 2) {
		arcs = append(arcs, [2]int32(arc))
	}
	return arcs
}

// ring returns a cycle of n vertices with a tail.
func ring(n int32) examples.Args {
	arcs := [][2]int32{{n, 0}}
	for i := range n {
		arcs = append(arcs, [2]int32{i, (i + 1) % n})
	}
	return examples.Paths(int(n)+1, arcs, int64(n), 0, nil)
}
