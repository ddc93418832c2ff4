package partition_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"combpred/core/partition"
	"combpred/core/structure"
)

// BenchmarkList sums over a long list of outputs and over a short one, for one row and for many, and over the outputs of
// the long list as if only their enumeration were known.
func BenchmarkList(b *testing.B) {
	for _, c := range []struct {
		outputs, d int
		listed     bool
	}{{16384, 105, false}, {16384, 105, true}, {20, 5, false}, {20, 5, true}} {
		rng := rand.New(rand.NewPCG(1, 2))
		psi := matrix(c.outputs, c.d, rng.NormFloat64)
		scalars := map[string]int64{"members": int64(c.outputs), "d": int64(c.d)}
		space, err := structure.New("custom", structure.Args{Scalars: scalars, Reals: psi.Data})
		if err != nil {
			b.Fatal(err)
		}
		if c.listed {
			space = listOnly{space, space.(structure.Enumerator)}
		}
		for _, rows := range []int{1, 32, 1000} {
			b.Run(fmt.Sprintf("outputs=%d/table=%t/rows=%d", c.outputs, !c.listed, rows), func(b *testing.B) {
				scores := matrix(rows, c.d, rng.NormFloat64)
				logZ, means := make([]float64, rows), matrix(rows, c.d, func() float64 { return 0 })
				for b.Loop() {
					if err := partition.Batch(structure.OneSpaceLinear(space, scores), logZ, means.Data, 2, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			})
		}
	}
}
