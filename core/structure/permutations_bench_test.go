package structure

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"combpred/core/structure/examples"
)

// BenchmarkDecodePermutations decodes rankings with Gaussian scores, the hardest case: such scores rarely fall into
// components.
func BenchmarkDecodePermutations(b *testing.B) {
	for _, n := range []int{5, 10, 13, 16, 20} {
		b.Run(fmt.Sprintf("labels=%d", n), func(b *testing.B) {
			space, scores := gaussianRankings(b, n)
			dst := make([]int32, n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := space.(Decoder).Decode(dst, scores[i%len(scores)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecodeConsistent decodes rankings of 100 labels whose scores come from a potential with a little noise,
// which fall into small components.
func BenchmarkDecodeConsistent(b *testing.B) {
	const n = 100
	space, scores := gaussianRankings(b, n)
	for _, s := range scores {
		pair := 0
		for u := range n {
			for v := u + 1; v < n; v++ {
				s.Linear[pair] = float64(v-u) + 2*s.Linear[pair]
				pair++
			}
		}
	}
	dst := make([]int32, n)
	refused := 0
	for i := 0; b.Loop(); i++ {
		_, err := space.(Decoder).Decode(dst, scores[i%len(scores)])
		if _, ok := errors.AsType[*LimitError](err); ok {
			refused++
		}
	}
	b.ReportMetric(float64(refused)/float64(b.N), "refused/op")
}

// BenchmarkSearchPermutations searches rankings with Gaussian scores beyond the exact method.
func BenchmarkSearchPermutations(b *testing.B) {
	for _, n := range []int{30, 100, 300} {
		b.Run(fmt.Sprintf("labels=%d", n), func(b *testing.B) {
			space, scores := gaussianRankings(b, n)
			dst := make([]int32, n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := space.(Searcher).Search(dst, scores[i%len(scores)], nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func gaussianRankings(tb testing.TB, n int) (Space, []Scores) {
	space, err := build("permutations", examples.Sized(int64(n)))
	if err != nil {
		tb.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	scores := make([]Scores, 64)
	for i := range scores {
		scores[i].Linear = make([]float64, space.FeatureLen())
		for j := range scores[i].Linear {
			scores[i].Linear[j] = rng.NormFloat64()
		}
	}
	return space, scores
}
