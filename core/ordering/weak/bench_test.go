package weak

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkDistribution(b *testing.B) {
	for _, n := range []int{2, 3, 5, 8, 11} {
		for _, scale := range []float64{1, 20, 300} {
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			forth, level := make([]float64, n*n), make([]float64, n*n)
			for u := range n {
				for v := range u {
					g := scale * rng.NormFloat64()
					forth[u*n+v], forth[v*n+u], level[v*n+u] = g, -g, scale*rng.NormFloat64()
				}
			}
			var d Distribution
			before, tie := make([]float64, n*n), make([]float64, n*n)
			sum := func(b *testing.B) {
				g, t := d.Reset(n)
				copy(g, forth)
				copy(t, level)
				if _, err := d.Sum(nil); err != nil {
					b.Fatal(err)
				}
			}
			name := fmt.Sprintf("items=%d/scale=%g/", n, scale)
			b.Run(name+"sum", func(b *testing.B) {
				for b.Loop() {
					sum(b)
				}
			})
			b.Run(name+"pairs", func(b *testing.B) {
				for b.Loop() {
					sum(b)
					if err := d.PairsTo(before, tie, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			rank := make([]int32, n)
			b.Run(name+"draw", func(b *testing.B) {
				sum(b)
				for b.Loop() {
					d.DrawTo(rank, rng)
				}
			})
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{5, 8, 10, 12, 16} {
		for _, name := range []string{"Gaussian", "tied", "strict"} {
			var w Workspace
			draw := gainDraws(rand.New(rand.NewPCG(7, uint64(n))))[name]
			fillAll(w.Reset(n), n, draw)
			rank := make([]int32, n)
			b.Run(fmt.Sprintf("items=%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					if err := w.Exact(rank); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	const n = 60
	var w Workspace
	fillAll(w.Reset(n), n, gainDraws(rand.New(rand.NewPCG(7, n)))["Gaussian"])
	rank := make([]int32, n)
	b.Run("search=60", func(b *testing.B) {
		for b.Loop() {
			w.Search(rank, nil)
		}
	})
}
