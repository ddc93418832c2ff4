package ordering

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkOrders measures the recursions over subsets with Gaussian gains: the best order, ln Z, and ln Z with the
// probabilities of pairs.
func BenchmarkOrders(b *testing.B) {
	for _, n := range []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18} {
		for _, scale := range []float64{1, 20} {
			rng := rand.New(rand.NewPCG(5, uint64(n)))
			gains := make([][]float64, 64)
			for i := range gains {
				gains[i] = make([]float64, n*n)
				fillWith(gains[i], n, func(int, int) float64 { return scale * rng.NormFloat64() })
			}
			name := fmt.Sprintf("items=%d,scale=%g", n, scale)
			var d Distribution
			var w Workspace
			order, pairs := make([]int32, n), make([]float64, n*n)
			b.Run("Exact/"+name, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					copy(w.Reset(n), gains[i%len(gains)])
					if err := w.Exact(order); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("Sum/"+name, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					copy(d.Reset(n), gains[i%len(gains)])
					if _, err := d.Sum(nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("SumPairs/"+name, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					copy(d.Reset(n), gains[i%len(gains)])
					if _, err := d.Sum(nil); err != nil {
						b.Fatal(err)
					}
					if err := d.PairsTo(pairs, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
