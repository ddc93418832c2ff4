package walks

import (
	"slices"
	"testing"
)

// TestLevelsHaveEqualShares: up to one step.
func TestLevelsHaveEqualShares(t *testing.T) {
	for _, c := range [][2]int{{10, 3}, {7, 7}, {3, 5}, {1, 4}, {1000, 37}} {
		counts := make([]int, c[1])
		for step := range c[0] {
			counts[levelAt(step, c[0], c[1])]++
		}
		if slices.Max(counts)-slices.Min(counts) > 1 {
			t.Errorf("%d steps on %d levels: %v", c[0], c[1], counts)
		}
	}
}
