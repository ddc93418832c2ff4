package weak

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"
)

// maskedGains loads an instance and returns copies of its gains and its mask.
func maskedGains(w *Workspace, n int, draw func(u, v int) float64, mask func(*rand.Rand) Choices,
	rng *rand.Rand) ([]float64, []Choices) {
	fillAll(w.Reset(n), n, draw)
	gain := append([]float64(nil), w.gain...)
	drawChoices(w.Restrict(), n, mask, rng)
	return gain, append([]Choices(nil), w.may...)
}

func reload(w *Workspace, n int, gain []float64, mask []Choices) {
	copy(w.Reset(n), gain)
	copy(w.Restrict(), mask)
}

// TestMasksAgainstAllRankings compares both solvers, and local search from any ranking, with the filtered list of
// rankings.
func TestMasksAgainstAllRankings(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	var w Workspace
	none := 0
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for kind, choose := range slicex.InOrder(choiceDraws) {
			for n := 1; n <= 5; n++ {
				for range 12 {
					gain, mask := maskedGains(&w, n, draw, choose, rng)
					what := fmt.Sprintf("%s, %s, %d items, mask %v, gains %v", name, kind, n, mask, gain)
					want := math.Inf(-1)
					weakOrders(n, func(rank []int32) {
						if allowsRank(mask, rank) {
							want = max(want, rankValue(&w, rank))
						}
					})
					if math.IsInf(want, -1) {
						none++
					}
					checkMasked(t, &w, gain, mask, want, what, rng)
				}
			}
		}
	}
	if none < 300 {
		t.Errorf("only %d masks leave nothing", none)
	}
}

// checkMasked compares all methods with what the best ranking earns, −Inf if there is none.
func checkMasked(t *testing.T, w *Workspace, gain []float64, mask []Choices, want float64, what string, rng *rand.Rand) {
	t.Helper()
	n := w.n
	rank := make([]int32, n)
	check := func(method string, err error, best bool) {
		t.Helper()
		if math.IsInf(want, -1) {
			if !errors.Is(err, ErrNone) {
				t.Fatalf("%s: %s finds %v, where there is none (%v)", what, method, rank, err)
			}
			return
		}
		got := rankValue(w, rank)
		if err != nil || !isDense(rank) || !allowsRank(mask, rank) || got > want+tolerance || best && got < want-tolerance {
			t.Fatalf("%s: %s finds %v, which earns %v, the best %v (%v)", what, method, rank, got, want, err)
		}
	}
	check("Exact", w.Exact(rank), true)
	reload(w, n, gain, mask)
	bound, optimal, err := w.Search(rank, nil)
	check("Search", err, n <= searchExact)
	if err == nil && (bound < want-tolerance || n <= searchExact && !optimal) {
		t.Fatalf("%s: the bound is %v, the best %v, optimal = %t", what, bound, want, optimal)
	}
	reload(w, n, gain, mask)
	bound, optimal, err = w.Start(rank)
	check("Start", err, optimal)
	if err == nil && bound < want-tolerance {
		t.Fatalf("%s: the bound of Start is %v, the best %v", what, bound, want)
	}
	reload(w, n, gain, mask)
	for u := range rank {
		rank[u] = rng.Int32N(3)
	}
	check("Improve", w.Improve(rank, nil), false)
}

