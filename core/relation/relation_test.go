package relation

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns a relation with a share of all pairs, without pairs of an element with itself.
func random(n int, share float64, rng *rand.Rand) Relation {
	r := New(n)
	for a := range n {
		for b := range n {
			if a != b && rng.Float64() < share {
				r.Add(a, b)
			}
		}
	}
	return r
}

// paths returns by search from each element which others it leads to.
func paths(r Relation) [][]bool {
	n := r.Len()
	reached := make([][]bool, n)
	for a := range n {
		reached[a] = make([]bool, n)
		queue := []int{a}
		for k := 0; k < len(queue); k++ {
			for b := range n {
				if r.Has(queue[k], b) && !reached[a][b] {
					reached[a][b] = true
					queue = append(queue, b)
				}
			}
		}
	}
	return reached
}

// cases calls f for relations of several sizes, sparse and dense, with and without cycles.
func cases(f func(r Relation)) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 5, 63, 64, 65, 130} {
		for _, share := range []float64{0, 0.5 / float64(n+1), 1.5 / float64(n+1), 0.3} {
			r := random(n, share, rng)
			f(r)
			upward := New(n) // the same without cycles: along a random order
			order := rng.Perm(n)
			for a := range n {
				for b := range r.Related(a) {
					if order[a] < order[b] {
						upward.Add(a, b)
					}
				}
			}
			f(upward)
		}
	}
}

func TestClosuresCyclesAndOrders(t *testing.T) {
	cases(func(r Relation) {
		n, reached := r.Len(), paths(r)
		closed := r.Clone()
		closed.Close()
		first := -1
		for a := range n {
			if first < 0 && reached[a][a] {
				first = a
			}
			for b := range n {
				if closed.Has(a, b) != reached[a][b] {
					t.Fatalf("%d elements: the closure says %t of %d and %d", n, closed.Has(a, b), a, b)
				}
			}
		}
		if _, _, _, found := closed.Gap(); found {
			t.Errorf("%d elements: the closure has a gap", n)
		}
		a, b, c, found := r.Gap()
		if gaps := !slices.Equal(r.bits, closed.bits); gaps != found || found && (!r.Has(a, b) || !r.Has(b, c) || r.Has(a, c)) {
			t.Errorf("%d elements: the gap is %d, %d, %d, found is %t", n, a, b, c, found)
		}
		if got := closed.Reflexive(); got != first {
			t.Errorf("%d elements: the first one on a cycle is %d, not %d", n, first, got)
		}
		order, acyclic := r.Order()
		if acyclic != (first < 0) {
			t.Fatalf("%d elements: acyclic is %t, and %d leads to itself", n, acyclic, first)
		}
		cycle := r.Cycle()
		if (cycle == nil) != acyclic {
			t.Fatalf("%d elements: the cycle is %v, acyclic is %t", n, cycle, acyclic)
		}
		for k := 1; k < len(cycle); k++ {
			if !r.Has(cycle[k-1], cycle[k]) || k > 1 && slices.Contains(cycle[1:k], cycle[k]) || cycle[0] != cycle[len(cycle)-1] {
				t.Fatalf("%v is no cycle", cycle)
			}
		}
		if long := len(cycle) - 1; long > 1 { // in fewer steps no element leads to itself
			steps := r.Clone()
			for range long - 2 {
				next := New(n)
				for a := range n {
					for b := range steps.Related(a) {
						next.Include(a, r.Row(b))
					}
				}
				if steps = next; steps.Reflexive() >= 0 {
					t.Fatalf("there is a shorter cycle than %v", cycle)
				}
			}
		}
		for i, a := range order {
			for b := range r.Related(a) {
				if acyclic && slices.Contains(order[:i], b) {
					t.Errorf("%d elements: %d comes behind %d", n, a, b)
				}
			}
		}
	})
}

func TestComponents(t *testing.T) {
	cases(func(r Relation) {
		n, reached := r.Len(), paths(r)
		both := r.Transpose()
		both.Unite(r)
		weak, joined := r.Weak(), paths(both)
		for a := range n {
			for b := range n {
				if a != b && (weak[a] == weak[b]) != joined[a][b] {
					t.Fatalf("%d elements: %d and %d have the numbers %d and %d", n, a, b, weak[a], weak[b])
				}
			}
		}
		number := make([]int, n)
		seen, found := 0, 0
		var g Digraph
		g.Reset(n)
		for a := range n {
			for b := range r.Related(a) {
				g.Add(a, b)
			}
		}
		order := make([]int32, n)
		count := g.ComponentsTo(order)
		for lo, hi := range g.Components() {
			own := order[lo:hi]
			if !slices.IsSorted(own) {
				t.Errorf("component %v is not in order", own)
			}
			for _, a := range own {
				number[a] = found
				seen++
			}
			found++
		}
		if seen != n || found != count {
			t.Fatalf("%d of %d elements are in components, of which there are %d, said to be %d", seen, n, found, count)
		}
		for a := range n {
			for b := range n {
				if a != b && (number[a] == number[b]) != (reached[a][b] && reached[b][a]) || r.Has(a, b) && number[a] > number[b] {
					t.Fatalf("%d elements: %d and %d are in components %d and %d", n, a, b, number[a], number[b])
				}
			}
		}
	})
}

func TestRows(t *testing.T) {
	r := New(70)
	for _, b := range []int{3, 64, 69} {
		r.Add(1, b)
	}
	r.Add(2, 3)
	r.Add(2, 65)
	if got := slices.Collect(r.Related(1)); !slices.Equal(got, []int{3, 64, 69}) || r.Count(1) != 3 {
		t.Errorf("1 is related to %v, %d elements", got, r.Count(1))
	}
	if r.Common(1, 2) != 1 || r.Extra(1, 2) != 65 || r.Extra(2, 1) != 64 || r.Extra(1, 0) != -1 {
		t.Error("rows are compared wrongly")
	}
	for range r.Related(1) {
		break
	}
	r.Include(2, r.Row(1))
	if r.Count(2) != 4 || r.Extra(2, 1) != -1 {
		t.Error("2 does not include 1")
	}
	if r.Clear(); r.Count(2) != 0 {
		t.Error("pairs are left")
	}
	defer func() {
		if recover() == nil {
			t.Error("relations on other sets are united")
		}
	}()
	r.Unite(New(3))
}
