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
		if err := w.ExactWithin(chosen, size, size); err != nil {
			t.Fatal(err)
		}
		check("ExactWithin", sized, size)
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
	if err := w.ExactWithin(chosen, 60, 60); !errors.As(err, new(*SizedError)) {
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

// TestBarredPairsAndRangesOfSizes compares with all sets: the best one, the sum, the number and the probabilities of pairs.
func TestBarredPairsAndRangesOfSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	var w Workspace
	nothingLeft := 0
	for range 600 {
		n := 2 + rng.IntN(7)
		weight := w.Reset(n)
		fillSymmetric(weight, n, rng)
		for range rng.IntN(2 * n) {
			if u, v := rng.IntN(n), rng.IntN(n); u != v {
				weight[u*n+v], weight[v*n+u] = math.Inf(-1), math.Inf(-1)
			}
		}
		fixed := make([]int32, n)
		for v := range fixed {
			fixed[v] = int32(max(rng.IntN(8)-5, 0)) * int32(2*rng.IntN(2)-1)
			fixed[v] = max(-1, min(1, fixed[v]))
		}
		w.Fix(fixed)
		lo := rng.IntN(n + 1)
		hi := lo + rng.IntN(n+1-lo)
		chosen := make([]bool, n)
		best, count, sum := math.Inf(-1), 0, 0.0
		pairs := make([]float64, n*n)
		allowed := func(set uint) bool {
			for v := range chosen {
				chosen[v] = set>>v&1 == 1
				if fixed[v] != 0 && chosen[v] != (fixed[v] > 0) {
					return false
				}
			}
			size := bits.OnesCount(set)
			return lo <= size && size <= hi && !math.IsInf(w.Value(chosen), -1)
		}
		for set := range uint(1) << n {
			if !allowed(set) {
				continue
			}
			value := w.Value(chosen)
			best, sum = max(best, value), sum+math.Exp(value)
			count++
			for u := range n {
				for v := range n {
					if chosen[u] && chosen[v] {
						pairs[u*n+v] += math.Exp(value)
					}
				}
			}
		}
		err := w.ExactWithin(chosen, lo, hi)
		if count == 0 {
			nothingLeft++
			if !errors.Is(err, ErrNone) {
				t.Fatalf("nothing is left, but the error is %v", err)
			}
			continue
		}
		if err != nil || math.Abs(w.Value(chosen)-best) > 1e-12 {
			t.Fatalf("%v earns %v, error %v, the best set %v", chosen, w.Value(chosen), err, best)
		}
		compareSums(t, weight, fixed, lo, hi, count, math.Log(sum), sum, pairs)
	}
	if nothingLeft < 50 || nothingLeft > 400 {
		t.Errorf("%d of 600 instances have no set", nothingLeft)
	}
}

// compareSums compares a Distribution with sums over a list, where no vertex is fixed.
func compareSums(t *testing.T, weight []float64, fixed []int32, lo, hi, count int, logSum, sum float64, pairs []float64) {
	t.Helper()
	for _, f := range fixed {
		if f != 0 {
			return
		}
	}
	n := len(fixed)
	d, err := NewDistribution(n, weight, lo, hi, nil)
	if err != nil || d.Count() != count {
		t.Fatalf("error %v, or not %d sets", err, count)
	}
	p := make([]float64, n*n)
	if got := d.PairsTo(p); math.Abs(got-logSum) > 1e-12 {
		t.Fatalf("the sum is %v, by the list %v", got, logSum)
	}
	for i, q := range p {
		if math.Abs(q-pairs[i]/sum) > 1e-12 {
			t.Fatalf("pair %d has probability %v, by the list %v", i, q, pairs[i]/sum)
		}
	}
}
