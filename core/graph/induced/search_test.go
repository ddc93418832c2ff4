package induced

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSearchQuality: at 30 vertices, where branch and bound knows the answer, tabu search from the starts of Search
// reaches it, and the relaxation is within a quarter of it on Gaussian weights.
func TestSearchQuality(t *testing.T) {
	const n, instances = 30, 20
	rng := rand.New(rand.NewPCG(6, 6))
	var w Workspace
	for _, name := range []string{"Gaussian", "ties", "favourable"} {
		for range instances {
			draw(&w, n, rng, kinds[name])
			chosen := make([]bool, n)
			if err := w.Exact(chosen); err != nil {
				t.Fatal(err)
			}
			best := w.Value(chosen)
			w.reduce(chosen)
			fixed := w.Value(chosen)
			for lo, hi := range w.components() {
				w.load(&w.part, w.parts[lo:hi])
				set, _ := w.branch.solve(&w.part, MaxNodes)
				want := w.part.value(func(i int) bool { return set>>i&1 == 1 })
				bound, _ := w.searchPart(blockSize)
				fixed += want
				if got := w.part.value(func(i int) bool { return w.local.best[i] }); got < want-tolerance {
					t.Errorf("%s: the search earns %v, the best set %v", name, got, want)
				}
				if bound < want-tolerance || name == "Gaussian" && bound > 1.25*want {
					t.Errorf("%s: the bound is %v, the best set earns %v", name, bound, want)
				}
			}
			if math.Abs(fixed-best) > tolerance {
				t.Errorf("%s: the parts earn %v, the best set %v", name, fixed, best)
			}
		}
	}
}

// TestLocalOptimum: no addition, removal or swap improves what Search returns, equal weights give equal sets, and the
// certificate is consistent.
func TestLocalOptimum(t *testing.T) {
	const n = 70
	rng := rand.New(rand.NewPCG(7, 7))
	var w Workspace
	draw(&w, n, rng, kinds["Gaussian"])
	chosen, again := make([]bool, n), make([]bool, n)
	bound, nu, optimal, _ := w.Search(chosen, nil)
	value := w.Value(chosen)
	if optimal || bound < value || nu <= 0 || nu > 0.2 {
		t.Errorf("the set earns %v with bound %v, ν %v, optimal %t", value, bound, nu, optimal)
	}
	w.Search(again, nil)
	if !slices.Equal(chosen, again) {
		t.Error("the same weights give two different sets")
	}
	for u := range n {
		for v := range u + 1 {
			copy(again, chosen)
			again[u] = !again[u]
			if v < u {
				if chosen[u] == chosen[v] {
					continue
				}
				again[v] = !again[v]
			}
			if x := w.Value(again); x > value+tolerance {
				t.Errorf("flipping %d and %d earns %v, more than %v", u, v, x, value)
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{60, 100, 250, 500} {
		b.Run(fmt.Sprintf("vertices=%d", n), func(b *testing.B) {
			var w Workspace
			draw(&w, n, rand.New(rand.NewPCG(1, 1)), kinds["Gaussian"])
			chosen := make([]bool, n)
			for b.Loop() {
				w.Search(chosen, nil)
			}
		})
	}
}
