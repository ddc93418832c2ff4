package ordering

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/combin"
	"combpred/core/internal/drawtest"
)

// randomRequirement draws a partial order: pairs of a hidden random order, each with the given probability, and their closure.
func randomRequirement(t *testing.T, n int, density float64, rng *rand.Rand) *Partial {
	hidden := rng.Perm(n)
	var pairs [][2]int32
	for i, u := range hidden {
		for _, v := range hidden[i+1:] {
			if rng.Float64() < density {
				pairs = append(pairs, [2]int32{int32(u), int32(v)})
			}
		}
	}
	p, err := NewRequirement(n, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// agrees reports whether an order has all pairs that are required.
func agrees(order []int32, before *Partial) bool {
	for i, u := range order {
		for _, v := range order[i+1:] {
			if before.Before(int(v), int(u)) {
				return false
			}
		}
	}
	return isOrder(order)
}

// filtered is an enumeration of the orders that agree with a requirement.
type filtered struct {
	drawtest.Outcomes
	best float64
}

func (f *filtered) fill(n int, before *Partial, gain []float64) {
	f.best = math.Inf(-1)
	drawtest.Permutations(n, func(y []int32) {
		if !agrees(y, before) {
			return
		}
		var value float64
		for i, u := range y {
			for _, v := range y[i+1:] {
				value += gain[int(u)*n+int(v)]
			}
		}
		f.Add(y, value)
		f.best = max(f.best, value)
	})
}

// TestRequirementsAgainstFilteredOrders: best orders, ln Z, probabilities of pairs and positions, draws and counts, with
// random requirements, are those of all orders that agree with them. A correct sampler fails one of the 150 or so tests of
// draws with a probability below 1.5e-4, and the seed is fixed.
func TestRequirementsAgainstFilteredOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for n := 1; n <= 7; n++ {
		for _, density := range []float64{0.05, 0.15, 0.4, 1} {
			if n == 7 && density < 0.15 {
				continue
			}
			for _, scale := range []float64{0, 1, 15, 60, 700, 1e9, drawtest.Mixed} {
				before := randomRequirement(t, n, density, rng)
				name := fmt.Sprintf("%d items, density %g, scale %g", n, density, scale)
				gain := make([]float64, n*n)
				fillWith(gain, n, func(int, int) float64 { return drawtest.Score(scale, rng) })
				var all filtered
				all.fill(n, before, gain)
				if got, err := before.Count(nil); err != nil || got != uint64(len(all.Values)) {
					t.Errorf("%s: %d orders are counted, there are %d (%v)", name, got, len(all.Values), err)
				}
				compareBest(t, name, before, gain, &all)
				compareSums(t, name, before, gain, &all, rng)
			}
		}
	}
}

func compareBest(t *testing.T, name string, before *Partial, gain []float64, all *filtered) {
	t.Helper()
	n := before.Len()
	var w Workspace
	copy(w.Reset(n), gain)
	w.Require(before)
	order := make([]int32, n)
	slack := 1e-13 * floats.Norm(gain, 1)
	err := w.Exact(order)
	if got := w.Value(order); err != nil || !agrees(order, before) || math.Abs(got-all.best) > slack {
		t.Errorf("%s: the order %v earns %v, the best of all %v (%v)", name, order, got, all.best, err)
	}
	bound, optimal, err := w.Search(order, nil)
	got := w.Value(order)
	if err != nil || !optimal || !agrees(order, before) || math.Abs(got-all.best) > slack || math.Abs(bound-got) > slack {
		t.Errorf("%s: Search finds %v, which earns %v with bound %v, optimal %t, the best is %v (%v)",
			name, order, got, bound, optimal, all.best, err)
	}
	if bound, _ := w.Start(order); !agrees(order, before) || bound < all.best-slack {
		t.Errorf("%s: Start gives %v with bound %v, the best of all earns %v", name, order, bound, all.best)
	}
}

func compareSums(t *testing.T, name string, before *Partial, gain []float64, all *filtered, rng *rand.Rand) {
	t.Helper()
	n := before.Len()
	var d Distribution
	copy(d.Reset(n), gain)
	d.Require(before)
	p, want := all.Probabilities()
	slack := 1e-10 + 1e-15*floats.Norm(gain, 1)
	got, err := d.Sum(nil)
	if err != nil || math.Abs(got-want) > slack {
		t.Errorf("%s: ln Z is %v, want %v (%v)", name, got, want, err)
	}
	pairs, wanted := make([]float64, n*n), make([]float64, n*n)
	places, wantedPlaces := make([]float64, n*n), make([]float64, n*n)
	for k, y := range all.Values {
		for i, u := range y {
			wantedPlaces[int(u)*n+i] += p[k]
			for _, v := range y[i+1:] {
				wanted[int(u)*n+int(v)] += p[k]
			}
		}
	}
	if err := d.PairsTo(pairs, nil); err != nil || !floats.EqualApprox(pairs, wanted, slack) {
		t.Errorf("%s: the pairs have %v, want %v (%v)", name, pairs, wanted, err)
	}
	for u := range n {
		for v := range n {
			if before.Before(u, v) && (pairs[u*n+v] != 1 || pairs[v*n+u] != 0) {
				t.Errorf("%s: %d is required before %d, which has probability %v, the reverse %v", name, u, v, pairs[u*n+v], pairs[v*n+u])
			}
		}
	}
	if err := d.PositionsTo(places, nil); err != nil || !floats.EqualApprox(places, wantedPlaces, slack) {
		t.Errorf("%s: the positions have %v, want %v (%v)", name, places, wantedPlaces, err)
	}
	if n <= 6 {
		y := make([]int32, n)
		all.Check(t, name, func() []int32 {
			d.DrawTo(y, rng)
			return y
		})
	}
}

// slowLog returns ln Z by a recursion in logarithms over all sets that sums every gain anew, and the largest value in place
// of it.
func slowLog(n int, gain []float64, before *Partial) (log, best float64) {
	sums, most := make([]float64, 1<<n), make([]float64, 1<<n)
	for s := 1; s < 1<<n; s++ {
		var terms []float64
		most[s] = math.Inf(-1)
		for v := range n {
			if s>>v&1 == 0 {
				continue
			}
			var e float64
			for u := range n {
				if s>>u&1 == 1 && u != v {
					e += gain[u*n+v]
					if before.Before(v, u) {
						e = math.Inf(-1)
					}
				}
			}
			terms = append(terms, e+sums[s&^(1<<v)])
			most[s] = max(most[s], e+most[s&^(1<<v)])
		}
		sums[s] = math.Inf(-1)
		if !math.IsInf(slices.Max(terms), -1) {
			sums[s] = floats.LogSumExp(terms)
		}
	}
	return sums[1<<n-1], most[1<<n-1]
}

// TestSubsetsBySeveralRoutes: numbers of items whose sets make up many blocks, scores from those for which numbers are in
// range for certain to those for which they are not: ln Z and the best value are those of a slow recursion, and the
// probabilities of pairs those that come from logarithms.
func TestSubsetsBySeveralRoutes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	ways := map[string]int{}
	for n := lowBits; n <= lowBits+5; n++ {
		for _, density := range []float64{0, 0.03, 0.2} {
			for _, scale := range []float64{1, 10, 25, 60, 150, 1000} {
				before := randomRequirement(t, n, density, rng)
				name := fmt.Sprintf("%d items, density %g, scale %g", n, density, scale)
				var d Distribution
				gain := d.Reset(n)
				fillWith(gain, n, func(int, int) float64 { return scale * rng.NormFloat64() })
				if density > 0 {
					d.Require(before)
				}
				want, best := slowLog(n, gain, before)
				got, err := d.Sum(nil)
				if err != nil || math.Abs(got-want) > 1e-12*(1+floats.Norm(gain, 1)) {
					t.Errorf("%s: ln Z is %v, want %v (%v)", name, got, want, err)
				}
				ways[fmt.Sprintf("logs %t, sure %t", d.logs, scale == 1)]++
				compareRoutes(t, name, &d)
				var w Workspace
				copy(w.Reset(n), gain)
				w.Require(before)
				order := make([]int32, n)
				if err := w.Exact(order); err != nil || !agrees(order, before) ||
					math.Abs(w.Value(order)-best) > 1e-12*(1+floats.Norm(gain, 1)) {
					t.Errorf("%s: the order %v earns %v, the best %v (%v)", name, order, w.Value(order), best, err)
				}
			}
		}
	}
	for _, way := range []string{"logs false, sure true", "logs false, sure false", "logs true, sure false"} {
		if ways[way] < 10 {
			t.Errorf("only %d cases with %s: draw other gains", ways[way], way)
		}
	}
}

