package spanning

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchmarked are graphs with standard normal weights; the last ones are sparse, or have weights too far apart for floats.
func benchmarked(b *testing.B, run func(b *testing.B, g *Graph, weight []float64)) {
	rng := rand.New(rand.NewPCG(9, 1))
	on := func(name string, n int, edges [][2]int32, scale float64) {
		g := mustNew(b, n, edges)
		weight := make([]float64, len(edges))
		for i := range weight {
			weight[i] = scale * rng.NormFloat64()
		}
		b.Run(name, func(b *testing.B) { run(b, g, weight) })
	}
	for _, n := range []int{10, 20, 50, 100} {
		on(fmt.Sprintf("complete=%d", n), n, complete(n), 1)
	}
	on("complete=50/scale=3", 50, complete(50), 3)
	on("complete=50/scale=700", 50, complete(50), 700)
	on("grid=10x10", 100, grid(10, 10), 1)
	on("grid=30x30", 900, grid(30, 30), 1)
	on("random=100", 100, random(100, 300, rng), 1)
}

func BenchmarkLogSum(b *testing.B) {
	benchmarked(b, func(b *testing.B, g *Graph, weight []float64) {
		for b.Loop() {
			g.LogSum(weight, nil)
		}
	})
}

func BenchmarkEdges(b *testing.B) {
	benchmarked(b, func(b *testing.B, g *Graph, weight []float64) {
		p := make([]float64, len(weight))
		for b.Loop() {
			g.EdgesTo(p, weight, nil)
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	benchmarked(b, func(b *testing.B, g *Graph, weight []float64) {
		s, err := g.NewSampler(weight, nil)
		if err != nil {
			b.Fatal(err)
		}
		y, rng := make([]int32, len(weight)), rand.New(rand.NewPCG(9, 2))
		for b.Loop() {
			s.DrawTo(y, rng)
		}
	})
}

func BenchmarkMaximum(b *testing.B) {
	benchmarked(b, func(b *testing.B, g *Graph, weight []float64) {
		y := make([]int32, len(weight))
		for b.Loop() {
			g.MaximumTo(y, func(e int) float64 { return weight[e] })
		}
	})
}
