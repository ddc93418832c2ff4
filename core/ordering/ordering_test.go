package ordering

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/slicex"
)

// tolerance is far above the rounding of sums of a few hundred numbers near 1.
const tolerance = 1e-10

// fillWith fills a gain matrix from the values of its pairs.
func fillWith(gain []float64, n int, draw func(u, v int) float64) {
	for u := range n {
		gain[u*n+u] = 0
		for v := u + 1; v < n; v++ {
			g := draw(u, v)
			gain[u*n+v], gain[v*n+u] = g, -g
		}
	}
}

// isOrder reports whether order holds each of 0..n-1 once.
func isOrder(order []int32) bool {
	sorted := slices.Sorted(slices.Values(order))
	for i, v := range sorted {
		if int(v) != i {
			return false
		}
	}
	return true
}

// bruteForce returns the largest value over all orders, by Heap's algorithm.
func bruteForce(w *Workspace) float64 {
	order := make([]int32, w.n)
	for i := range order {
		order[i] = int32(i)
	}
	best := math.Inf(-1)
	var permute func(k int)
	permute = func(k int) {
		if k <= 1 {
			best = max(best, w.Value(order))
			return
		}
		for i := range k {
			permute(k - 1)
			if k%2 == 0 {
				order[i], order[k-1] = order[k-1], order[i]
			} else {
				order[0], order[k-1] = order[k-1], order[0]
			}
		}
	}
	permute(w.n)
	return best
}

// TestAgainstAllOrders compares both solvers with all orders of up to 7 items, on gains with and without ties.
func TestAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draws := map[string]func(u, v int) float64{
		"Gaussian":   func(int, int) float64 { return rng.NormFloat64() },
		"ties":       func(int, int) float64 { return float64(rng.IntN(3) - 1) },
		"consistent": func(u, v int) float64 { return float64(v-u) + 2*rng.NormFloat64() },
		"zero":       func(int, int) float64 { return 0 },
	}
	var w Workspace
	for name, draw := range slicex.InOrder(draws) {
		for n := 1; n <= 7; n++ {
			for range max(2, 200/(n*n)) {
				fillWith(w.Reset(n), n, draw)
				want := bruteForce(&w)
				order := make([]int32, n)
				if err := w.Exact(order); err != nil || !isOrder(order) {
					t.Fatalf("%s, n = %d: order %v, error %v", name, n, order, err)
				}
				if got := w.Value(order); math.Abs(got-want) > tolerance {
					t.Fatalf("%s, n = %d: Exact earns %v, the best of all orders %v", name, n, got, want)
				}
				bound, optimal, _ := w.Search(order, nil)
				got := w.Value(order)
				if !isOrder(order) || !optimal || math.Abs(got-want) > tolerance || math.Abs(bound-want) > tolerance {
					t.Fatalf("%s, n = %d: Search earns %v with bound %v, optimal %t, the best is %v",
						name, n, got, bound, optimal, want)
				}
			}
		}
	}
}

// TestSubsetsAgainstBlocks compares the dynamic programme where its subsets outgrow the low table with an independent
// one that sums every gain anew.
func TestSubsetsAgainstBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var w Workspace
	for n := lowBits - 1; n <= lowBits+4; n++ {
		fillWith(w.Reset(n), n, func(int, int) float64 { return rng.NormFloat64() })
		best := make([]float64, 1<<n)
		for s := 1; s < 1<<n; s++ {
			best[s] = math.Inf(-1)
			for v := range n {
				if s>>v&1 == 0 {
					continue
				}
				e := best[s&^(1<<v)]
				for u := range n {
					if s>>u&1 == 1 {
						e += w.gain[u*n+v]
					}
				}
				best[s] = max(best[s], e)
			}
		}
		items := make([]int32, n)
		for i := range items {
			items[i] = int32(i)
		}
		got := w.solve(items)
		if want := best[1<<n-1]; math.Abs(got-want) > tolerance || math.Abs(w.Value(items)-want) > tolerance {
			t.Errorf("n = %d: the programme earns %v and its order %v, want %v", n, got, w.Value(items), want)
		}
	}
}

// TestComponents builds 120 items out of cycles of known sizes that follow one another, hidden by a random relabelling:
// the exact solver must solve each on its own.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	sizes := []int{1, 3, 17, 1, 5, 20, 4, 1, 1, 7, 19, 3, 18, 20}
	var block []int
	for b, size := range sizes {
		for range size {
			block = append(block, b)
		}
	}
	n := len(block)
	label := rng.Perm(n)
	var w Workspace
	fillWith(w.Reset(n), n, func(u, v int) float64 {
		a, b := label[u], label[v]
		switch {
		case block[a] < block[b]:
			return 0.5 + rng.Float64()
		case block[a] > block[b]:
			return -0.5 - rng.Float64()
		case a+1 == b || a > b+1: // a cycle through the block: each item beats the next and loses to those behind it
			return 0.1 + rng.Float64()
		default:
			return -0.1 - rng.Float64()
		}
	})
	order := make([]int32, n)
	if err := w.Exact(order); err != nil {
		t.Fatal(err)
	}
	if !isOrder(order) {
		t.Fatalf("%v is no order", order)
	}
	for i := 1; i < n; i++ {
		if block[label[order[i-1]]] > block[label[order[i]]] {
			t.Fatalf("item %d of block %d comes before item %d of block %d",
				order[i-1], block[label[order[i-1]]], order[i], block[label[order[i]]])
		}
	}
	if count := w.graph.ComponentsTo(make([]int32, n)); count != len(sizes) {
		t.Errorf("%d components were found, want %d", count, len(sizes))
	}
	value := w.Value(order)
	searched := make([]int32, n)
	bound, optimal, _ := w.Search(searched, nil)
	if optimal || bound < value-tolerance || w.Value(searched) > value+tolerance || w.Value(searched) < 0 {
		t.Errorf("Search earns %v with bound %v, optimal %t, the best order %v",
			w.Value(searched), bound, optimal, value)
	}
}

