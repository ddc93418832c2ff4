package decode_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/decode"
	"combpred/core/partition"
	"combpred/core/structure"
)

// BenchmarkRows are the cheapest rows there are, of one space and of as many as there are rows, so that what a batch itself costs shows.
func BenchmarkRows(b *testing.B) {
	const d = 5
	space, err := structure.New("multiclass", structure.Args{Scalars: map[string]int64{"n": d}})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 100_000} {
		scores := make([]float64, n*d)
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range scores {
			scores[i] = rng.NormFloat64()
		}
		of, spaces := make([]int32, n), make([]structure.Space, n+1)
		for i := range of {
			of[i], spaces[i] = int32((i*7919)%n), space
		}
		spaces[n] = space
		for _, c := range []struct {
			name string
			rows func() *structure.Batch
		}{
			{"one space", func() *structure.Batch {
				return structure.OneSpaceLinear(space, blas64.General{Rows: n, Cols: d, Stride: d, Data: scores})
			}},
			{"a space each", func() *structure.Batch {
				rows, err := structure.NewBatch(n, spaces, of, nil, scores, nil)
				if err != nil {
					b.Fatal(err)
				}
				return rows
			}},
		} {
			y, logZ := make([]int32, n), make([]float64, n)
			b.Run(fmt.Sprintf("decode/%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					if err := decode.Batch(c.rows(), decode.Auto, 0, y, nil, 1, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
			b.Run(fmt.Sprintf("partition/%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					if err := partition.Batch(c.rows(), logZ, nil, 1, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}
