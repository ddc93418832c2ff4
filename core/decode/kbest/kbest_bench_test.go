package kbest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/structure"
)

// BenchmarkPartition lists the best rankings by partitioning: 200 of 6 labels, and of more labels fewer.
func BenchmarkPartition(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, most int
	}{{"permutations", 6, 200}, {"permutations", 12, 50}, {"weakorders", 5, 200}, {"partialorders", 5, 100}} {
		b.Run(fmt.Sprintf("%s=%d", c.name, c.n), func(b *testing.B) {
			space, err := structure.New(c.name, structure.Args{Scalars: map[string]int64{"n": int64(c.n)}})
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			scores := blas64.General{Rows: 1, Cols: space.FeatureLen(), Stride: space.FeatureLen()}
			for range scores.Cols {
				scores.Data = append(scores.Data, rng.NormFloat64()+2) // few cycles of preferences
			}
			dst := make([]int32, c.most*space.PartLen())
			b.ResetTimer()
			for range b.N {
				o := Options{Method: Partition, Nu: 1}
				if _, err := Batch(structure.OneSpaceLinear(space, scores), o, c.most, dst, nil, 1, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
