package structure

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkPartition measures ln Z with marginals at sizes of everyday use.
func BenchmarkPartition(b *testing.B) {
	sizes := []struct {
		name string
		args Args
	}{
		{"permutations", sized(8)}, {"permutations", sized(10)}, {"permutations", sized(16)}, {"labelsets", sizedSets(100, 20)},
		{"weakorders", sized(8)}, {"assignments", sized(10)}, {"cycles", sized(10)}, {"routes", sized(10)},
		{"spanningtrees", edgeArgs(45, completeEdges(45))}, {"cliques", sized(12)}, {"partialorders", sized(6)},
	}
	for _, size := range sizes {
		space, err := New(size.name, size.args)
		if err != nil {
			b.Fatal(err)
		}
		p, ok := space.(Partitioner)
		if !ok {
			continue
		}
		for _, spread := range []float64{1, 300} {
			b.Run(fmt.Sprintf("%v, scores of %g", space, spread), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				scores, marginals := make([]float64, space.FeatureLen()), make([]float64, space.FeatureLen())
				for i := range scores {
					scores[i] = spread * rng.NormFloat64()
				}
				for b.Loop() {
					if _, err := p.LogPartition(marginals, scores, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(p.PartitionCost(true), "operations/op")
			})
		}
	}
}
