package parallel

import (
	"math/rand/v2"
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
