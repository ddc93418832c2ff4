package partition_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"combpred/core/partition"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// table returns a space of the given outputs.
func table(t *testing.T, psi blas64.General) structure.Space {
	t.Helper()
	scalars := map[string]int64{"members": int64(psi.Rows), "d": int64(psi.Cols)}
	space, err := structure.New("custom", structure.Args{Scalars: scalars, Reals: psi.Data})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// TestBlocksAgreeWithSums: lists that are shorter than a block of outputs, just as long, one longer and of several blocks,
// for fewer rows than a group and for more, against sums in two passes over each row; with scores of up to ±700 that rise
// and fall along the list, so that the largest is found in any block.
func TestBlocksAgreeWithSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ outputs, d, rows int }{
		{1, 1, 3}, {20, 5, 1}, {511, 3, 2}, {512, 3, 300}, {513, 4, 257}, {1700, 9, 7}, {40, 30000, 2},
	} {
		psi := matrix(c.outputs, c.d, rng.NormFloat64)
		for i := range c.outputs {
			psi.Data[i*c.d] = math.Sin(float64(i) / 100)
		}
		scores := matrix(c.rows, c.d, rng.NormFloat64)
		for i := range c.rows {
			scores.Data[i*c.d] = 700 * math.Cos(float64(i))
		}
		wantZ, wantMean := make([]float64, c.rows), matrix(c.rows, c.d, func() float64 { return 0 })
		for i := range c.rows {
			wantZ[i] = sumOver(psi, scores.Data[i*c.d:(i+1)*c.d], wantMean.Data[i*c.d:(i+1)*c.d])
		}
		space := table(t, psi)
		for name, s := range slicex.InOrder(map[string]structure.Space{
			"table": space, "list": listOnly{space, space.(structure.Enumerator)},
		}) {
			t.Run(fmt.Sprintf("%s/%d×%d/%d rows", name, c.outputs, c.d, c.rows), func(t *testing.T) {
				var first []float64
				for _, workers := range []int{1, 3} {
					z, mean := make([]float64, c.rows), matrix(c.rows, c.d, math.NaN)
					if err := partition.Batch(structure.OneSpaceLinear(s, scores), z, mean.Data, workers, nil); err != nil {
						t.Fatal(err)
					}
					for i, v := range z {
						if !(math.Abs(v-wantZ[i]) <= 1e-13*max(1, math.Abs(wantZ[i]))) {
							t.Errorf("row %d: ln Z is %v, want %v", i, v, wantZ[i])
						}
					}
					for i, v := range mean.Data {
						if !(math.Abs(v-wantMean.Data[i]) <= 1e-11) {
							t.Fatalf("marginal %d is %v, want %v", i, v, wantMean.Data[i])
						}
					}
					alone := make([]float64, c.rows)
					if err := partition.Batch(structure.OneSpaceLinear(s, scores), alone, nil, workers, nil); err != nil || !slices.Equal(alone, z) {
						t.Errorf("without marginals ln Z differs, or fails with %v", err)
					}
					got := append(z, mean.Data...)
					if first == nil {
						first = got
					}
					if !slices.Equal(first, got) {
						t.Errorf("%d workers give other numbers than 1", workers)
					}
				}
			})
		}
	}
}

// sumOver returns ln Σ exp⟨s, ψ⟩ over the rows of psi, and adds the mean of ψ to mean.
func sumOver(psi blas64.General, s, mean []float64) float64 {
	values := make([]float64, psi.Rows)
	for k := range values {
		for j, v := range s {
			values[k] += v * psi.Data[k*psi.Stride+j]
		}
	}
	top, sum := slices.Max(values), 0.0
	for _, v := range values {
		sum += math.Exp(v - top)
	}
	for k, v := range values {
		for j := range mean {
			mean[j] += math.Exp(v-top) / sum * psi.Data[k*psi.Stride+j]
		}
	}
	return top + math.Log(sum)
}

// TestOverflowIsRefused: entries of ψ may be so large that scores overflow, in either direction, beyond the first block and
// the first group of rows.
func TestOverflowIsRefused(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		psi := matrix(600, 1, func() float64 { return 1 })
		psi.Data[555] = sign * 1e100
		scores := matrix(300, 1, func() float64 { return 1 })
		scores.Data[280] = 1e250
		err := partition.Batch(structure.OneSpaceLinear(table(t, psi), scores), make([]float64, 300), nil, 2, nil)
		if err == nil || !strings.Contains(err.Error(), "row 280: the score of member 555 overflows") {
			t.Errorf("the error is %v, want one that names row 280 and member 555", err)
		}
	}
}