// compareRoutes compares the probabilities that follow from the sums of a distribution with those from logarithms.
func compareRoutes(t *testing.T, name string, d *Distribution) {
	t.Helper()
	n := d.sets.m
	pairs, places := make([]float64, n*n), make([]float64, n*n)
	wanted, wantedPlaces := make([]float64, n*n), make([]float64, n*n)
	d.PairsTo(pairs, nil)
	d.PositionsTo(places, nil)
	d.load()
	d.sumLogs()
	d.PairsTo(wanted, nil)
	d.PositionsTo(wantedPlaces, nil)
	if !floats.EqualApprox(pairs, wanted, 1e-9) || !floats.EqualApprox(places, wantedPlaces, 1e-9) {
		t.Errorf("%s: logarithms give other probabilities", name)
	}
}

// TestCounts: free items have n! orders, zigzags the Euler numbers (OEIS A000111), two chains joined rung by rung the Catalan
// numbers (OEIS A000108), a chain one.
func TestCounts(t *testing.T) {
	zigzag := map[int]uint64{2: 1, 3: 2, 4: 5, 5: 16, 6: 61, 7: 272, 8: 1385, 9: 7936, 10: 50521, 11: 353792}
	catalan := []uint64{1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862, 16796}
	count := func(n int, pairs [][2]int32) uint64 {
		p, err := NewRequirement(n, pairs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Count(nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for n := 1; n <= MaxSummed; n++ {
		var chain, fence [][2]int32
		for i := int32(1); int(i) < n; i++ {
			chain = append(chain, [2]int32{i - 1, i})
			fence = append(fence, [2]int32{i - i%2, i - 1 + i%2})
		}
		if got := count(n, nil); got != combin.Factorial(n).Uint64() {
			t.Errorf("%d items have %d orders", n, got)
		}
		if got := count(n, chain); got != 1 {
			t.Errorf("a chain of %d items has %d orders", n, got)
		}
		if want, ok := zigzag[n]; ok {
			if got := count(n, fence); got != want {
				t.Errorf("a zigzag of %d items has %d orders, want %d", n, got, want)
			}
		}
	}
	for k := 1; k <= 10; k++ {
		var pairs [][2]int32
		for i := range int32(k) {
			pairs = append(pairs, [2]int32{i, int32(k) + i})
			if i > 0 {
				pairs = append(pairs, [2]int32{i - 1, i}, [2]int32{int32(k) + i - 1, int32(k) + i})
			}
		}
		if got := count(2*k, pairs); got != catalan[k] {
			t.Errorf("a ladder of %d rungs has %d orders, want %d", k, got, catalan[k])
		}
	}
	big, _ := NewRequirement(MaxSummed+1, nil)
	if _, err := big.Count(nil); err == nil {
		t.Error("more items than the tables hold are counted")
	}
	free, _ := NewRequirement(15, nil)
	if _, err := free.Count(func() error { return errStop }); !errors.Is(err, errStop) {
		t.Errorf("the count ends with %v", err)
	}
}

// TestCycle: items that are required in a circle are named in its order.
func TestCycle(t *testing.T) {
	_, err := NewRequirement(6, [][2]int32{{4, 5}, {0, 3}, {3, 1}, {0, 2}, {1, 5}, {5, 0}})
	cycle, ok := errors.AsType[*CycleError](err)
	if !ok || !slices.Equal(cycle.Items, []int{0, 3, 1, 5}) {
		t.Errorf("a circle gives the error %v", err)
	}
	if _, err := NewRequirement(2, [][2]int32{{1, 1}}); err == nil {
		t.Error("an item may be before itself")
	}
	if _, err := NewRequirement(2, [][2]int32{{1, 2}}); err == nil {
		t.Error("there may be an item 2 of 2")
	}
}

// TestRequirementsAtLargeSizes: local search stays with what is required, no move that is allowed improves on it, and it is
// never below Start. Requirements that agree with consistent gains leave small components, which are solved exactly.
func TestRequirementsAtLargeSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	var w Workspace
	for _, density := range []float64{0.002, 0.02, 0.2, 1} {
		const n = 70
		before := randomRequirement(t, n, density, rng)
		fillWith(w.Reset(n), n, func(int, int) float64 { return rng.NormFloat64() })
		w.Require(before)
		order := make([]int32, n)
		w.Start(order)
		if !agrees(order, before) {
			t.Fatalf("density %g: Start gives %v, which does not agree", density, order)
		}
		least := w.Value(order)
		bound, _, err := w.Search(order, nil)
		value := w.Value(order)
		if err != nil || !agrees(order, before) || value < least-tolerance || value > bound+tolerance {
			t.Fatalf("density %g: %v earns %v with bound %v, Start %v (%v)", density, order, value, bound, least, err)
		}
		for i, u := range order {
			rest := slices.Delete(slices.Clone(order), i, i+1)
			for j := range n {
				moved := slices.Insert(slices.Clone(rest), j, u)
				if agrees(moved, before) && w.Value(moved) > value+1e-9 {
					t.Fatalf("density %g: moving item %d to place %d improves on the order", density, u, j)
				}
			}
		}
	}
	const n = 100
	var pairs [][2]int32
	for range 60 {
		u, v := rng.IntN(n), rng.IntN(n)
		if u != v {
			pairs = append(pairs, [2]int32{int32(min(u, v)), int32(max(u, v))})
		}
	}
	before, err := NewRequirement(n, pairs)
	if err != nil {
		t.Fatal(err)
	}
	fillWith(w.Reset(n), n, func(u, v int) float64 { return float64(v-u) + 1.5*rng.NormFloat64() })
	w.Require(before)
	order := make([]int32, n)
	if err := w.Exact(order); err != nil || !agrees(order, before) {
		t.Fatalf("the order %v does not agree (%v)", order, err)
	}
	value := w.Value(order)
	if _, _, err := w.Search(order, nil); err != nil || w.Value(order) > value+tolerance {
		t.Errorf("Search earns %v, Exact %v (%v)", w.Value(order), value, err)
	}
}

// TestRequirementsAgainstGains: what a pair gains does not matter where its order is required, so that a chain leaves no
// components to solve, at any size.
func TestRequirementsAgainstGains(t *testing.T) {
	const n = 130
	before := new(Partial)
	before.Reset(n)
	for u := 1; u < n; u++ {
		before.Close(u, u-1)
	}
	var w Workspace
	fillWith(w.Reset(n), n, func(int, int) float64 { return 1 })
	w.Require(before)
	order := make([]int32, n)
	if err := w.Exact(order); err != nil || !agrees(order, before) {
		t.Errorf("the order is %v (%v)", order, err)
	}
	if bound, optimal, err := w.Search(order, nil); err != nil || !optimal || bound != -n*(n-1)/2 || !agrees(order, before) {
		t.Errorf("Search gives %v with bound %v, optimal %t (%v)", order, bound, optimal, err)
	}
}
