package aggregate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/slicex"
)

// TestCountPairs compares counts with the definition: whole and other positions, several batches, exact sums.
func TestCountPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{2, 1}, {3, 64}, {5, 65}, {7, 700}, {150, 1700}} {
		for _, kind := range kinds {
			for _, scale := range []float64{1, 0.37, 1e12} {
				k, n := size[0], size[1]
				if k == 150 && (scale != 1 || kind == "ties") {
					continue
				}
				p := randomProfile(rng, kind, k, n)
				for i, x := range p.Ranks.Data {
					if x > 0 {
						p.Ranks.Data[i] = scale * x
					}
				}
				whole := scale == 1
				switch {
				case kind == "strict":
					p.Weights = nil
				case whole:
					for i := range p.Weights {
						p.Weights[i] = float64(rng.IntN(5))
					}
				}
				got := count(p)
				for u := range k {
					for v := range min(k, u+5) {
						var before, tied float64
						for i := range n {
							switch x, y := p.Ranks.Row(i)[u], p.Ranks.Row(i)[v]; {
							case u == v || isUnknown(x) || isUnknown(y):
							case x < y:
								before += p.weight(i)
							case x == y:
								tied += p.weight(i)
							}
						}
						b, d := got.Before.Row(u)[v], got.Tied.Row(u)[v]
						if whole && (b != before || d != tied) || !near(b, before) || !near(d, tied) {
							t.Fatalf("%s, %d rankings of %d items: pair (%d, %d) has %v and %v, want %v and %v", kind, n, k, u, v, b, d,
								before, tied)
						}
					}
				}
			}
		}
	}
}

