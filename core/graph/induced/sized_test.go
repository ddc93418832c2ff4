package induced

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestFixedAndSizedSetsAreBest compares with all sets.
func TestFixedAndSizedSetsAreBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	var w Workspace
	for range 400 {
		n := 2 + rng.IntN(8)
		weight := w.Reset(n)
		fillSymmetric(weight, n, rng)
		fixed := make([]int32, n)
		var in, out uint
		for v := range fixed {
			switch rng.IntN(6) {
			case 0:
				fixed[v], in = 1, in|1<<v
			case 1:
				fixed[v], out = -1, out|1<<v
			}
		}
		w.Fix(fixed)
		lo, hi := bits.OnesCount(in), n-bits.OnesCount(out)
		size := lo + rng.IntN(hi-lo+1)
		chosen := make([]bool, n)
		free, sized := math.Inf(-1), math.Inf(-1)
		for set := range uint(1) << n {
			if set&in != in || set&out != 0 {
				continue
			}
			for v := range chosen {
				chosen[v] = set>>v&1 == 1
			}
			value := w.Value(chosen)
			free = max(free, value)
			if bits.OnesCount(set) == size {
				sized = max(sized, value)
			}
		}
		check := func(what string, best float64, k int) {
			t.Helper()
			members := 0
			for v, c := range chosen {
				if c {
					members++
				}
				if fixed[v] != 0 && c != (fixed[v] > 0) {
					t.Fatalf("%s: vertex %d is fixed to %d, chosen = %t", what, v, fixed[v], c)
				}
			}
			if k >= 0 && members != k {
				t.Fatalf("%s: %d members, want %d", what, members, k)
			}
			if value := w.Value(chosen); !(math.Abs(value-best) <= 1e-12) {
				t.Fatalf("%s: %v, the best is %v", what, value, best)
			}
		}
		if err := w.Exact(chosen); err != nil {
			t.Fatal(err)
		}
		check("Exact", free, -1)
		if err := w.ExactSized(chosen, size); err != nil {
			t.Fatal(err)
		}
		check("ExactSized", sized, size)
		if bound, err := w.SearchSized(chosen, size, nil); err != nil || bound < sized-1e-12 {
			t.Fatalf("SearchSized proves %v, the best is %v", bound, sized)
		}
		check("SearchSized, its own value", w.Value(chosen), size)
		if bound, nu, _, err := w.Search(chosen, nil); err != nil || bound < free-1e-12 || nu != 0 {
			t.Fatalf("Search proves %v with ν = %v, the best is %v", bound, nu, free)
		}
		check("Search", free, -1)
	}
}

func fillSymmetric(weight []float64, n int, rng *rand.Rand) {
	for u := range n {
		weight[u*n+u] = 0
		for v := range u {
			x := rng.NormFloat64()
			weight[u*n+v], weight[v*n+u] = x, x
		}
	}
}

func TestSizedSetsBeyondTheEffortAreRefused(t *testing.T) {
	var w Workspace
	const n = 120
	fillSymmetric(w.Reset(n), n, rand.New(rand.NewPCG(33, 34)))
	chosen := make([]bool, n)
	if err := w.ExactSized(chosen, 60); !errors.As(err, new(*SizedError)) {
		t.Errorf("60 out of 120: %v", err)
	}
	bound, err := w.SearchSized(chosen, 60, nil)
	if err != nil {
		t.Fatal(err)
	}
	if value := w.Value(chosen); !(value > 0 && value <= bound) {
		t.Errorf("search earns %v, bound %v", value, bound)
	}
}
