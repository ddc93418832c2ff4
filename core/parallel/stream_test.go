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

// Streams of rows follow from their entries: sparse ones are those of dense ones, equal rows are told apart, and others are not disturbed.
func TestStreamsOfRows(t *testing.T) {
	dense := [][]float64{{1, 0, -2}, {1, -2, 0}, {1, 0, -2}, {0, 0, 0}, {1, math.Copysign(0, -1), -2}, {-2, 0, 1}}
	streams := RowStreams(len(dense), func(i int) []float64 { return dense[i] })
	seen := make(map[uint64]bool)
	for _, s := range streams {
		seen[s] = true
	}
	if len(seen) != len(dense) {
		t.Errorf("%d rows have %d streams", len(dense), len(seen))
	}
	if got := RowStream([]int32{2, 0}, []float64{-2, 1}); got != streams[0] {
		t.Errorf("the sparse row has stream %#x, the dense one %#x", got, streams[0])
	}
	without := RowStreams(4, func(i int) []float64 { return dense[i+2] })
	if want := []uint64{streams[0], streams[3], streams[2], streams[5]}; !slices.Equal(without, want) {
		t.Errorf("the streams of the last four rows are %v, they were %v", without, want)
	}
}