// TestMasksBounded compares the search of bounded subsets under masks with the table of all subsets, and local search
// with both, for 6 to 12 items, and the table with sums of rankings on a grid so coarse that only the best ones count.
func TestMasksBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	var w Workspace
	searched, left := 0, 0
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for kind, choose := range slicex.InOrder(choiceDraws) {
			for _, n := range []int{6, 7, 8, 9, 10, 12} {
				gain, mask := maskedGains(&w, n, draw, choose, rng)
				what := fmt.Sprintf("%s, %s, %d items, mask %v", name, kind, n, mask)
				want := bestBySums(t, gain, mask, n)
				checkMasked(t, &w, gain, mask, want, what, rng)
				if math.IsInf(want, -1) {
					continue
				}
				left++
				reload(&w, n, gain, mask)
				x, ranks, err := w.reduced(make([]int32, n))
				if err != nil {
					t.Fatal(err)
				}
				for method, solve := range slicex.InOrder(map[string]func([]int32, []int32) float64{
					"bound": x.solveBounded, "table": x.solveTabled,
				}) {
					if x.n < tiedGroups {
						continue
					}
					searched++
					x.ranks = 0
					rank := make([]int32, n)
					earned := solve(ranks, ascending(x.n))
					w.expandTo(rank, ranks, x)
					if got := rankValue(&w, rank); !allowsRank(mask, rank) || math.Abs(got-want) > tolerance ||
						math.Abs(earned-want) > tolerance {
						t.Fatalf("%s: by the %s %v earns %v, said to be %v, the best %v", what, method, rank, got, earned, want)
					}
				}
			}
		}
	}
	if searched < 150 || left < 100 {
		t.Errorf("%d masks leave something, %d searches were made", left, searched)
	}
}

// expandTo writes ranks of the items, given those of x.
func (w *Workspace) expandTo(rank, of []int32, x *Workspace) {
	if x == w {
		copy(rank, of)
		return
	}
	w.expand(rank, of)
}

// bestBySums returns what the best ranking earns, as the limit of sums at a low temperature.
func bestBySums(t *testing.T, gain []float64, mask []Choices, n int) float64 {
	t.Helper()
	const beta = 1e13
	var d Distribution
	before, tie := d.Reset(n)
	for i, g := range gain {
		before[i], tie[i] = beta*g, 0
	}
	copy(d.Restrict(), mask)
	sum, err := d.Sum(nil)
	if errors.Is(err, ErrNone) {
		return math.Inf(-1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sum / beta
}

// TestMasksAtLargeSizes: rankings of 120 items are found under the masks of a hidden ranking, which leave it and
// others, and contradictions are found.
func TestMasksAtLargeSizes(t *testing.T) {
	const n = 120
	rng := rand.New(rand.NewPCG(13, 3))
	var w Workspace
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for _, open := range []int{0, 2, 60} { // how rarely a pair is left all its choices
			hidden, rank := make([]int32, n), make([]int32, n)
			for u := range hidden {
				hidden[u] = rng.Int32N(40)
			}
			fillAll(w.Reset(n), n, draw)
			gain := append([]float64(nil), w.gain...)
			mask := w.Restrict()
			for u := range n {
				for v := u + 1; v < n; v++ {
					allowed := MayLevel
					if hidden[u] < hidden[v] {
						allowed = MayPrecede
					} else if hidden[u] > hidden[v] {
						allowed = MayFollow
					}
					if open > 0 && rng.IntN(open+1) > 0 {
						mask[u*n+v] = allowed | Choices(rng.IntN(8))
					} else if open == 0 {
						mask[u*n+v] = allowed
					}
				}
			}
			original := append([]Choices(nil), mask...)
			bound, _, err := w.Search(rank, nil)
			value := rankValue(&w, rank)
			if err != nil || !isDense(rank) || !allowsRank(original, rank) || value > bound+1e-8 {
				t.Fatalf("%s, %d: the search earns %v of %v (%v)", name, open, value, bound, err)
			}
			reload(&w, n, gain, original)
			if _, _, err := w.Start(rank); err != nil || !allowsRank(original, rank) || rankValue(&w, rank) > value+1e-8 {
				t.Fatalf("%s, %d: the start earns %v, the search %v (%v)", name, open, rankValue(&w, rank), value, err)
			}
			reload(&w, n, gain, original)
			for u := range 3 { // 3, 4 and 5 on a cycle
				w.may[min(3+u, 3+(u+1)%3)*n+max(3+u, 3+(u+1)%3)] = []Choices{MayPrecede, MayPrecede, MayFollow}[u]
			}
			if _, _, err := w.Search(rank, nil); !errors.Is(err, ErrNone) {
				t.Fatalf("%s, %d: a contradiction gives the error %v", name, open, err)
			}
		}
	}
}
