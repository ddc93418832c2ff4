package structure_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/internal/structuretest"
	"combpred/core/slicex"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

var visiting = []string{"cycles", "directedcycles", "routes"}

// tangled draws conditions on lists of n places that some satisfy: ends, places and steps that are required and forbidden, and a number.
func tangled(rng *rand.Rand, n int) (all []structure.Condition) {
	order := rng.Perm(n) // one that satisfies them
	visited := order[:n/2+rng.IntN(n/4)]
	add := func(k structure.Key, u, v int) { all = append(all, structure.Condition{Key: k, U: u, V: v}) }
	follows := func(u, v int) bool {
		i, j := slices.Index(visited, u), slices.Index(visited, v)
		return i >= 0 && j >= 0 && (j == (i+1)%len(visited) || i == (j+1)%len(visited))
	}
	add(structure.StartKey, visited[0], structure.Alone)
	add(structure.EndKey, visited[len(visited)-1], structure.Alone)
	add(structure.LengthKey, n/3, len(visited))
	for i := 2; i < n/4; i++ {
		add(structure.RequiredKey, visited[i], structure.Alone)
		add(structure.ForbiddenKey, order[n-i], structure.Alone)
	}
	for i := 4; i < 10; i++ {
		add(structure.RequiredKey, visited[i], visited[i+1])
	}
	for range n * n / 3 {
		if u, v := rng.IntN(n), rng.IntN(n); u != v && !follows(u, v) {
			add(structure.ForbiddenKey, u, v)
		}
	}
	return all
}

// TestSearchKeepsToMasks: where only local search decodes, what it finds satisfies all conditions, whatever the scores are.
func TestSearchKeepsToMasks(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(6, 1))
	for _, name := range visiting {
		args := structure.Args(examples.Sized(n))
		space := mustBuild(t, name, args)
		for round, scale := range []float64{1, 0, 1e-300, 1e303} {
			conditions := tangled(rng, n)
			r, err := space.(structure.Restricter).Restrict()(conditions)
			if err != nil {
				t.Fatal(err)
			}
			within, err := structure.Within(space, r.Mask)
			if err != nil {
				t.Fatal(err)
			}
			score := structure.Scores{Linear: make([]float64, space.FeatureLen())}
			for i := range score.Linear {
				score.Linear[i] = scale * rng.NormFloat64()
			}
			y := make([]int32, n)
			if _, err := within.(structure.Decoder).Decode(y, score); !isLimit(err) || !within.Facts().TooLargeToDecode {
				t.Fatalf("%s, round %d: exact decoding gives %v", name, round, err)
			}
			if _, err := within.(structure.Partitioner).LogPartition(nil, score.Linear, nil); !isLimit(err) {
				t.Fatalf("%s, round %d: the sum gives %v", name, round, err)
			}
			started, err := within.(structure.Searcher).Start(y, score, nil)
			if err != nil && !errors.Is(err, structure.ErrUnmet) {
				t.Fatal(err)
			}
			begun := err == nil
			cert, err := within.(structure.Searcher).Search(y, score, nil)
			if err != nil || within.Check(y) != nil || !structuretest.Satisfies(name, args, space, y, conditions) {
				t.Fatalf("%s, round %d: the search comes to %v: %v, %v", name, round, y, err, within.Check(y))
			}
			psi := make([]float64, len(score.Linear))
			space.Embed(psi, y)
			slack := 1e-12 * scale * n
			if !(cert.Value <= score.Value(psi)+slack && cert.Value >= score.Value(psi)-slack && cert.Value <= cert.UpperBound) ||
				begun && started.Value > cert.Value+slack {
				t.Fatalf("%s, round %d: the certificate is %+v, that of the start %+v", name, round, cert, started)
			}
		}
	}
}

// TestMasksOfManyPlaces: many places are no hindrance where a mask leaves few open, or requires most steps. Counts are known then.
func TestMasksOfManyPlaces(t *testing.T) {
	const n = 50
	keyed := func(k structure.Key, v ...int) (all []structure.Condition) {
		for _, v := range v {
			all = append(all, structure.Condition{Key: k, U: v, V: structure.Alone})
		}
		return all
	}
	var most []int
	for v := 4; v < n; v++ {
		most = append(most, v)
	}
	var chain []structure.Condition
	for v := range n - 3 {
		chain = append(chain, structure.Condition{Key: structure.RequiredKey, U: v, V: v + 1})
	}
	short := keyed(structure.LengthKey, 3)
	for _, c := range []struct {
		name       string
		conditions []structure.Condition
		count      string // empty: not known, as there are too many sets
	}{
		{"cycles", keyed(structure.ForbiddenKey, most...), "7"},
		{"directedcycles", keyed(structure.ForbiddenKey, most...), "14"},
		{"routes", keyed(structure.ForbiddenKey, most...), "60"},
		{"cycles", chain, "5"}, // with none of the two others, one in one gap, or both in either order
		{"directedcycles", chain, "5"},
		{"routes", chain, "11"}, // 1, 2·2, and 2·3 for both
		{"cycles", short, ""},
		{"directedcycles", short, ""},
		{"routes", short, ""},
	} {
		space := mustBuild(t, c.name, structure.Args(examples.Sized(n)))
		r, err := space.(structure.Restricter).Restrict()(c.conditions)
		if err != nil {
			t.Fatal(err)
		}
		within, err := structure.Within(space, r.Mask)
		if err != nil {
			t.Fatal(err)
		}
		count := within.(structure.Counter).Count()
		if got := ""; count == nil && c.count != got || count != nil && count.String() != c.count {
			t.Errorf("%s under %d conditions: the count is %v, want %q", c.name, len(c.conditions), count, c.count)
		}
		y := make([]int32, n)
		score := structure.Scores{Linear: make([]float64, space.FeatureLen())}
		cert, err := within.(structure.Decoder).Decode(y, score)
		if err != nil || !cert.Optimal || within.Check(y) != nil {
			t.Errorf("%s under %d conditions: decoding gives %v, %+v, %v", c.name, len(c.conditions), y, cert, err)
		}
	}
}