// TestSizeError: one component beyond the limit is refused with its size, and an order without ties of any size is not.
func TestSizeError(t *testing.T) {
	const n = 60
	var w Workspace
	order := make([]int32, n)
	fillWith(w.Reset(n), n, func(u, v int) float64 { return float64(v - u) })
	if err := w.Exact(order); err != nil || !slices.IsSorted(order) {
		t.Errorf("consistent gains give the order %v, error %v", order, err)
	}
	rotate := func(u, v int) float64 { // items 10..10+MaxComponent form one cycle
		if u == 10 && v == 10+MaxComponent {
			return -1
		}
		return 1
	}
	fillWith(w.Reset(n), n, rotate)
	err := w.Exact(order)
	if size, ok := errors.AsType[*SizeError](err); !ok || size.Size != MaxComponent+1 {
		t.Errorf("a component of %d items gives the error %v", MaxComponent+1, err)
	}
	if bound, optimal, _ := w.Search(order, nil); optimal || bound != n*(n-1)/2 || w.Value(order) != bound-2 {
		t.Errorf("Search earns %v with bound %v, optimal %t; breaking the cycle costs 2",
			w.Value(order), bound, optimal)
	}
}

// TestInsertionOptimum: no single move improves what Search returns, the order earns at least 0, and equal gains give
// equal orders.
func TestInsertionOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var w Workspace
	for range 5 {
		const n = 45
		fillWith(w.Reset(n), n, func(int, int) float64 { return rng.NormFloat64() })
		order, again := make([]int32, n), make([]int32, n)
		bound, _, _ := w.Search(order, nil)
		value := w.Value(order)
		if value < 0 || value > bound {
			t.Fatalf("the order earns %v, bound %v", value, bound)
		}
		for i, u := range order {
			rest := slices.Delete(slices.Clone(order), i, i+1)
			for j := range n {
				if moved := w.Value(slices.Insert(slices.Clone(rest), j, u)); moved > value+1e-9 {
					t.Fatalf("moving item %d to place %d earns %v, more than %v", u, j, moved, value)
				}
			}
		}
		if w.Search(again, nil); !slices.Equal(order, again) {
			t.Error("the same gains give two different orders")
		}
	}
}

// TestStart: the starting order earns at least 0, also on gains whose row sums mislead, and it is the order of the row
// sums or its reverse.
func TestStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var w Workspace
	reversed := 0
	for range 2000 {
		const n = 5
		fillWith(w.Reset(n), n, func(int, int) float64 { return rng.NormFloat64() * math.Exp(3*rng.NormFloat64()) })
		items := []int32{0, 1, 2, 3, 4}
		w.start(items)
		if v := w.Value(items); v < 0 || !isOrder(items) {
			t.Fatalf("the order %v earns %v", items, v)
		}
		descending := slices.IsSortedFunc(items, func(u, v int32) int { return cmp.Compare(w.score[v], w.score[u]) })
		ascending := slices.IsSortedFunc(items, func(u, v int32) int { return cmp.Compare(w.score[u], w.score[v]) })
		if !descending && !ascending {
			t.Fatalf("the order %v does not follow the row sums %v", items, w.score)
		}
		if ascending {
			reversed++
		}
	}
	if reversed == 0 {
		t.Error("no row sums misled, so the reverse was never taken: draw other gains")
	}
}

// TestNoGains: items without any gain come in ascending order from both solvers, at any size.
func TestNoGains(t *testing.T) {
	var w Workspace
	for _, n := range []int{1, 2, 63, 64, 65, 200} {
		clear(w.Reset(n))
		order := make([]int32, n)
		if err := w.Exact(order); err != nil || !slices.IsSorted(order) || !isOrder(order) {
			t.Errorf("n = %d: order %v, error %v", n, order, err)
		}
	}
}

func BenchmarkExact(b *testing.B) {
	for _, n := range []int{6, 10, 16, 20} {
		b.Run(fmt.Sprintf("items=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, uint64(n)))
			var w Workspace
			fillWith(w.Reset(n), n, func(int, int) float64 { return rng.NormFloat64() })
			order := make([]int32, n)
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Exact(order); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
