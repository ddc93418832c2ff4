package structure

import (
	"math"
	"slices"
	"testing"
)

// The embedding of a partially known ranking is the mean over the rankings that have its known labels in the same order, those that
// share the last position in any.
func TestPartialRankingsEmbedAsTheirMean(t *testing.T) {
	const n = 5
	space := permutations{pairs: pairs{n: n}, memo: new(memo), pool: new(pool[workspace])}
	var members [][]int32
	for y := range space.All() {
		members = append(members, slices.Clone(y))
	}
	agrees := func(y, known []int32) bool {
		for u := range known {
			for v := range known {
				if known[u] != unknown && known[v] != unknown && known[u] != known[v] && (known[u] < known[v]) != (y[u] < y[v]) {
					return false
				}
			}
		}
		return true
	}
	for at, full := range members {
		known := slices.Clone(full)
		for u := range known { // every mask turns up among 120 members
			switch {
			case at%7 < 4:
				known[u] = min(known[u], int32(2+at%7)) // at most so many are told apart
			case at>>u&1 == 1:
				known[u] = unknown
			}
		}
		expectMean(t, space, members, known, func(y []int32) bool { return agrees(y, known) }, 1e-15)
	}
}

// expectMean fails unless the embedding of what is known is, up to tol, the mean over the members that agree with it.
func expectMean(t *testing.T, space interface {
	Space
	PartialEmbedder
}, members [][]int32, known []int32, agrees func(y []int32) bool, tol float64) {
	t.Helper()
	if err := space.CheckPartial(known); err != nil {
		t.Fatal(err)
	}
	d, count := space.FeatureLen(), 0.0
	got, psi, mean := make([]float64, d), make([]float64, d), make([]float64, d)
	space.EmbedPartial(got, known)
	for _, y := range members {
		if agrees(y) {
			space.Embed(psi, y)
			for j, v := range psi {
				mean[j] += v
			}
			count++
		}
	}
	for j, v := range mean {
		if math.Abs(got[j]-v/count) > tol {
			t.Fatalf("%v: entry %d is %g, the mean is %g", known, j, got[j], v/count)
		}
	}
}

func TestPartialRankingsAreChecked(t *testing.T) {
	space := permutations{pairs: pairs{n: 3}, memo: new(memo), pool: new(pool[workspace])}
	for _, y := range [][]int32{{1, 1, 2}, {4, unknown, unknown}, {-1, 1, 2}, {1, 1, 1}, {2, 2, unknown}, {unknown, 1, 1}} {
		if space.CheckPartial(y) == nil {
			t.Errorf("%v is accepted", y)
		}
	}
	four := permutations{pairs: pairs{n: 4}, memo: new(memo), pool: new(pool[workspace])}
	expectError(t, four.CheckPartial([]int32{1, 2, unknown, 2}), "labels 1 and 3 share position 2, and that of label 2 is unknown; "+
		"a ranking has either unknown positions or a tie at its end: take the structure of rankings with ties")
	for _, y := range [][]int32{{unknown, unknown, unknown}, {1, 2, 2}, {1, 3, 3}, {3, unknown, 1}, {2, 3, 1}} {
		if err := space.CheckPartial(y); err != nil {
			t.Error(err)
		}
	}
}
