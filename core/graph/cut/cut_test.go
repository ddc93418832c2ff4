package cut

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"
)

func random(rng *rand.Rand, n int, density float64, weight func() float64) (edges [][2]int32, weights []float64) {
	for u := range int32(n) {
		for v := range u {
			if rng.Float64() < density {
				edges, weights = append(edges, [2]int32{v, u}), append(weights, weight())
			}
		}
	}
	return edges, weights
}

// heaviest returns the largest weight over all ways to put the vertices on two sides.
func heaviest(n int, edges [][2]int32, same []bool, weights []float64) (best float64) {
	for sides := range 1 << (n - 1) {
		var value float64
		for i, e := range edges {
			if (sides>>e[0]&1 == sides>>e[1]&1) == asks(same, i) {
				value += max(weights[i], 0)
			}
		}
		best = max(best, value)
	}
	return best
}

func asks(same []bool, edge int) bool { return same != nil && same[edge] }

// valueOf returns the weight of the chosen edges, which vertices on two sides must be able to keep.
func valueOf(t *testing.T, n int, edges [][2]int32, same []bool, weights []float64, chosen []bool) (value float64) {
	t.Helper()
	side := make([]int, n)
	for start := range side {
		if side[start] != 0 {
			continue
		}
		side[start] = 1
		for changed := true; changed; {
			changed = false
			for i, e := range edges {
				if a, b := side[e[0]], side[e[1]]; chosen[i] && (a == 0) != (b == 0) {
					side[e[0]], side[e[1]] = a-b, b-a // the one that has none gets the opposite
					if asks(same, i) {
						side[e[0]], side[e[1]] = a+b, a+b
					}
					changed = true
				}
			}
		}
	}
	for i, e := range edges {
		if chosen[i] {
			value += weights[i]
			if (side[e[0]] == side[e[1]]) != asks(same, i) || weights[i] <= 0 {
				t.Fatalf("edge %v of weight %v is not to be chosen", e, weights[i])
			}
		}
	}
	return value
}

func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, weight := range []func() float64{
		rng.NormFloat64, rng.ExpFloat64, func() float64 { return float64(rng.IntN(4) - 1) },
	} {
		for range 300 {
			n := 2 + rng.IntN(9)
			edges, weights := random(rng, n, rng.Float64(), weight)
			compare(t, n, edges, nil, weights)
			var same []bool
			for _, e := range edges[:rng.IntN(len(edges)+1)] { // some are parallel to others
				edges, weights = append(edges, e), append(weights, weight())
			}
			for range edges {
				same = append(same, rng.IntN(2) == 0)
			}
			compare(t, n, edges, same, weights)
		}
	}
}

// compare checks what is found, and what is said of it, against all ways to put the vertices on two sides.
func compare(t *testing.T, n int, edges [][2]int32, same []bool, weights []float64) {
	t.Helper()
	best, chosen := heaviest(n, edges, same, weights), make([]bool, len(edges))
	p := NewSigned(n, edges, same, weights)
	bound := p.Start(chosen)
	value := valueOf(t, n, edges, same, weights, chosen)
	if bound < best-1e-12 || value < bound/2-1e-12 || value > best+1e-12 {
		t.Fatalf("start: %v with the bound %v, the best is %v", value, bound, best)
	}
	p.Solve(chosen)
	if value := valueOf(t, n, edges, same, weights, chosen); value < best-1e-12 {
		t.Fatalf("%v, the best is %v", value, best)
	}
	if bound, err := p.Search(chosen, nil); err != nil || bound < best-1e-12 || bound > best+1e-12 {
		t.Fatalf("search has the bound %v, the best is %v; error %v", bound, best, err)
	}
}

// TestLarge: in a graph with two sides all edges are kept, at any size; complete graphs of n vertices lose as many edges
// as their halves have, and the triangles prove at least a third of all lost.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var edges [][2]int32
	var weights []float64
	for u := range int32(50) {
		for v := range int32(50) {
			if rng.IntN(4) == 0 {
				edges, weights = append(edges, [2]int32{u, 50 + v}), append(weights, 1)
			}
		}
	}
	chosen := make([]bool, len(edges))
	p := New(100, edges, weights)
	bound, err := p.Search(chosen, func() error { return nil })
	if value := valueOf(t, 100, edges, nil, weights, chosen); err != nil || value != float64(len(edges)) || bound != value {
		t.Errorf("%v of %d edges, bound %v, error %v", value, len(edges), bound, err)
	}
	for _, n := range []int{11, 30} {
		edges, weights := random(rng, n, 1, func() float64 { return 1 })
		chosen := make([]bool, len(edges))
		p := New(n, edges, weights)
		bound, err := p.Search(chosen, nil)
		best := float64(n / 2 * ((n + 1) / 2))
		value := valueOf(t, n, edges, nil, weights, chosen)
		if err != nil || value != best || bound < best || bound > 0.75*float64(len(edges)) {
			t.Errorf("%d vertices: %v of %d edges, bound %v, error %v", n, value, len(edges), bound, err)
		}
	}
	stop := errors.New("stop")
	edges, weights = random(rng, 30, 1, rng.Float64)
	if _, err := New(30, edges, weights).Search(make([]bool, len(edges)), func() error { return stop }); err != stop {
		t.Errorf("the error is %v", err)
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{10, 16, 20, 24} {
		for kind, weight := range slicex.InOrder(map[string]func() float64{
			"equal": func() float64 { return 1 }, "uniform": rand.New(rand.NewPCG(1, 1)).Float64,
		}) {
			edges, weights := random(rand.New(rand.NewPCG(1, 1)), n, 1, weight)
			b.Run(fmt.Sprintf("%d vertices, %s", n, kind), func(b *testing.B) {
				chosen := make([]bool, len(edges))
				for b.Loop() {
					New(n, edges, weights).Solve(chosen)
				}
			})
		}
	}
}
