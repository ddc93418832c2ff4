package weak

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
)

// TestBoundedAgainstTable compares the search of bounded subsets with all rankings of 4 to 6 items, and with the table of
// all subsets for 7 to 12, 14 and 16.
func TestBoundedAgainstTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	var w Workspace
	improved := 0
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for _, n := range []int{4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16} {
			rounds := 12
			if n > 12 {
				rounds = 1
			}
			for range rounds {
				fillAll(w.Reset(n), n, draw)
				rank := make([]int32, n)
				want := 0.0
				if n <= 6 {
					want = bestRanking(&w)
				} else {
					w.ranks = 0
					w.solveTabled(rank, ascending(n))
					want = rankValue(&w, rank)
				}
				clear(rank)
				w.ranks = 0
				earned := w.solveBounded(rank, ascending(n))
				got := rankValue(&w, rank)
				if !isDense(rank) || math.Abs(got-want) > tolerance || math.Abs(earned-want) > tolerance {
					t.Fatalf("%s, %d items: %v earns %v, said to be %v, the best %v", name, n, rank, got, earned, want)
				}
				// What local search leaves to be found is found: without kicks it misses some of these.
				s := w.begin(ascending(n))
				s.improve()
				if s.now.value < want-tolerance {
					improved++
				}
			}
		}
	}
	if improved < 20 {
		t.Fatalf("local search alone misses the best of %d instances only", improved)
	}
}

// TestTableAgainstPlainTable: blocks that are not tried change neither the value nor, of equal ones, the choice. All gains
// are small integers, whose sums are exact.
func TestTableAgainstPlainTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 10))
	var w Workspace
	parts, blocks := 0, 0
	for least := -6; least <= 0; least++ { // from ties that are always best to some that never are
		for n := 1; n <= 9; n++ {
			for range 6 {
				fillAll(w.Reset(n), n, func(int, int) float64 { return float64(least + rng.IntN(7)) })
				rank := make([]int32, n)
				w.ranks = 0
				earned := w.solveTabled(rank, ascending(n))
				want, value := plainTable(&w)
				if earned != value || !slices.Equal(rank, want) {
					t.Fatalf("%d items: %v earns %v, want %v, which earns %v", n, rank, earned, want, value)
				}
				if tried := len(w.table.blocks); tried > 1<<n/2 {
					parts++
				} else {
					blocks++
				}
			}
		}
	}
	if min(parts, blocks) < 50 {
		t.Fatalf("%d instances have many blocks, %d few", parts, blocks)
	}
}

// plainTable returns the best ranking, of equal ones that whose first block is the smallest binary number, and so on, and
// what it earns, by all first blocks of all subsets.
func plainTable(w *Workspace) (rank []int32, value float64) {
	n := w.n
	best, first := make([]float64, 1<<n), make([]int, 1<<n)
	for s := 1; s < 1<<n; s++ {
		for b := s & -s; ; b = (b - s) & s {
			e := best[s&^b]
			for u := range n {
				for v := range n {
					if b>>u&1 == 1 && (s&^b)>>v&1 == 1 {
						e += w.gain[u*n+v]
					}
				}
			}
			if first[s] == 0 || e > best[s] {
				best[s], first[s] = e, b
			}
			if b == s {
				break
			}
		}
	}
	rank = make([]int32, n)
	place := int32(0)
	for s := 1<<n - 1; s > 0; s &^= first[s] {
		place++
		for u := range rank {
			if first[s]>>u&1 == 1 {
				rank[u] = place
			}
		}
	}
	return rank, best[1<<n-1]
}

// TestImprove: any ranking is improved, and the best one is left as it is.
func TestImprove(t *testing.T) {
	const n = 7
	rng := rand.New(rand.NewPCG(5, 9))
	var w Workspace
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for range 20 {
			fillAll(w.Reset(n), n, draw)
			best, rank := make([]int32, n), make([]int32, n)
			if err := w.Exact(best); err != nil {
				t.Fatal(err)
			}
			for u := range rank {
				rank[u] = rng.Int32N(4)
			}
			most, before := rankValue(&w, best), rankValue(&w, rank)
			for range 2 { // what is improved is not improved again
				if err := w.Improve(rank, nil); err != nil || !isDense(rank) {
					t.Fatalf("%s: ranks %v, error %v", name, rank, err)
				}
				after := rankValue(&w, rank)
				if after < before-tolerance || after > most+tolerance {
					t.Fatalf("%s: from %v to %v, the best is %v", name, before, after, most)
				}
				before = after
			}
			if err := w.Improve(best, nil); err != nil || math.Abs(rankValue(&w, best)-most) > tolerance {
				t.Fatalf("%s: the best earns %v, not %v, error %v", name, rankValue(&w, best), most, err)
			}
		}
	}
	stop := errors.New("stop")
	fillAll(w.Reset(n), n, gainDraws(rng)["Gaussian"])
	if err := w.Improve(make([]int32, n), func() error { return stop }); !errors.Is(err, stop) {
		t.Fatalf("error %v", err)
	}
}

// TestBoundIsBelowLoss: no set of items loses less than its bound, by the table of all its subsets, and any two groups
// of them lose no more than the bound of all.
func TestBoundIsBelowLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 11))
	var w Workspace
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for n := 4; n <= 11; n++ {
			fillAll(w.Reset(n), n, draw)
			items := ascending(n)
			b := &w.bound
			b.prepare(w.gain, w.may, n, items)
			var all subsetTable
			all.load(w.gain, w.may, n, items)
			all.run(n)
			part := make([]int32, 0, n)
			for s := range uint(1) << n {
				part = part[:0]
				for _, u := range items {
					if s>>u&1 == 1 {
						part = append(part, u)
					}
				}
				loss := w.pairwise(part) - all.best[s]
				if bound := b.rest[s]; bound < 0 || bound > loss+tolerance {
					t.Fatalf("%s: of %d items, those of %b lose %v, the bound is %v", name, n, s, loss, bound)
				}
			}
			for i, loss := range b.pairs {
				for s := range loss {
					if loss[s] > b.rest[1<<n-1]+tolerance {
						t.Fatalf("%s: of %d items, pair %d of groups loses %v, all %v", name, n, i, loss[s], b.rest[1<<n-1])
					}
				}
			}
		}
	}
}

// TestBoundedFromPoorStart: a poor ranking to begin with costs time, but nothing else.
func TestBoundedFromPoorStart(t *testing.T) {
	const n = 9
	rng := rand.New(rand.NewPCG(5, 8))
	var w Workspace
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for range 8 {
			fillAll(w.Reset(n), n, draw)
			items, rank := ascending(n), make([]int32, n)
			w.ranks = 0
			w.solveTabled(rank, items)
			want := rankValue(&w, rank)
			var r ranking
			b := &w.bound
			b.prepare(w.gain, w.may, n, items)
			b.limit = w.pairwise(items)
			if !b.run() {
				if want > tolerance {
					t.Fatalf("%s: no ranking is found to be better than the tie of all, the best earns %v", name, want)
				}
				continue
			}
			b.rankTo(&r, items)
			w.ranks = 0
			w.rankBy(&r, rank)
			if got := rankValue(&w, rank); !isDense(rank) || math.Abs(got-want) > tolerance {
				t.Fatalf("%s: %v earns %v, the best %v", name, rank, got, want)
			}
		}
	}
}

func ascending(n int) []int32 {
	items := make([]int32, n)
	for i := range items {
		items[i] = int32(i)
	}
	return items
}
