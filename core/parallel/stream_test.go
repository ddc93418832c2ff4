package parallel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSplitMixIsABijectionOnASample(t *testing.T) {
	seen := make(map[uint64]bool)
	for i := range uint64(10_000) {
		seen[mix(i)] = true
	}
	if len(seen) != 10_000 {
		t.Errorf("%d values", len(seen))
	}
	// First output of SplitMix64 with seed 0, as published with the reference implementation.
	if got := mix(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("mix(0) = %#x", got)
	}
}

func TestStreams(t *testing.T) {
	var source rand.PCG
	first := func(seed uint64, i int) uint64 {
		Stream(&source, seed, i)
		return source.Uint64()
	}
	seen := make(map[uint64]bool)
	for seed := range uint64(50) {
		for i := range 50 {
			seen[first(seed, i)] = true
		}
	}
	if len(seen) != 2500 {
		t.Errorf("2500 streams begin with %d different numbers", len(seen))
	}
	if once, again := first(3, 4), first(3, 4); once != again {
		t.Error("a stream is not the same the second time")
	}
}

// Streams of rows follow from their entries, whatever zeros are between them: sparse ones are those of dense ones.
func TestStreamsOfRows(t *testing.T) {
	seen := make(map[uint64]bool)
	for _, dense := range [][]float64{{1, 0, -2}, {1, -2, 0}, {0, 0, 0}, {-2, 0, 1}, {2, 0, -1}} {
		seen[RowStream(nil, dense)] = true
	}
	if len(seen) != 5 {
		t.Errorf("5 rows have %d streams", len(seen))
	}
	dense := RowStream(nil, []float64{1, math.Copysign(0, -1), -2})
	if got := RowStream([]int32{2, 0}, []float64{-2, 1}); got != dense || !seen[got] {
		t.Errorf("the sparse row has stream %#x, the dense one %#x", got, dense)
	}
}

func TestApart(t *testing.T) {
	streams := []uint64{7, 8, 7, 7, 8}
	Apart(streams, nil)
	want := []uint64{7, 8, Substream(7, 1), Substream(7, 2), Substream(8, 1)}
	if !slices.Equal(streams, want) {
		t.Errorf("%v, want %v", streams, want)
	}
	streams = []uint64{7, 7, 7}
	Apart(streams, func(i int) int { return i / 2 })
	if want := []uint64{7, Substream(7, 1), 7}; !slices.Equal(streams, want) {
		t.Errorf("of two groups %v, want %v", streams, want)
	}
}
