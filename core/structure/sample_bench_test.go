package structure

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"combpred/core/parallel"
	"combpred/core/structure/examples"
)

// BenchmarkSample measures uniform draws at sizes of everyday use, each from a random stream of its own, as the C
// interface makes them.
func BenchmarkSample(b *testing.B) {
	sizes := []struct {
		name string
		args examples.Args
	}{
		{"permutations", examples.Sized(5)}, {"permutations", examples.Sized(10)}, {"permutations", examples.Sized(20)},
		{"permutations", examples.Sized(100)}, {"permutations", examples.Sized(1000)},
		{"weakorders", examples.Sized(5)}, {"weakorders", examples.Sized(10)}, {"weakorders", examples.Sized(100)},
		{"cycles", examples.Sized(5)}, {"cycles", examples.Sized(10)}, {"cycles", examples.Sized(100)},
		{"directedcycles", examples.Sized(10)}, {"routes", examples.Sized(10)}, {"routes", examples.Sized(30)},
		{"assignments", examples.Sized(10)}, {"labelsets", examples.Sized(20)}, {"labelsets", examples.SizedSets(100, 20)},
		{"cliques", examples.Sized(20)}, {"graphs", examples.Sized(8)}, {"tournaments", examples.Sized(8)},
		{"partialorders", examples.PartialOrders(5, 0)}, {"partialorders", examples.PartialOrders(7, 0)},
		{"spanningtrees", examples.Complete(8)}, {"spanningtrees", examples.Complete(30)},
		{"spanningtrees", examples.GridGraph(8, 8)},
		{"subtrees", examples.Subtrees(examples.BinaryTree(31))}, {"subtrees", examples.Subtrees(examples.BinaryTree(1023))},
		{"paths", examples.Grid(8, 8)}, {"paths", examples.Grid(50, 50)},
		{"hierarchy", examples.Hierarchy(examples.BinaryTree(31), nil)}, {"multiclass", examples.Sized(10)},
	}
	for _, size := range sizes {
		space, err := build(size.name, size.args)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%v", space), func(b *testing.B) {
			var source rand.PCG
			rng, dst := rand.New(&source), make([]int32, space.PartLen())
			space.(Sampler).Sample(dst, rng) // fills tables
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				parallel.Stream(&source, 1, i)
				space.(Sampler).Sample(dst, rng)
			}
		})
	}
}
