package induced

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/parallel"
	"combpred/core/slicex"
)

// tolerance is far above the rounding of sums of a few hundred numbers near 1.
const tolerance = 1e-10

// kinds draw weights: dense, with ties, sparse, mostly favourable, mostly not, and those of a maximum clique problem.
var kinds = map[string]func(rng *rand.Rand) float64{
	"Gaussian":     func(rng *rand.Rand) float64 { return rng.NormFloat64() },
	"ties":         func(rng *rand.Rand) float64 { return float64(rng.IntN(3) - 1) },
	"sparse":       func(rng *rand.Rand) float64 { return rng.NormFloat64() * float64(rng.IntN(5)/4) },
	"favourable":   func(rng *rand.Rand) float64 { return rng.NormFloat64() + 0.5 },
	"unfavourable": func(rng *rand.Rand) float64 { return rng.NormFloat64() - 0.5 },
	"clique":       func(rng *rand.Rand) float64 { return 1 - 40*float64(rng.IntN(2)) },
	"none":         func(*rand.Rand) float64 { return 0 },
	"negative":     func(*rand.Rand) float64 { return -1 },
}

func draw(w *Workspace, n int, rng *rand.Rand, weight func(rng *rand.Rand) float64) {
	m := w.Reset(n)
	for u := range n {
		m[u*n+u] = 0
		for v := range u {
			m[u*n+v] = weight(rng)
			m[v*n+u] = m[u*n+v]
		}
	}
}

// extremes returns the largest and the smallest weight over all sets, in the order of a Gray code.
func extremes(w *Workspace) (most, least float64) {
	chosen := make([]bool, w.n)
	var value float64
	for i := 1; i < 1<<w.n; i++ {
		u := 0
		for i>>u&1 == 0 {
			u++
		}
		var gain float64
		for v, x := range w.row(int32(u)) {
			if chosen[v] {
				gain += x
			}
		}
		if chosen[u] {
			gain = -gain
		}
		chosen[u] = !chosen[u]
		value += gain
		most, least = max(most, value), min(least, value)
	}
	return most, least
}

// TestAgainstAllSets compares Exact, and the certificate of Search, with all sets of up to 12 vertices.
func TestAgainstAllSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var w Workspace
	for name, weight := range slicex.InOrder(kinds) {
		for n := 1; n <= 12; n++ {
			for range 20 {
				draw(&w, n, rng, weight)
				most, _ := extremes(&w)
				chosen := make([]bool, n)
				if err := w.Exact(chosen); err != nil || math.Abs(w.Value(chosen)-most) > tolerance {
					t.Fatalf("%s, n = %d: %v earns %v, error %v, the best set %v",
						name, n, chosen, w.Value(chosen), err, most)
				}
				bound, nu, optimal, _ := w.Search(chosen, nil)
				if !optimal || nu != 0 || math.Abs(w.Value(chosen)-most) > tolerance || math.Abs(bound-most) > tolerance {
					t.Fatalf("%s, n = %d: Search earns %v with bound %v, ν %v, optimal %t, the best set %v",
						name, n, w.Value(chosen), bound, nu, optimal, most)
				}
			}
		}
	}
}

// TestSearchedParts holds what Search does with components beyond branch and bound to the definition, on problems that
// are small enough to enumerate: the relaxation is a bound, the pairs of blocks keep their guarantee, and so does the
// result.
func TestSearchedParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var w Workspace
	checked, optima := 0, 0
	for name, weight := range slicex.InOrder(kinds) {
		for n := 3; n <= 16; n++ {
			draw(&w, n, rng, weight)
			for i := range w.weight { // scales at which squares overflow or vanish
				w.weight[i] = math.Ldexp(w.weight[i], []int{0, 900, -900}[n%3])
			}
			most, least := extremes(&w)
			slack := tolerance * (most - least)
			w.linear = make([]float64, n)
			all := make([]int32, n)
			for i := range all {
				all[i] = int32(i)
			}
			w.load(&w.part, all)
			for size := 1; 2*size < n; size++ {
				w.local.start(&w.part, 1, new(parallel.Poll))
				nu := w.bestPair(size)
				k := float64((n + size - 1) / size)
				if v := w.local.bestValue; v < (1-nu)*most+nu*least-slack || nu != 1-1/((k-1)*(k-1)) {
					t.Errorf("%s, n = %d: the best of two blocks of %d earns %v, guaranteed are %v with ν %v",
						name, n, size, v, (1-nu)*most+nu*least, nu)
				}
			}
			bound, nu := w.searchPart(1)
			value := w.Value(w.local.best)
			if bound < most-slack || value > bound+slack || value < (1-nu)*most+nu*least-slack {
				t.Errorf("%s, n = %d: the set earns %v with bound %v and ν %v, the best %v, the worst %v",
					name, n, value, bound, nu, most, least)
			}
			checked++
			if value >= most-slack {
				optima++
			}
		}
	}
	// Tabu search of thousands of moves on 16 vertices: anything but the optimum is a defect.
	if optima < checked {
		t.Errorf("the search reaches %d of %d optima", optima, checked)
	}
}

