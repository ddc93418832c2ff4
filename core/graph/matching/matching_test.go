package matching

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"
)

// heaviest returns the weight of a heaviest matching by trying, edge by edge.
func heaviest(edges []Edge, weights []float64, taken uint64) float64 {
	if len(edges) == 0 {
		return 0
	}
	best := heaviest(edges[1:], weights[1:], taken)
	if ends := uint64(1)<<edges[0].U | uint64(1)<<edges[0].V; taken&ends == 0 && weights[0] > 0 {
		best = max(best, weights[0]+heaviest(edges[1:], weights[1:], taken|ends))
	}
	return best
}

// random returns a graph in random order of its edges.
func random(rng *rand.Rand, n int, density float64, weight func() float64) (edges []Edge, weights []float64) {
	for u := range int32(n) {
		for v := range u {
			if rng.Float64() < density {
				edges, weights = append(edges, Edge{u, v}), append(weights, weight())
			}
		}
	}
	rng.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	return edges, weights
}

// valueOf returns the weight of the chosen edges, which must be a matching.
func valueOf(t *testing.T, n int, edges []Edge, weights []float64, chosen []bool) (value float64) {
	t.Helper()
	used := make([]bool, n)
	for i, in := range chosen {
		if !in {
			continue
		}
		if used[edges[i].U] || used[edges[i].V] || weights[i] <= 0 {
			t.Fatalf("edge %v of weight %v is not to be chosen", edges[i], weights[i])
		}
		used[edges[i].U], used[edges[i].V] = true, true
		value += weights[i]
	}
	return value
}

// TestSmall compares with all matchings. Few different weights make for ties and many blossoms.
func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, weight := range slicex.InOrder(map[string]func() float64{
		"few":  func() float64 { return float64(rng.IntN(4) - 1) },
		"some": func() float64 { return float64(1 + rng.IntN(12)) },
		"real": rng.NormFloat64,
		"far":  func() float64 { return math.Exp(10 * rng.NormFloat64()) },
	}) {
		for range 4000 {
			n := 2 + rng.IntN(8)
			edges, weights := random(rng, n, 0.3+0.7*rng.Float64(), weight)
			chosen := make([]bool, len(edges))
			bound, err := Largest(chosen, n, edges, weights, nil)
			if err != nil {
				t.Fatal(err)
			}
			value, best := valueOf(t, n, edges, weights, chosen), heaviest(edges, weights, 0)
			if tolerance := 1e-9 * (1 + best); value < best-tolerance || bound < best-1e-14*best || bound > best+tolerance {
				t.Fatalf("weights %v of %v: %v with the bound %v, want %v", weights, edges, value, bound, best)
			}
		}
	}
}

// TestLarge: the bound proves that larger matchings are best.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		n       int
		density float64
	}{{40, 1}, {41, 1}, {60, 0.1}, {101, 0.5}, {200, 0.02}} {
		for kind, weight := range slicex.InOrder(map[string]func() float64{
			"integers": func() float64 { return float64(1 + rng.IntN(30)) },
			"reals":    rng.ExpFloat64,
			"near":     func() float64 { return 100 + rng.Float64() },
		}) {
			edges, weights := random(rng, c.n, c.density, weight)
			chosen := make([]bool, len(edges))
			bound, err := Largest(chosen, c.n, edges, weights, func() error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			if value := valueOf(t, c.n, edges, weights, chosen); value > bound || value < bound*(1-1e-12) {
				t.Errorf("%s on %d vertices: %v with the bound %v", kind, c.n, value, bound)
			}
		}
	}
}

func TestPoll(t *testing.T) {
	edges, weights := random(rand.New(rand.NewPCG(5, 6)), 10, 1, func() float64 { return 1 })
	stop := errors.New("stop")
	if _, err := Largest(make([]bool, len(edges)), 10, edges, weights, func() error { return stop }); err != stop {
		t.Errorf("the error is %v", err)
	}
	if bound, err := Largest(nil, 3, nil, nil, nil); bound != 0 || err != nil {
		t.Errorf("without edges: %v, %v", bound, err)
	}
}

func BenchmarkLargest(b *testing.B) {
	for _, n := range []int{10, 50, 100, 200, 400} {
		for _, density := range []float64{1, 10 / float64(n)} {
			edges, weights := random(rand.New(rand.NewPCG(1, uint64(n))), n, density, rand.New(rand.NewPCG(2, 2)).ExpFloat64)
			b.Run(fmt.Sprintf("%d vertices, %d edges", n, len(edges)), func(b *testing.B) {
				chosen := make([]bool, len(edges))
				for b.Loop() {
					if _, err := Largest(chosen, n, edges, weights, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
