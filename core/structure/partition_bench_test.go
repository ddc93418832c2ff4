package structure

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"combpred/core/structure/examples"
)

// BenchmarkPartition measures ln Z with marginals at sizes of everyday use.
func BenchmarkPartition(b *testing.B) {
	sizes := []struct {
		name string
		args examples.Args
	}{
		{"permutations", examples.Sized(8)}, {"permutations", examples.Sized(10)}, {"permutations", examples.Sized(16)},
		{"labelsets", examples.SizedSets(100, 20)}, {"weakorders", examples.Sized(8)}, {"assignments", examples.Sized(10)},
		{"cycles", examples.Sized(10)}, {"routes", examples.Sized(10)}, {"spanningtrees", examples.Complete(45)},
		{"cliques", examples.Sized(12)}, {"partialorders", examples.Sized(6)},
	}
	for _, size := range sizes {
		space, err := build(size.name, size.args)
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
				b.ReportMetric(space.Facts().Sums.Marginals, "operations/op")
			})
		}
	}
}
