package ordering

import (
	"math/rand/v2"
	"testing"

	"combpred/core/relation"
	"combpred/core/slicex"
)

// BenchmarkSearches measures what is found without proof among 60 items with Gaussian gains.
func BenchmarkSearches(b *testing.B) {
	const n = 60
	rng := rand.New(rand.NewPCG(5, n))
	gain := make([]float64, n*n)
	fillWith(gain, n, func(int, int) float64 { return rng.NormFloat64() })
	order := make([]int32, n)
	var before Partial
	before.Reset(n)
	for v := range n - 1 {
		if v%3 != 2 {
			before.Close(v, v+1)
		}
	}
	for name, required := range slicex.InOrder(map[string]*Partial{"": nil, "Required": &before}) {
		var w Workspace
		load := func() {
			copy(w.Reset(n), gain)
			if required != nil {
				w.Require(required)
			}
		}
		b.Run("Start"+name, func(b *testing.B) {
			for b.Loop() {
				load()
				w.Start(order)
			}
		})
		b.Run("Search"+name, func(b *testing.B) {
			for b.Loop() {
				load()
				w.Search(order, nil)
			}
		})
	}
	var p PartialWorkspace
	b.Run("StartPartial", func(b *testing.B) {
		for b.Loop() {
			copy(p.Reset(n), gain)
			p.Start()
		}
	})
	b.Run("SearchPartial", func(b *testing.B) {
		for b.Loop() {
			copy(p.Reset(n), gain)
			p.Search(1e9, nil)
		}
	})
	pairs := make([][2]int32, 0, n)
	for v := range n - 1 {
		pairs = append(pairs, [2]int32{int32(v), int32(v + 1)})
	}
	b.Run("Requirement", func(b *testing.B) {
		for b.Loop() {
			NewRequirement(n, pairs)
		}
	})
	var g relation.Digraph
	b.Run("Components", func(b *testing.B) {
		for b.Loop() {
			g.Reset(n)
			for u := range n {
				for v := range n {
					if u != v && gain[u*n+v] > 1 {
						g.Add(u, v)
					}
				}
			}
			g.ComponentsTo(order)
		}
	})
}