// TestProfileCheck: illegal rankings are named.
func TestProfileCheck(t *testing.T) {
	legal := func() *Profile {
		p := &Profile{Ranks: linalg.NewMatrix[float64](3, 2), Weights: []float64{1, 0, 2}}
		p.Ranks.Data = []float64{1, 2, -1, math.NaN(), 0, 0}
		return p
	}
	if err := legal().Check(); err != nil {
		t.Fatal(err)
	}
	for name, try := range slicex.InOrder(map[string]struct {
		row    int
		change func(p *Profile)
	}{
		"no rows":       {-1, func(p *Profile) { p.Ranks.Rows = 0 }},
		"one item":      {-1, func(p *Profile) { p.Ranks.Cols = 1 }},
		"weights":       {-1, func(p *Profile) { p.Weights = p.Weights[:2] }},
		"no weight":     {-1, func(p *Profile) { clear(p.Weights) }},
		"samples":       {-1, func(p *Profile) { p.Extensions = 2 }},
		"one sample":    {-1, func(p *Profile) { p.Extensions = 1 }},
		"position":      {1, func(p *Profile) { p.Ranks.Data[2] = -2 }},
		"infinite":      {2, func(p *Profile) { p.Ranks.Data[4] = math.Inf(1) }},
		"weight":        {1, func(p *Profile) { p.Weights[1] = math.NaN() }},
		"large weights": {2, func(p *Profile) { p.Weights[2] = 1e300 }},
	}) {
		p := legal()
		try.change(p)
		err := p.Check()
		if err == nil || fault.RowOf(err) != try.row {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestPairsCheck: illegal weights of pairs are named.
func TestPairsCheck(t *testing.T) {
	legal := func() *Pairs {
		w := &Pairs{linalg.NewMatrix[float64](2, 2), linalg.NewMatrix[float64](2, 2)}
		w.Before.Data = []float64{0, 1, 2, 0}
		return w
	}
	if err := legal().Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range slicex.InOrder(map[string]func(w *Pairs){
		"shape":      func(w *Pairs) { w.Before.Cols = 1 },
		"items":      func(w *Pairs) { w.Before.Rows, w.Before.Cols = 1, 1 },
		"ties":       func(w *Pairs) { w.Tied.Rows = 1 },
		"negative":   func(w *Pairs) { w.Before.Data[1] = -1 },
		"NaN":        func(w *Pairs) { w.Before.Data[1] = math.NaN() },
		"large":      func(w *Pairs) { w.Before.Data[1] = 1e300 },
		"diagonal":   func(w *Pairs) { w.Before.Data[0] = 1 },
		"asymmetric": func(w *Pairs) { w.Tied.Data[1] = 1 },
	}) {
		w := legal()
		change(w)
		if w.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w := legal()
	w.Tied = matrix{}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
}

// TestChains: against the closures of all thresholds. Probabilities are from a coarse grid, so that many are equal.
func TestChains(t *testing.T) {
	const n, k = 200, 5
	rng := rand.New(rand.NewPCG(3, 17))
	p, chains, least := linalg.NewMatrix[float64](n, k*k), linalg.NewMatrix[float64](n, k*k), make([]float64, n)
	for i := range n {
		for u := range k {
			p.Row(i)[u*k+u] = 7 // is not read
			for v := range u {
				p.Row(i)[u*k+v] = float64(rng.IntN(11)) / 10
				p.Row(i)[v*k+u] = 1 - p.Row(i)[u*k+v]
				if i%2 == 1 {
					p.Row(i)[v*k+u] *= rng.Float64()
				}
			}
		}
	}
	if err := Chains(chains, least, p, k, 2, nil); err != nil {
		t.Fatal(err)
	}
	raised := 0
	for i := range n {
		thresholds := []float64{0.5}
		for at, x := range p.Row(i) {
			if x > 0.5 && at/k != at%k {
				thresholds = append(thresholds, x)
			}
		}
		slices.Sort(thresholds)
		want := 2.0
		for _, q := range thresholds {
			closure := make([]bool, k*k)
			for at, x := range p.Row(i) {
				closure[at] = x > q && at/k != at%k
			}
			for w := range k {
				for u := range k {
					for v := range k {
						closure[u*k+v] = closure[u*k+v] || closure[u*k+w] && closure[w*k+v]
					}
				}
			}
			cyclic := false
			for u := range k {
				cyclic = cyclic || closure[u*k+u]
				for v := range k {
					if above := chains.Row(i)[u*k+v] > q; u != v && above != closure[u*k+v] {
						t.Fatalf("matrix %d: %d before %d above %g: %v, want %v", i, u, v, q, above, closure[u*k+v])
					}
				}
			}
			if !cyclic {
				want = min(want, q)
			}
		}
		if least[i] != want {
			t.Errorf("matrix %d: least threshold %g, want %g", i, least[i], want)
		}
		if want > 0.5 {
			raised++
		}
	}
	if raised < 20 {
		t.Errorf("only %d matrices have cycles", raised)
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		p.Row(3)[1] = bad
		if err := Chains(chains, least, p, k, 1, nil); fault.RowOf(err) != 3 {
			t.Errorf("a probability of %g: %v", bad, err)
		}
	}
	p.Row(3)[1], p.Row(3)[k] = 0.6, 0.5
	if err := Chains(chains, least, p, k, 1, nil); err == nil || !strings.Contains(err.Error(), "row 3") ||
		!strings.Contains(err.Error(), "a sum of 1.1") {
		t.Errorf("probabilities of sum 1.1: %v", err)
	}
}

// TestGroups: some best order has no item of a later group before one of an earlier group, all items of a group reach one another,
// and groups come in the order of how many items they reach, and of their smallest item.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	all := members(Order, 6)
	sizes := map[int]bool{}
	for trial := range 60 {
		p := randomProfile(rng, kinds[trial%3], 6, 5)
		w := count(p)
		groups := groupsOf(w.Before)
		sizes[len(groups)] = true
		number := make([]int, 6)
		for c, items := range groups {
			for _, u := range items {
				number[u] = c
			}
		}
		reach := make([]bool, 36)
		for u := range 6 {
			for v := range 6 {
				reach[u*6+v] = u == v || w.Before.Row(u)[v] > w.Before.Row(v)[u]
			}
		}
		for x := range 6 {
			for i := range reach {
				reach[i] = reach[i] || reach[i/6*6+x] && reach[x*6+i%6]
			}
		}
		var last [2]int
		for c, items := range groups {
			reached := 0
			for v := range 6 {
				if reach[int(items[0])*6+v] {
					reached++
				}
			}
			for _, u := range items {
				for v := range 6 {
					if together := reach[int(u)*6+v] && reach[v*6+int(u)]; together != (number[v] == c) {
						t.Fatalf("items %d and %d are in the groups %v", u, v, groups)
					}
				}
			}
			if here := [2]int{-reached, int(items[0])}; c > 0 && slices.Compare(here[:], last[:]) < 0 {
				t.Fatalf("groups come in the order %v", groups)
			}
			last = [2]int{-reached, int(items[0])}
		}
		divided := slices.DeleteFunc(slices.Clone(all), func(r []bool) bool {
			for i, before := range r {
				if before && number[i/6] > number[i%6] {
					return true
				}
			}
			return false
		})
		if a, b := least(p, divided, 0.5), least(p, all, 0.5); !near(a, b) {
			t.Fatalf("orders of the groups cost %v, others %v", a, b)
		}
	}
	if len(sizes) < 3 {
		t.Errorf("profiles have %v groups", sizes)
	}
	none := Groups(70, func(u, v int) bool { return false })
	chain := Groups(70, func(u, v int) bool { return u == v+1 })
	for i := range 70 {
		if none[i][0] != int32(i) || chain[i][0] != int32(69-i) {
			t.Fatalf("without arcs groups are %v, of a chain %v", none, chain)
		}
	}
}

func BenchmarkCountPairs(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 3))
	for name, weighted := range slicex.InOrder(map[string]bool{"alike": false, "weighted": true}) {
		b.Run(name, func(b *testing.B) {
			p := randomProfile(rng, "strict", 100, 2000)
			if !weighted {
				p.Weights = nil
			}
			for b.Loop() {
				count(p)
			}
		})
	}
}

// TestAbstention compares the curve of two rankings with what is counted by hand.
func TestAbstention(t *testing.T) {
	p := linalg.NewMatrix[float64](2, 9)
	copy(p.Row(0), []float64{0, 0.9, 0.8, 0.1, 0, 0.7, 0.2, 0.3, 0})
	copy(p.Row(1), []float64{0, 0.4, 0.7, 0.6, 0, 0.6, 0.3, 0.4, 0})
	truth := []int8{1, 1, 1, 1, 1, 1}
	a, err := NewAbstention(truth, p, 3, nil, nil, 101, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2][]float64{
		{a.Thresholds, {0.5, 0.6, 0.7, 0.8}},
		{a.Completeness, {1, 4. / 6, 2. / 6, 1. / 6}},
		{a.Correctness, {2. / 3, 1, 1, 1}},
	} {
		if !slices.EqualFunc(pair[0], pair[1], func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }) {
			t.Errorf("the curve has %v, want %v", pair[0], pair[1])
		}
	}
	if few, err := NewAbstention(truth, p, 3, nil, nil, 2, 1, nil); err != nil || !slices.Equal(few.Thresholds, []float64{0.5, 0.8}) {
		t.Errorf("two thresholds are %v, %v", few, err)
	}
	one, err := NewAbstention(truth, p, 3, []float64{0, 2}, []float64{0.9}, 1, 1, nil)
	if err != nil || one.Completeness[0] != 0 || !math.IsNaN(one.Correctness[0]) {
		t.Errorf("where nothing is stated: %v, %v", one, err)
	}
	for _, of := range []struct{ weights, thresholds []float64 }{
		{[]float64{0, 0}, nil}, {nil, []float64{0.4}}, {nil, []float64{math.NaN()}},
	} {
		if _, err := NewAbstention(truth, p, 3, of.weights, of.thresholds, 9, 1, nil); err == nil {
			t.Errorf("weights %v and thresholds %v are not refused", of.weights, of.thresholds)
		}
	}
}
