package dag

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkChain passes through 40 layers of 8 vertices.
func BenchmarkChain(b *testing.B) {
	g, arcs := chain(b, 40, 8)
	for i := range arcs {
		arcs[i].Symbol = int32(i)
	}
	own, err := New(g.Vertices(), arcs, 0, int32(g.Vertices()-1), len(arcs))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	scores := scoresOf(len(arcs), 0, rng)
	marginals, dst, w := make([]float64, len(arcs)), make([]int32, own.Longest()), new(Workspace)
	b.Run("best", func(b *testing.B) {
		for b.Loop() {
			own.Best(dst, scores, w)
		}
	})
	b.Run("sum", func(b *testing.B) {
		for b.Loop() {
			_, _ = own.LogSum(nil, scores, w, nil)
		}
	})
	b.Run("marginals", func(b *testing.B) {
		for b.Loop() {
			_, _ = own.LogSum(marginals, scores, w, nil)
		}
	})
}
