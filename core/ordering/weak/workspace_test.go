package weak

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
)

const tolerance = 1e-10

// weakOrders calls visit with each vector of ranks 1 to k of n items that has no gap.
func weakOrders(n int, visit func(rank []int32)) {
	rank := make([]int32, n)
	var from func(i int)
	from = func(i int) {
		if i == n {
			for r := int32(1); r <= slices.Max(rank); r++ {
				if !slices.Contains(rank, r) {
					return
				}
			}
			visit(rank)
			return
		}
		for rank[i] = 1; int(rank[i]) <= n; rank[i]++ {
			from(i + 1)
		}
	}
	from(0)
}

// gainDraws are distributions of the gain of u before v, drawn for each ordered pair.
func gainDraws(rng *rand.Rand) map[string]func(u, v int) float64 {
	return map[string]func(u, v int) float64{
		"Gaussian":   func(int, int) float64 { return rng.NormFloat64() },
		"ties":       func(int, int) float64 { return float64(rng.IntN(3) - 1) },
		"tied":       func(int, int) float64 { return rng.NormFloat64() - 1.5 },
		"strict":     func(int, int) float64 { return rng.NormFloat64() + 1.5 },
		"consistent": func(u, v int) float64 { return float64(v-u) + 2*rng.NormFloat64() },
		"zero":       func(int, int) float64 { return 0 },
	}
}

func fillAll(gain []float64, n int, draw func(u, v int) float64) {
	for u := range n {
		for v := range n {
			gain[u*n+v] = 0
			if u != v {
				gain[u*n+v] = draw(u, v)
			}
		}
	}
}

// rankValue returns what a ranking earns.
func rankValue(w *Workspace, rank []int32) (sum float64) {
	for u := range w.n {
		for v := range w.n {
			if rank[u] < rank[v] {
				sum += w.gain[u*w.n+v]
			}
		}
	}
	return sum
}

// bestRanking returns the most that any of the n^n vectors of ranks earns.
func bestRanking(w *Workspace) float64 {
	rank, best := make([]int32, w.n), math.Inf(-1)
	for {
		best = max(best, rankValue(w, rank))
		i := 0
		for i < w.n && int(rank[i]) == w.n-1 {
			rank[i] = 0
			i++
		}
		if i == w.n {
			return best
		}
		rank[i]++
	}
}

func isDense(rank []int32) bool {
	taken := make([]bool, len(rank)+1)
	var last int32
	for _, r := range rank {
		if r < 1 || int(r) > len(rank) {
			return false
		}
		taken[r] = true
		last = max(last, r)
	}
	for _, t := range taken[1 : last+1] {
		if !t {
			return false
		}
	}
	return true
}

// TestAgainstAllRankings compares both solvers with all rankings of up to 6 items.
func TestAgainstAllRankings(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var w Workspace
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for n := 1; n <= 6; n++ {
			for range max(2, 100/(n*n)) {
				fillAll(w.Reset(n), n, draw)
				want := bestRanking(&w)
				rank := make([]int32, n)
				if err := w.Exact(rank); err != nil || !isDense(rank) {
					t.Fatalf("%s, %d items: ranks %v, error %v", name, n, rank, err)
				}
				if got := rankValue(&w, rank); math.Abs(got-want) > tolerance {
					t.Fatalf("%s, %d items: %v earns %v, the best %v", name, n, rank, got, want)
				}
				bound, optimal, _ := w.Search(rank, nil)
				if got := rankValue(&w, rank); !optimal || math.Abs(got-want) > tolerance || math.Abs(bound-want) > tolerance {
					t.Fatalf("%s, %d items: search earns %v with bound %v, optimal = %t, the best %v",
						name, n, got, bound, optimal, want)
				}
			}
		}
	}
}

