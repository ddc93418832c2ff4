package assignment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
)

// total returns what an assignment earns, or NaN if it uses a column twice.
func total(gain []float64, column []int32) float64 {
	n := len(column)
	used := make([]bool, n)
	var sum float64
	for i, j := range column {
		if used[j] {
			return math.NaN()
		}
		used[j] = true
		sum += gain[i*n+int(j)]
	}
	return sum
}

// bruteForce returns the most that any assignment of the rows from i on to unused columns earns.
func bruteForce(gain []float64, n, i int, used []bool) float64 {
	if i == n {
		return 0
	}
	best := math.Inf(-1)
	for j := range n {
		if !used[j] {
			used[j] = true
			best = max(best, gain[i*n+j]+bruteForce(gain, n, i+1, used))
			used[j] = false
		}
	}
	return best
}

var draws = map[string]func(*rand.Rand) float64{
	"normal":   func(r *rand.Rand) float64 { return r.NormFloat64() },
	"ties":     func(r *rand.Rand) float64 { return float64(r.IntN(3) - 1) },
	"sparse":   func(r *rand.Rand) float64 { return r.NormFloat64() * float64(r.IntN(4)/3) },
	"mixed":    func(r *rand.Rand) float64 { return r.NormFloat64() * math.Exp(4*r.NormFloat64()) },
	"negative": func(r *rand.Rand) float64 { return -1 - r.Float64() },
}

// TestSolve compares with all assignments up to 7 rows.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var w Workspace
	for name, draw := range slicex.InOrder(draws) {
		for n := 1; n <= 7; n++ {
			for range 400 / (n * n) {
				gain := w.Reset(n)
				var size float64
				for k := range gain {
					gain[k] = draw(rng)
					size += math.Abs(gain[k])
				}
				column := make([]int32, n)
				w.Solve(column)
				want := bruteForce(gain, n, 0, make([]bool, n))
				if got := total(gain, column); !(math.Abs(got-want) <= 1e-13*size) {
					t.Fatalf("%s, n = %d: %v earns %v, the best of all %v", name, n, column, got, want)
				}
			}
		}
	}
}

// TestDuality proves the solution of larger instances: no potentials add up to less than any assignment costs, and these
// add up to what the assignment found costs.
func TestDuality(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var w Workspace
	for name, draw := range slicex.InOrder(draws) {
		const n = 80
		gain := w.Reset(n)
		var size float64
		for k := range gain {
			gain[k] = draw(rng)
			size = max(size, math.Abs(gain[k]))
		}
		column := make([]int32, n)
		w.Solve(column)
		bound := 0.0
		for i := range n {
			bound -= w.rowPrice[i] + w.colPrice[i]
			for j := range n {
				if reduced := -gain[i*n+j] - w.rowPrice[i] - w.colPrice[j]; reduced < -1e-12*size {
					t.Fatalf("%s: the reduced cost of cell (%d, %d) is %v", name, i, j, reduced)
				}
			}
		}
		if got := total(gain, column); !(math.Abs(got-bound) <= 1e-11*size) {
			t.Errorf("%s: the assignment earns %v, the potentials bound it by %v", name, got, bound)
		}
	}
}

// TestNoGains: rows get the columns of their own numbers.
func TestNoGains(t *testing.T) {
	var w Workspace
	for _, n := range []int{1, 2, 50} {
		clear(w.Reset(n))
		column := make([]int32, n)
		w.Solve(column)
		if !slices.IsSorted(column) || math.IsNaN(total(w.gain, column)) {
			t.Errorf("n = %d: the columns are %v", n, column)
		}
	}
}

// TestWrongLength: a destination of another length is the caller's bug.
func TestWrongLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Solve accepts a destination that is too short")
		}
	}()
	var w Workspace
	clear(w.Reset(3))
	w.Solve(make([]int32, 2))
}

func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{10, 100, 500} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, uint64(n)))
			var w Workspace
			for k, gain := 0, w.Reset(n); k < len(gain); k++ {
				gain[k] = rng.NormFloat64()
			}
			column := make([]int32, n)
			b.ReportAllocs()
			for b.Loop() {
				w.Solve(column)
			}
		})
	}
}

// TestPolled: a refusal ends the work, and is returned.
func TestPolled(t *testing.T) {
	var w Workspace
	gain := w.Reset(3)
	clear(gain)
	refusal, calls := errors.New("enough"), 0
	err := w.SolvePolled(make([]int32, 3), func() error {
		if calls++; calls == 2 {
			return refusal
		}
		return nil
	})
	if err != refusal || calls != 2 {
		t.Errorf("after %d polls the error is %v", calls, err)
	}
}