// TestMasksWithoutVisits: contradictions are seen at once, or by what comes first.
func TestMasksWithoutVisits(t *testing.T) {
	const n = 6
	for _, name := range visiting {
		space := mustBuild(t, name, structure.Args(examples.Sized(n)))
		d, all := space.FeatureLen(), structure.Range{Most: n}
		three := slices.Repeat([]structure.Values{structure.AnyValue}, d)
		copy(three, []structure.Values{structure.Plus, structure.Plus, structure.Plus})
		for what, m := range slicex.InOrder(map[string]structure.Mask{
			"no place":        {Size: structure.Range{Least: 0, Most: 0}, Start: -1, End: -1},
			"too many":        {Size: structure.Range{Least: n + 1, Most: 1 << 40}, Start: -1, End: -1},
			"all forbidden":   {Size: all, Start: -1, End: -1, Items: []int8{-1, -1, -1, -1, -1, 0}},
			"no step":         {Size: all, Start: -1, End: -1, Entries: slices.Repeat([]structure.Values{structure.Zero}, d)},
			"three from one":  {Size: all, Start: -1, End: -1, Entries: three},
			"only an end":     {Size: all, Start: 2, End: 2},
			"a forbidden end": {Size: all, Start: 2, End: -1, Items: []int8{0, 0, -1, 0, 0, 0}},
		}) {
			if name != "routes" && m.Start >= 0 {
				continue
			}
			within, err := structure.Within(space, m)
			if err == nil {
				_, err = within.(structure.Decoder).Decode(make([]int32, n), structure.Scores{Linear: make([]float64, d)})
			}
			if !errors.Is(err, structure.ErrNone) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// TestParametersAreConditions: what they say of the outputs that are left, and of what is wrong, is what conditions say.
func TestParametersAreConditions(t *testing.T) {
	with := func(fixed []int32, scalars ...int64) structure.Args {
		a := structure.Args{Scalars: map[string]int64{"n": 5}, Ints: fixed, Names: structure.Names{"ash", "bay", "elm", "fir", "oak"}}
		for i, name := range []string{"start", "end", "length"} {
			a.Scalars[name] = scalars[i]
		}
		return a
	}
	for _, c := range []struct {
		name string
		args structure.Args
		want string
	}{
		{"routes", with(nil, 2, 2, -1), `'start' and 'end' are both place "elm"`},
		{"cycles", with([]int32{0, 0, -1, 0, 0}, 2, -1, -1), `vertex "elm" is forbidden and, by 'start', visited`},
		{"directedcycles", with([]int32{-1, 0, -1, -1, 0}, -1, -1, -1), "'forbidden' leaves 2 vertices, 3 are needed"},
		{"routes", with([]int32{1, 0, 1, 1, 0}, -1, -1, 2), "'length' is 2 at most, but 3 places must be visited"},
		{"routes", with([]int32{2, 0, 0, 0, 0}, -1, -1, -1), `"fixed" is 2 at "ash", must be -1, 0 or 1`},
		{"cycles", with([]int32{1, 0}, -1, -1, -1), `"fixed" has 2 entries, must have 5`},
		{"cycles", with(nil, -1, -1, 2), "'length' is 2; it is the number of vertices that a cycle visits, 3..5"},
		{"cycles", with(nil, 5, -1, -1), `parameter "start" is 5, must be between -1 and 4`},
	} {
		_, err := structure.New(c.name, c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
	for _, name := range visiting {
		space := mustBuild(t, name, with([]int32{0, 0, 0, 0, -1}, 1, 3, 4))
		free := mustBuild(t, name, with(nil, -1, -1, -1))
		var want []string
		for y := range free.(structure.Enumerator).All() {
			starts := y[0] == 1 && y[3] == 3
			for i := range 4 {
				after := name != "routes" && y[i] == 3 && y[(i+1)%4] == 1
				before := name == "cycles" && y[i] == 1 && y[(i+1)%4] == 3
				starts = starts || after || before
			}
			if y[4] < 0 && y[3] >= 0 && !slices.Contains(y, 4) && starts {
				want = append(want, fmt.Sprint(y))
			}
		}
		if got := listOf(space); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: the parameters leave %v, want %v", name, got, want)
		}
	}
}

func mustBuild(t *testing.T, name string, args structure.Args) structure.Space {
	t.Helper()
	space, err := structure.New(name, args)
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func isLimit(err error) bool {
	_, limit := errors.AsType[*structure.LimitError](err)
	return limit
}
