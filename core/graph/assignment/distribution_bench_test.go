package assignment

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkDistribution(b *testing.B) {
	for _, n := range []int{2, 4, 6, 10, 14} {
		for _, scale := range []float64{1, 20, 300} {
			rng := rand.New(rand.NewPCG(3, uint64(n)))
			gain, cells := make([]float64, n*n), make([]float64, n*n)
			for k := range gain {
				gain[k] = scale * rng.NormFloat64()
			}
			var d Distribution
			name := fmt.Sprintf("rows=%d/scale=%g/", n, scale)
			b.Run(name+"sum", func(b *testing.B) {
				for b.Loop() {
					copy(d.Reset(n), gain)
					if _, err := d.Sum(nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"cells", func(b *testing.B) {
				for b.Loop() {
					copy(d.Reset(n), gain)
					if _, err := d.Sum(nil); err != nil {
						b.Fatal(err)
					}
					if err := d.CellsTo(cells, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			column := make([]int32, n)
			b.Run(name+"draw", func(b *testing.B) {
				for b.Loop() {
					d.DrawTo(column, rng)
				}
			})
		}
	}
}
