package tours

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// admits reports whether some listing of a tour begins with the head and ends with the tail, and the rest fits.
func (r *Rules) admits(tour []int32) bool {
	if r.Length > 0 && len(tour) != r.Length || len(r.Head)+len(r.Tail) > len(tour) {
		return false
	}
	for v, f := range r.Fixed {
		if f != 0 && slices.Contains(tour, int32(v)) != (f > 0) && !contains(r.Head, int32(v)) && !contains(r.Tail, int32(v)) {
			return false
		}
	}
	if len(r.Head) == 0 {
		return true
	}
	first := slices.Index(tour, r.Head[0])
	if first < 0 {
		return false
	}
	listed := slices.Concat(tour[first:], tour[:first])
	return slices.Equal(listed[:len(r.Head)], r.Head) && slices.Equal(listed[len(listed)-len(r.Tail):], r.Tail)
}

// drawRules draws rules of every kind, some of which leave no tour.
func drawRules(rng *rand.Rand, n int, anchored bool) *Rules {
	var r Rules
	order := rng.Perm(n)
	if anchored {
		zero := slices.Index(order, 0)
		order[0], order[zero] = order[zero], order[0]
	}
	ends := make([]int32, n)
	for i, v := range order {
		ends[i] = int32(v)
	}
	head := rng.IntN(3)
	if anchored {
		head = 1 + rng.IntN(2)
	}
	r.Head = ends[:head]
	if head > 0 {
		r.Tail = ends[head : head+rng.IntN(2)]
	}
	if rng.IntN(3) > 0 {
		r.Fixed = make([]int32, n)
		for v := range r.Fixed {
			r.Fixed[v] = int32(rng.IntN(2)) * int32(rng.IntN(3)-1)
		}
	}
	if rng.IntN(2) == 0 {
		r.Length = leastVisits + rng.IntN(n-leastVisits+1)
	}
	return &r
}

