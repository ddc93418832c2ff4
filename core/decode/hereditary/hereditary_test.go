package hereditary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
)

// find answers the questions of a search by a property, and counts them.
func find(t *testing.T, weights []float64, method Method, most int, holds func([]bool) bool) (found Found, asked int, err error) {
	t.Helper()
	found, err = Find(weights, method, most, func(sets [][]bool, until int, verdicts []uint8) error {
		if len(sets) > max(most, ExactEdges) {
			t.Fatalf("%d sets are asked about at once", len(sets))
		}
		for i, set := range sets {
			verdicts[i] = 0
			if asked++; holds(set) {
				verdicts[i] = 1
			}
			if int(verdicts[i]) == until {
				break
			}
		}
		return nil
	})
	return found, asked, err
}

// forest says whether edges of the complete graph on so many vertices, in lexicographic order, form no cycle.
func forest(vertices int) func([]bool) bool {
	return func(set []bool) bool {
		root := make([]int, vertices)
		for v := range root {
			root[v] = v
		}
		find := func(v int) int {
			for root[v] != v {
				v = root[v]
			}
			return v
		}
		e := 0
		for u := range vertices {
			for v := u + 1; v < vertices; v++ {
				if set[e] {
					if find(u) == find(v) {
						return false
					}
					root[find(u)] = find(v)
				}
				e++
			}
		}
		return true
	}
}

// few allows so many edges.
func few(most int) func([]bool) bool {
	return func(set []bool) bool {
		n := 0
		for _, in := range set {
			if in {
				n++
			}
		}
		return n <= most
	}
}

// random returns a hereditary property: some sets of two or three edges are forbidden, and some edges alone.
func random(n int, rng *rand.Rand) func([]bool) bool {
	var forbidden [][]int
	for range n {
		forbidden = append(forbidden, rng.Perm(n)[:min(n, 1+rng.IntN(12)/4)])
	}
	forbidden = slices.DeleteFunc(forbidden, func(f []int) bool { return len(f) == 1 && rng.IntN(2) == 0 })
	return func(set []bool) bool {
		for _, f := range forbidden {
			all := true
			for _, e := range f {
				all = all && set[e]
			}
			if all {
				return false
			}
		}
		return true
	}
}

// best returns the largest weight of a set with a property, by trying all.
func best(weights []float64, holds func([]bool) bool) float64 {
	most, set := 0.0, make([]bool, len(weights))
	for bits := range 1 << len(weights) {
		sum := 0.0
		for e := range set {
			if set[e] = bits>>e&1 == 1; set[e] {
				sum += weights[e]
			}
		}
		if sum > most && holds(set) {
			most = sum
		}
	}
	return most
}

func TestSearchesAreThoseOfEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for round := range 300 {
		n := 1 + rng.IntN(11)
		holds := random(n, rng)
		if n == 10 && round%2 == 0 {
			holds = forest(5)
		}
		weights := make([]float64, n)
		for e := range weights {
			weights[e] = math.Round(4*rng.NormFloat64()) / 2 // with ties and zeros
		}
		for _, method := range []Method{Auto, Exact, Search} {
			found, _, err := find(t, weights, method, 1, holds)
			if err != nil || found.Part != nil || !holds(found.Set) {
				t.Fatalf("%v %v", found, err)
			}
			value, bound := found.Value, found.Bound
			if want := best(weights, holds); math.Abs(value-want) > 1e-9 || bound != value {
				t.Errorf("round %d: a set of %v, at most %v; the best has %v", round, value, bound, want)
			}
			sum := 0.0
			for e, in := range found.Set {
				if in {
					sum += weights[e]
				}
			}
			if sum != value {
				t.Errorf("the set has %v, not %v", sum, value)
			}
		}
	}
}

