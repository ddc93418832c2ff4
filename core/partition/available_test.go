package partition_test

import (
	"math"
	"testing"

	"combpred/core/partition"
)

// TestSeconds: operations count by the rate at which the structure does them.
func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int64
		rate float64
	}{{"permutations", 10, 3e8}, {"partialorders", 5, 5e9}} {
		space := build(t, c.name, map[string]int64{"n": c.n})
		_, cost, err := partition.Choose(space, true)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := partition.Seconds(space, true); err != nil || math.Abs(got*c.rate-cost) > 1e-9*cost {
			t.Errorf("%s take %v s for %v operations, error %v", c.name, got, cost, err)
		}
	}
	if _, err := partition.Seconds(build(t, "permutations", map[string]int64{"n": 40}), false); err == nil {
		t.Error("a time is known for what cannot be done")
	}
}
