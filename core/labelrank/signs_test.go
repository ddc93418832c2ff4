package labelrank

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
)

// TestPositionsAreReadByTheirOrder: against comparisons of all pairs, with ties and unknown positions.
func TestPositionsAreReadByTheirOrder(t *testing.T) {
	const n, k = 50, 5
	rng := rand.New(rand.NewPCG(6, 6))
	positions := linalg.NewMatrix[float64](n, k)
	for at := range positions.Data {
		positions.Data[at] = []float64{-1, math.NaN(), 0.5, 1, 2, 2.5, 1e300}[rng.IntN(7)]
	}
	ranks, signs, gaps := make([]int32, n*k), make([]int8, n*k*(k-1)/2), make([]float64, n*k*(k-1)/2)
	if err := ReadPositions(ranks, signs, gaps, positions, 2, nil); err != nil {
		t.Fatal(err)
	}
	p := 0
	for i := range n {
		row := positions.Row(i)
		var known []float64
		for _, at := range row {
			if at > 0 {
				known = append(known, at)
			}
		}
		slices.Sort(known)
		known = slices.Compact(known)
		for u, at := range row {
			if rank := int32(slices.Index(known, at) + 1); ranks[i*k+u] != rank {
				t.Fatalf("row %d, %v: rank %d of label %d, want %d", i, row, ranks[i*k+u], u, rank)
			}
			for _, other := range row[u+1:] {
				sign, gap := int8(0), 1.0
				if at > 0 && other > 0 {
					sign, gap = int8(cmp.Compare(other, at)), math.Abs(other-at)
				}
				if signs[p] != sign || gaps[p] != gap {
					t.Fatalf("row %d, %v: sign %d and gap %g of pair %d, want %d and %g", i, row, signs[p], gaps[p], p, sign, gap)
				}
				p++
			}
		}
	}
}

func TestPositionsAreRefused(t *testing.T) {
	for _, wrong := range []float64{0, -2, math.Inf(1), math.Inf(-1)} {
		positions := linalg.NewMatrix[float64](3, 2)
		for at := range positions.Data {
			positions.Data[at] = 1
		}
		positions.Data[3] = wrong
		err := ReadPositions(make([]int32, 6), make([]int8, 3), nil, positions, 1, nil)
		if fault.RowOf(err) != 1 {
			t.Errorf("%g: %v", wrong, err)
		}
	}
}
