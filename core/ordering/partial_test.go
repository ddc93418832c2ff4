package ordering

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"
)

// gainDraws are distributions of the gain of u before v, drawn for each ordered pair.
func gainDraws(rng *rand.Rand) map[string]func(u, v int) float64 {
	return map[string]func(u, v int) float64{
		"Gaussian":   func(int, int) float64 { return rng.NormFloat64() },
		"ties":       func(int, int) float64 { return float64(rng.IntN(3) - 1) },
		"unrelated":  func(int, int) float64 { return rng.NormFloat64() - 1.5 },
		"related":    func(int, int) float64 { return rng.NormFloat64() + 1.5 },
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

// naive is a relation as a matrix, checked by definition.
type naive struct {
	n      int
	before []bool
}

func (r *naive) transitive() bool {
	for u := range r.n {
		for v := range r.n {
			for w := range r.n {
				if r.before[u*r.n+v] && r.before[v*r.n+w] && !r.before[u*r.n+w] {
					return false
				}
			}
		}
	}
	return true
}

// with reports whether the relation is transitive and antisymmetric once u before v is what is given.
func (r *naive) with(u, v int, value bool) bool {
	before := r.before[u*r.n+v]
	r.before[u*r.n+v] = value
	ok := r.transitive() && !(value && r.before[v*r.n+u])
	r.before[u*r.n+v] = before
	return ok
}

func (r *naive) close(u, v int) {
	for a := range r.n {
		for b := range r.n {
			if (a == u || r.before[a*r.n+u]) && (b == v || r.before[v*r.n+b]) {
				r.before[a*r.n+b] = true
			}
		}
	}
}

// TestPartial makes random changes to orders of one word and of two, and compares what is allowed, and the outcome, with
// the definition.
func TestPartial(t *testing.T) {
	for _, n := range []int{2, 5, 9, 70} {
		rng := rand.New(rand.NewPCG(6, uint64(n)))
		var p Partial
		p.Reset(n)
		r := naive{n, make([]bool, n*n)}
		steps := 4000
		if n > 64 {
			steps = 60
		}
		for range steps {
			u, v := rng.IntN(n), rng.IntN(n)
			if u == v {
				if p.CanAdd(u, v) || p.CanRemove(u, v) {
					t.Fatalf("an item may be before itself")
				}
				continue
			}
			related := r.before[u*n+v] || r.before[v*n+u]
			if got, want := p.CanAdd(u, v), !related && r.with(u, v, true); got != want {
				t.Fatalf("%d items: CanAdd(%d, %d) is %t", n, u, v, got)
			}
			if got, want := p.CanRemove(u, v), r.before[u*n+v] && r.with(u, v, false); got != want {
				t.Fatalf("%d items: CanRemove(%d, %d) is %t", n, u, v, got)
			}
			switch {
			case p.CanRemove(u, v):
				p.Remove(u, v)
				r.before[u*n+v] = false
			case p.CanAdd(u, v) && rng.IntN(2) == 0:
				p.Add(u, v)
				r.before[u*n+v] = true
			case !related:
				p.Close(u, v)
				r.close(u, v)
			case rng.IntN(20) == 0:
				p.Isolate(u)
				for w := range n {
					r.before[u*n+w], r.before[w*n+u] = false, false
				}
			}
			for a := range n {
				for b := range n {
					if p.Before(a, b) != r.before[a*n+b] || p.In.Has(b, a) != r.before[a*n+b] {
						t.Fatalf("%d items: the order differs at %d and %d", n, a, b)
					}
				}
			}
		}
		if !r.transitive() {
			t.Fatal("the changes led to a relation that is not transitive")
		}
	}
}

// TestPartialSearch: the order found is transitive and earns what is said, at least as much as both starts; on gains that
// agree with an order, or favour none, it is the best one.
func TestPartialSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	var w PartialWorkspace
	for name, draw := range slicex.InOrder(gainDraws(rng)) {
		for _, n := range []int{2, 3, 8, 20, 70} {
			gain := w.Reset(n)
			fillAll(gain, n, draw)
			var most, pairs float64
			for u := range n {
				for v := range u {
					most += max(gain[u*n+v], gain[v*n+u], 0)
					pairs += (gain[u*n+v] + gain[v*n+u]) / 2
				}
			}
			order, value, _ := w.Search(most, nil)
			r := naive{n, make([]bool, n*n)}
			var sum float64
			for u := range n {
				for v := range n {
					if r.before[u*n+v] = order.Before(u, v); r.before[u*n+v] {
						sum += gain[u*n+v]
					}
				}
			}
			if !r.transitive() || math.Abs(sum-value) > tolerance*max(1, most) {
				t.Fatalf("%s, %d items: the order earns %v, not %v", name, n, sum, value)
			}
			if value < max(0, pairs)-tolerance || value > most+tolerance*max(1, most) {
				t.Fatalf("%s, %d items: the search earns %v, its starts at least %v, the bound is %v",
					name, n, value, max(0, pairs), most)
			}
		}
	}
	const n = 30
	fillAll(w.Reset(n), n, func(u, v int) float64 { return float64(v - u) })
	if _, value, _ := w.Search(math.Inf(1), nil); value != n*(n*n-1)/6 {
		t.Errorf("gains of one order earn %v", value)
	}
}
