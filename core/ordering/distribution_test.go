package ordering

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/internal/drawtest"
)

var errStop = errors.New("stop")

// TestDistributionAgainstAllOrders: sums, pairs and draws, for gains that are numbers and for those so large that logarithms are taken.
func TestDistributionAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for _, scale := range []float64{0, 1, 900} {
		for n := 1; n <= 5; n++ {
			name := fmt.Sprintf("%d items, scale %g", n, scale)
			var d Distribution
			gain := d.Reset(n)
			for i := range gain {
				gain[i] = scale * rng.NormFloat64()
			}
			var all drawtest.Outcomes
			drawtest.Permutations(n, func(y []int32) {
				var value float64
				for i, u := range y {
					for _, v := range y[i+1:] {
						value += gain[int(u)*n+int(v)]
					}
				}
				all.Add(y, value)
			})
			p, want := all.Probabilities()
			got, err := d.Sum(nil)
			if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
			}
			pairs, wanted := make([]float64, n*n), make([]float64, n*n)
			for k, y := range all.Values {
				for i, u := range y {
					for _, v := range y[i+1:] {
						wanted[int(u)*n+int(v)] += p[k]
					}
				}
			}
			if err := d.PairsTo(pairs, nil); err != nil || !floats.EqualApprox(pairs, wanted, 1e-10) {
				t.Errorf("%s: the pairs have %v, want %v (%v)", name, pairs, wanted, err)
			}
			y := make([]int32, n)
			all.Check(t, name, func() []int32 {
				d.DrawTo(y, rng)
				return y
			})
		}
	}
}

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

// TestWeakDistributionAgainstAllRankings is the same for rankings with ties.
func TestWeakDistributionAgainstAllRankings(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for _, scale := range []float64{0, 1, 900} {
		for n := 1; n <= 5; n++ {
			name := fmt.Sprintf("%d items, scale %g", n, scale)
			var d WeakDistribution
			before, tie := d.Reset(n)
			for u := range n {
				for v := range n {
					before[u*n+v], tie[u*n+v] = 0, scale*rng.NormFloat64()
					if u != v {
						before[u*n+v] = scale * rng.NormFloat64()
					}
				}
			}
			var all drawtest.Outcomes
			each := func(rank []int32, strict, tied func(at int)) {
				for u := range n {
					for v := range n {
						switch {
						case rank[u] < rank[v]:
							strict(u*n + v)
						case u < v && rank[u] == rank[v]:
							tied(u*n + v)
						}
					}
				}
			}
			weakOrders(n, func(rank []int32) {
				var value float64
				each(rank, func(at int) { value += before[at] }, func(at int) { value += tie[at] })
				all.Add(rank, value)
			})
			p, want := all.Probabilities()
			got, err := d.Sum(nil)
			if err != nil || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the sum is %g, want %g (%v)", name, got, want, err)
			}
			first, firstWanted := make([]float64, n*n), make([]float64, n*n)
			both, bothWanted := make([]float64, n*n), make([]float64, n*n)
			for k, rank := range all.Values {
				each(rank, func(at int) { firstWanted[at] += p[k] }, func(at int) { bothWanted[at] += p[k] })
			}
			if err := d.PairsTo(first, both, nil); err != nil {
				t.Fatal(err)
			}
			for u := range n {
				for v := range n {
					if at := u*n + v; u != v && math.Abs(first[at]-firstWanted[at]) > 1e-10 ||
						u < v && math.Abs(both[at]-bothWanted[at]) > 1e-10 {
						t.Errorf("%s: pair %d, %d has %g and %g, want %g and %g", name, u, v, first[at], both[at], firstWanted[at],
							bothWanted[at])
					}
				}
			}
			rank := make([]int32, n)
			all.Check(t, name, func() []int32 {
				d.DrawTo(rank, rng)
				return rank
			})
		}
	}
}

func TestSumsStop(t *testing.T) {
	stop := func() error { return errStop }
	var d Distribution
	clear(d.Reset(16))
	if _, err := d.Sum(stop); !errors.Is(err, errStop) {
		t.Errorf("the sum ends with %v", err)
	}
	if _, err := d.Sum(nil); err != nil {
		t.Fatal(err)
	}
	if err := d.PairsTo(make([]float64, 256), stop); !errors.Is(err, errStop) {
		t.Errorf("the pairs end with %v", err)
	}
	var w WeakDistribution
	before, tie := w.Reset(10)
	clear(before)
	clear(tie)
	if _, err := w.Sum(stop); !errors.Is(err, errStop) {
		t.Errorf("the sum with ties ends with %v", err)
	}
}