// TestLinearTerms compares branch and bound, the relaxation and the pairs with all sets where reduction has left linear
// terms.
func TestLinearTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 11
	var w Workspace
	for range 100 {
		draw(&w, n+1, rng, kinds["Gaussian"])
		// Vertex n is put in by hand: the best set with it is the best set of the others with linear terms.
		rest := make([]int32, n)
		w.linear = slicex.Grow(w.linear, n+1)
		for i := range rest {
			rest[i] = int32(i)
			w.linear[i] = w.weight[n*(n+1)+i]
		}
		w.load(&w.part, rest)
		best := math.Inf(-1)
		for s := range uint64(1) << n {
			best = max(best, w.part.value(func(i int) bool { return s>>i&1 == 1 }))
		}
		set, ok := w.branch.solve(&w.part, math.MaxInt)
		if v := w.part.value(func(i int) bool { return set>>i&1 == 1 }); !ok || math.Abs(v-best) > tolerance {
			t.Fatalf("branch and bound earns %v, the best set %v", v, best)
		}
		w.sdp.solve(&w.part, new(parallel.Poll))
		if bound := w.sdp.bound(); bound < best-tolerance {
			t.Fatalf("the relaxation is bounded by %v, the best set earns %v", bound, best)
		}
		for u := range n {
			for v := range u {
				w.local.start(&w.part, 1, new(parallel.Poll))
				w.tryPair(v, u)
				w.local.keep()
				want := max(0, w.part.linear[u], w.part.linear[v],
					w.part.linear[u]+w.part.linear[v]+w.part.weight[u*n+v])
				if math.Abs(w.local.bestValue-want) > tolerance {
					t.Fatalf("vertices %d and %d earn %v, want %v", v, u, w.local.bestValue, want)
				}
			}
		}
	}
}

// TestBoundIsTight: where weights are the products of signs of the vertices, the best set is the larger side, and the
// relaxation, which the signs themselves nearly solve, is within a tenth of it.
func TestBoundIsTight(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(5, 5))
	side := make([]float64, n)
	var size float64
	for u := range side {
		side[u] = float64(2*rng.IntN(2) - 1)
		size += (side[u] + 1) / 2
	}
	var w Workspace
	m := w.Reset(n)
	for u := range n {
		for v := range n {
			m[u*n+v] = side[u] * side[v]
		}
		m[u*n+u] = 0
	}
	chosen := make([]bool, n)
	bound, _, _, _ := w.Search(chosen, nil)
	size = max(size, n-size)
	want := size * (size - 1) / 2
	if v := w.Value(chosen); v != want || bound < want || bound > 1.1*want {
		t.Errorf("the set earns %v with bound %v, the larger side %v", v, bound, want)
	}
}

// TestReduction: hundreds of vertices are solved exactly where they fall into small components, and vertices without
// anything to gain are left out.
func TestReduction(t *testing.T) {
	const n, size = 400, 8
	rng := rand.New(rand.NewPCG(8, 8))
	var w Workspace
	m := w.Reset(n)
	clear(m)
	var want float64
	var small Workspace
	for lo := 0; lo < n; lo += size {
		draw(&small, size, rng, kinds["Gaussian"])
		most, _ := extremes(&small)
		want += most
		for u := range size {
			copy(m[(lo+u)*n+lo:], small.row(int32(u)))
		}
	}
	chosen := make([]bool, n)
	if err := w.Exact(chosen); err != nil || math.Abs(w.Value(chosen)-want) > 1e-8 {
		t.Errorf("the set earns %v, error %v, want %v", w.Value(chosen), err, want)
	}
	draw(&w, n, rng, kinds["negative"])
	if err := w.Exact(chosen); err != nil || slices.Contains(chosen, true) {
		t.Errorf("unfavourable weights choose %v, error %v", chosen, err)
	}
	draw(&w, n, rng, func(*rand.Rand) float64 { return 1 })
	if err := w.Exact(chosen); err != nil || slices.Contains(chosen, false) {
		t.Errorf("favourable weights choose %v, error %v", chosen, err)
	}
}

// TestLimits: components beyond the limit are refused with their size, and hard ones within it with the effort; the
// search answers in both cases.
func TestLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var w Workspace
	draw(&w, 80, rng, kinds["Gaussian"])
	chosen := make([]bool, 80)
	if size, ok := errors.AsType[*SizeError](w.Exact(chosen)); !ok || size.Size < MaxVertices || size.Size > 80 {
		t.Errorf("80 vertices give the error %v", size)
	}
	draw(&w, 30, rng, kinds["Gaussian"])
	w.reduce(make([]bool, 30))
	w.load(&w.part, w.parts)
	if _, ok := w.branch.solve(&w.part, 100); ok || w.branch.nodes != 101 {
		t.Errorf("a limit of 100 nodes ends after %d, solved %t", w.branch.nodes, ok)
	}
	draw(&w, 700, rng, kinds["Gaussian"]) // beyond the relaxation and the blocks
	chosen = make([]bool, 700)
	bound, nu, optimal, _ := w.Search(chosen, nil)
	if v := w.Value(chosen); optimal || v <= 0 || bound < v || nu >= 1 {
		t.Errorf("700 vertices earn %v with bound %v, ν %v, optimal %t", v, bound, nu, optimal)
	}
}

func BenchmarkExact(b *testing.B) {
	for _, n := range []int{20, 30, 40} {
		b.Run(fmt.Sprintf("vertices=%d", n), func(b *testing.B) {
			var w Workspace
			draw(&w, n, rand.New(rand.NewPCG(1, 1)), kinds["Gaussian"])
			chosen := make([]bool, n)
			for b.Loop() {
				if err := w.Exact(chosen); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(w.branch.nodes), "nodes")
		})
	}
}