func TestExactWithinFindsTheBestAdmittedTour(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var w Workspace
	compared := 0
	for name, d := range draws {
		for range 150 {
			n, anchored := 3+rng.IntN(5), rng.IntN(2) == 0
			w.fill(rng, d, n, anchored)
			rules := drawRules(rng, n, anchored)
			best, found := math.Inf(-1), false
			w.allTours(func(tour []int32) {
				if rules.admits(tour) {
					best, found = max(best, w.Value(tour)), true
				}
			})
			if !found {
				mustPanic(t, "rules that leave no tour", func() { w.check(rules) })
				continue
			}
			compared++
			tour := make([]int32, n)
			k, err := w.ExactWithin(tour, rules)
			if err != nil {
				t.Fatal(err)
			}
			tour = tour[:k]
			if !rules.admits(tour) || !slices.Equal(tour[:len(rules.Head)], rules.Head) {
				t.Fatalf("%s: the tour %v breaks the rules %+v", name, tour, *rules)
			}
			if v := w.Value(tour); math.Abs(v-best) > tolerance {
				t.Fatalf("%s: the tour %v earns %v under %+v, the best %v", name, tour, v, *rules, best)
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d problems had a tour", compared)
	}
}

func TestExactWithinWithoutRulesIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	var w Workspace
	for _, anchored := range []bool{false, true} {
		for n := 3; n <= 12; n++ {
			w.fill(rng, draws["Gaussian"], n, anchored)
			one, other := make([]int32, n), make([]int32, n)
			k, err := w.Exact(one)
			if err != nil {
				t.Fatal(err)
			}
			var rules Rules
			if anchored {
				rules.Head = []int32{0}
			}
			l, err := w.ExactWithin(other, &rules)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(one[:k], other[:l]) {
				t.Errorf("n = %d: %v without rules, %v under none", n, one[:k], other[:l])
			}
		}
	}
}

// TestShortToursAreExactAmongManyVertices compares with the search for the best third vertex.
func TestShortToursAreExactAmongManyVertices(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	var w Workspace
	const n = 200
	w.fill(rng, draws["Gaussian"], n, true)
	tour := make([]int32, n)
	k, err := w.ExactWithin(tour, &Rules{Head: []int32{0, 7}, Tail: []int32{9}, Length: 5})
	if err != nil || k != 5 {
		t.Fatalf("%d vertices, error %v", k, err)
	}
	best := math.Inf(-1)
	for a := range int32(n) {
		for b := range int32(n) {
			if a != b && a != 0 && b != 0 && a != 7 && b != 7 && a != 9 && b != 9 {
				best = max(best, w.Value([]int32{0, 7, a, b, 9}))
			}
		}
	}
	if v := w.Value(tour[:k]); math.Abs(v-best) > tolerance {
		t.Errorf("%v earns %v, the best %v", tour[:k], v, best)
	}
	if _, err := w.ExactWithin(tour, &Rules{Head: []int32{0}}); !errors.As(err, new(*StatesError)) {
		t.Errorf("200 free vertices: %v", err)
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

func TestSearchWithinKeepsTheRulesAndBoundsTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	var w, exact Workspace
	compared, best := 0, 0
	for name, d := range draws {
		for range 20 {
			n, anchored := 3+rng.IntN(6), rng.IntN(2) == 0
			w.fill(rng, d, n, anchored)
			copy(exact.Reset(n, anchored), w.gain)
			rules := drawRules(rng, n, anchored)
			one, other := make([]int32, n), make([]int32, n)
			if func() (none bool) {
				defer func() { none = recover() != nil }()
				w.check(rules)
				return
			}() {
				continue
			}
			k, err := exact.ExactWithin(one, rules)
			if err != nil {
				t.Fatal(err)
			}
			l, _, err := w.StartWithin(other, rules, nil)
			if err != nil || !rules.admits(other[:l]) {
				t.Fatalf("%s: the start %v breaks the rules %+v, error %v", name, other[:l], *rules, err)
			}
			start := exact.Value(other[:l])
			l, bound, err := w.SearchWithin(other, rules, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := exact.Value(other[:l]); got < start-tolerance {
				t.Fatalf("%s: the search ends at %v, it began at %v", name, got, start)
			}
			want, got := exact.Value(one[:k]), exact.Value(other[:l])
			if !rules.admits(other[:l]) || !exact.isTour(other[:l]) {
				t.Fatalf("%s: the tour %v breaks the rules %+v", name, other[:l], *rules)
			}
			if got > want+tolerance || bound < want-tolerance {
				t.Fatalf("%s: %v earns %v, the best is %v, the bound %v", name, other[:l], got, want, bound)
			}
			if compared++; got > want-tolerance {
				best++
			}
		}
	}
	if compared < 60 || best < compared*98/100 { // the search finds the best of so few in nearly every problem
		t.Errorf("%d of %d searches reached the best", best, compared)
	}
}

func TestSearchWithinStopsAtAnError(t *testing.T) {
	var w Workspace
	const n = 40
	w.fill(rand.New(rand.NewPCG(29, 30)), draws["Gaussian"], n, true)
	before := slices.Clone(w.gain)
	stop := errors.New("stop")
	rules := &Rules{Head: []int32{0, 3}, Tail: []int32{5}, Length: 20}
	if _, _, err := w.SearchWithin(make([]int32, n), rules, func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
	for i, g := range before {
		if g != w.gain[i] {
			t.Fatal("the gains are changed")
		}
	}
}

// TestSolvableWithin: it says beforehand what ExactWithin refuses.
func TestSolvableWithin(t *testing.T) {
	for _, c := range []struct {
		n        int
		rules    Rules
		solvable bool
	}{
		{18, Rules{Head: []int32{3}}, true},
		{19, Rules{Head: []int32{3}}, false},
		{19, Rules{Head: []int32{3}, Tail: []int32{5}}, true},
		{40, Rules{Head: []int32{3}, Length: 5}, true},
		{40, Rules{Head: []int32{3}, Length: 25}, false},
		{30, Rules{Length: 4}, true},
	} {
		var w Workspace
		for i, gain := 0, w.Reset(c.n, false); i < len(gain); i++ {
			gain[i] = float64(i % 7)
		}
		_, err := w.ExactWithin(make([]int32, c.n), &c.rules)
		if got := SolvableWithin(c.n, &c.rules); got != c.solvable || got != (err == nil) {
			t.Errorf("%d vertices, %+v: solvable is %t, and solving gives the error %v", c.n, c.rules, got, err)
		}
	}
}