// TestSearchQuality: local search finds the best ranking of 11 items, one component each, in nearly all cases, and
// never claims it wrongly.
func TestSearchQuality(t *testing.T) {
	const n, trials = 11, 100
	rng := rand.New(rand.NewPCG(5, 2))
	var w Workspace
	missed := 0
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for range trials {
			fillAll(w.Reset(n), n, draw)
			exact, found := make([]int32, n), make([]int32, n)
			if err := w.Exact(exact); err != nil {
				t.Fatal(err)
			}
			bound, optimal, _ := w.Search(found, nil)
			if !isDense(found) {
				t.Fatalf("%s: the ranks %v are not dense", name, found)
			}
			most, got := rankValue(&w, exact), rankValue(&w, found)
			if got > most+tolerance || most > bound+tolerance || optimal && got < most-tolerance {
				t.Fatalf("%s: search earns %v (optimal = %t) of %v, bound %v", name, got, optimal, most, bound)
			}
			if got < most-tolerance {
				missed++
			}
		}
	}
	if limit := trials * 6 / 50; missed > limit {
		t.Errorf("%d of %d best rankings were missed, at most %d may be", missed, 6*trials, limit)
	}
}

// TestSearchStart: the search earns at least what its starts do, at a size beyond exact solution.
func TestSearchStart(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(5, 3))
	var w Workspace
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		fillAll(w.Reset(n), n, draw)
		var pairs float64 // the mean of any order and its reverse
		for _, g := range w.gain[:n*n] {
			pairs += g / 2
		}
		rank, again := make([]int32, n), make([]int32, n)
		bound, _, _ := w.Search(rank, nil)
		got := rankValue(&w, rank)
		if !isDense(rank) || got < max(0, pairs)-tolerance || got > bound+tolerance {
			t.Errorf("%s: the search earns %v, its starts at least %v, the bound is %v", name, got, max(0, pairs), bound)
		}
		w.Search(again, nil)
		if again := rankValue(&w, again); again != got {
			t.Errorf("%s: the search earns %v once and %v the next time", name, got, again)
		}
	}
}

func TestSizeError(t *testing.T) {
	const n = MaxComponent + 1
	var w Workspace
	fillAll(w.Reset(n), n, func(int, int) float64 { return -1 })
	err := w.Exact(make([]int32, n))
	if size, ok := errors.AsType[*SizeError](err); !ok || size.Size != n || size.Limit != MaxComponent {
		t.Errorf("the error is %v", err)
	}
}

// TestPlace compares the positions after moving an item with a list of blocks, for all moves of small rankings.
func TestPlace(t *testing.T) {
	blocks := [][]int32{{0, 1}, {2}, {3, 4, 5}, {6}}
	for own, block := range blocks {
		for i, u := range block {
			for to := -1; to < len(blocks); to++ {
				for _, join := range []bool{true, false} {
					alone := len(block) == 1
					if join && (to < 0 || to == own && alone) {
						continue
					}
					r := ranking{items: []int32{0, 1, 2, 3, 4, 5, 6}, ends: []int32{2, 3, 6, 7}}
					at := i
					for _, b := range blocks[:own] {
						at += len(b)
					}
					r.place(at, own, alone, to, join)
					want := map[int32]float64{}
					for j, b := range blocks {
						for _, v := range b {
							want[v] = float64(j)
						}
					}
					want[u] = float64(to)
					if !join {
						want[u] += 0.5
					}
					checkRanking(t, &r, want)
				}
			}
		}
	}
}

// checkRanking compares the order of all pairs with that of the given numbers.
func checkRanking(t *testing.T, r *ranking, want map[int32]float64) {
	t.Helper()
	block, lo := map[int32]int{}, 0
	for j, end := range r.ends {
		if int(end) <= lo {
			t.Fatalf("%+v has an empty block", r)
		}
		for _, v := range r.items[lo:end] {
			block[v] = j
		}
		lo = int(end)
	}
	if len(block) != len(want) || lo != len(want) {
		t.Fatalf("%+v does not hold all %d items", r, len(want))
	}
	for u := range slicex.InOrder(want) {
		for v := range slicex.InOrder(want) {
			if (block[u] < block[v]) != (want[u] < want[v]) {
				t.Fatalf("%+v orders %d and %d other than %v", r, u, v, want)
			}
		}
	}
}