// TestBlocks: beyond exact search the bound holds, and the ratio is that of the number of blocks.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for _, n := range []int{28, 45} {
		vertices := map[int]int{28: 8, 45: 10}[n]
		for range 5 {
			weights := make([]float64, n)
			for e := range weights {
				weights[e] = 0.1 + rng.Float64()
			}
			found, _, err := find(t, weights, Auto, 7, forest(vertices))
			if err != nil || found.Part != nil || !forest(vertices)(found.Set) {
				t.Fatalf("%v %v", found, err)
			}
			value, bound := found.Value, found.Bound
			want := 0.0 // Kruskal (1956)
			order := make([]int, n)
			for e := range order {
				order[e] = e
			}
			slices.SortFunc(order, func(a, b int) int {
				if weights[a] > weights[b] {
					return -1
				}
				return 1
			})
			set := make([]bool, n)
			for _, e := range order {
				set[e] = true
				if set[e] = forest(vertices)(set); set[e] {
					want += weights[e]
				}
			}
			if value > want+1e-9 || bound < want-1e-9 || value < bound/math.Ceil(float64(n)/BlockEdges)-1e-9 {
				t.Errorf("a forest of %v, at most %v; the best has %v", value, bound, want)
			}
			if math.Abs(value-want) > 1e-9 { // which local search finds in a matroid
				t.Errorf("local search ends at %v, not %v", value, want)
			}
			_, _, err = find(t, weights, Exact, 7, forest(vertices))
			if fault.KindOf(err) != fault.KindCapability || fault.RowOf(err) != 0 {
				t.Errorf("%v, want a refusal", err)
			}
		}
	}
}

// TestQuestions: what can be told without asking is not asked.
func TestQuestions(t *testing.T) {
	weights := make([]float64, 12)
	for e := range weights {
		weights[e] = 1 + float64(e)/100
	}
	_, asked, err := find(t, weights, Auto, 100, few(12))
	if err != nil || asked != 13 { // the whole set, and without each edge
		t.Errorf("%d questions (%v)", asked, err)
	}
	for e := range weights {
		weights[e] = -1
	}
	found, asked, err := find(t, weights, Auto, 100, few(0))
	if err != nil || asked != 1 || found.Value != 0 || slices.Contains(found.Set, true) {
		t.Errorf("%d questions for the empty set %v (%v)", asked, found, err)
	}
}

// TestCounterexamples: for properties that are not hereditary, two sets that show it, or a set that is a best one all the same.
func TestCounterexamples(t *testing.T) {
	rng, contradicted := rand.New(rand.NewPCG(3, 0)), 0
	for range 400 {
		n := 3 + rng.IntN(7)
		if rng.IntN(4) == 0 {
			n = 24
		}
		weights := make([]float64, n)
		for e := range weights {
			weights[e] = 0.5 + rng.Float64()
		}
		seed := rng.Uint64()
		holds := func(set []bool) bool { // any function of the set
			h := seed
			for _, in := range set {
				h *= 0x9e3779b97f4a7c15
				if in {
					h ^= h>>29 + 12345
				}
			}
			return h>>40%3 != 0
		}
		found, _, err := find(t, weights, Auto, 5, holds)
		if err != nil {
			t.Fatal(err)
		}
		if found.Part != nil {
			contradicted++
			for e, in := range found.Part {
				if in && !found.Set[e] {
					t.Fatal("the second set is no part of the first")
				}
			}
			if !holds(found.Set) || holds(found.Part) {
				t.Fatal("the sets show nothing")
			}
		} else if found.Value > 0 && !holds(found.Set) {
			t.Fatal("the set has not the property")
		}
	}
	if contradicted < 300 {
		t.Errorf("%d counterexamples", contradicted)
	}
	n := 0 // a function that says what it likes: the search must end
	if _, _, err := find(t, slices.Repeat([]float64{1}, 6), Auto, 5, func([]bool) bool { n++; return n%3 == 0 }); err != nil &&
		fault.KindOf(err) != fault.KindValue {
		t.Error(err)
	}
}

// TestVerdicts: what is no verdict is an error that names its set, and errors of the caller come through.
func TestVerdicts(t *testing.T) {
	for wrong, want := range []int{fault.NoRow, 0, 2} {
		calls := 0
		_, err := Find([]float64{1, 1, 1}, Auto, 20, func(sets [][]bool, _ int, verdicts []uint8) error {
			calls++
			clear(verdicts)
			switch {
			case wrong == 0:
				return fault.Capability("no")
			case wrong == 1:
				verdicts[0] = Unknown
			case calls == 2:
				verdicts[2] = 7
			}
			return nil
		})
		kind := fault.KindValue
		if wrong == 0 {
			kind = fault.KindCapability
		}
		if fault.RowOf(err) != want || fault.KindOf(err) != kind {
			t.Errorf("case %d: %v, row %d", wrong, err, fault.RowOf(err))
		}
	}
}
