package structure

import (
	"math"
	"slices"
	"testing"
)

// The embedding of a ranking with ties that is known in part is the mean over the rankings that have its known labels in the same
// order, with the same ties.
func TestPartialWeakOrdersEmbedAsTheirMean(t *testing.T) {
	const n = 5
	space := newWeakOrders(n)
	var members [][]int32
	for y := range space.All() {
		members = append(members, slices.Clone(y))
	}
	agrees := func(y []int32, row []float64) bool {
		for u := range row {
			for v := range u {
				if row[u] >= 0 && row[v] >= 0 && ((row[u] < row[v]) != (y[u] < y[v]) || (row[u] == row[v]) != (y[u] == y[v])) {
					return false
				}
			}
		}
		return true
	}
	known, row := make([]int32, n), make([]float64, n)
	for at, full := range members {
		for u, rank := range full { // every mask turns up among 541 members
			row[u] = float64(rank)
			if at>>u&1 == 1 {
				row[u] = -1
			}
		}
		if err := space.ReadPartial(known, row); err != nil {
			t.Fatal(err)
		}
		expectMean(t, space, members, known, func(y []int32) bool { return agrees(y, row) }, 1e-14)
	}
}

// Of rankings that are not known at all, the mean is that of the space, however large it is.
func TestUnknownWeakOrdersEmbedAsTheMean(t *testing.T) {
	for _, n := range []int{2, 9, 300} {
		space := newWeakOrders(n)
		got, want := make([]float64, space.FeatureLen()), make([]float64, space.FeatureLen())
		space.EmbedPartial(got, make([]int32, n))
		space.Mean(want)
		for j, v := range want {
			if math.Abs(got[j]-v) > 1e-13 {
				t.Fatalf("n = %d: entry %d is %g, the mean is %g", n, j, got[j], v)
			}
		}
	}
}

func TestPartialWeakOrdersAreChecked(t *testing.T) {
	space := newWeakOrders(3)
	for _, y := range [][]int32{{1, 3, unknown}, {-1, 1, 2}, {4, unknown, unknown}, {2, unknown, 2}} {
		if space.CheckPartial(y) == nil {
			t.Errorf("%v is accepted", y)
		}
	}
	for _, y := range [][]int32{{unknown, unknown, unknown}, {1, 1, unknown}, {2, unknown, 1}, {1, 1, 1}} {
		if err := space.CheckPartial(y); err != nil {
			t.Error(err)
		}
	}
	dst := make([]int32, 3)
	if err := space.ReadPartial(dst, []float64{math.NaN(), 7.5, 2}); err != nil || !slices.Equal(dst, []int32{unknown, 2, 1}) {
		t.Errorf("read as %v, %v", dst, err)
	}
	expectError(t, space.ReadPartial(dst, []float64{1, -2, 3}), "found -2 in column 1; positions are finite numbers from 0 on, "+
		"compared by their order, or -1 where they are unknown")
	for _, x := range []float64{math.Inf(1), math.Inf(-1), -1.5} {
		if space.ReadPartial(dst, []float64{1, x, -1}) == nil {
			t.Errorf("%v is accepted", x)
		}
	}
}
