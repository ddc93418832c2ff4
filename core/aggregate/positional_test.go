package aggregate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/linalg"
	"combpred/core/slicex"
)

// listedMeans returns the mean positions over all orders that agree with each ranking, by listing them.
func listedMeans(p *Profile) matrix {
	k := p.Items()
	means := linalg.NewMatrix[float64](p.Ranks.Rows, k)
	for i := range p.Ranks.Rows {
		row, mean := p.Ranks.Row(i), means.Row(i)
		agreeing := 0.0
		y := make([]int32, k)
		for order := range orders(k) {
			PositionsTo(y, order)
			agrees := true
			for u := range k {
				for v := range k {
					agrees = agrees && !(row[u] >= 0 && row[u] < row[v] && y[u] > y[v])
				}
			}
			if agrees {
				agreeing++
				for u, r := range y {
					mean[u] += float64(r)
				}
			}
		}
		for u := range mean {
			mean[u] /= agreeing
			if isUnknown(row[u]) {
				mean[u] = math.NaN()
			}
		}
	}
	return means
}

// TestPositionsAgainstAll compares consensuses by positions with all orders.
func TestPositionsAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	ratios := map[string]map[float64]bool{"strict": {}, "ties": {}, "unknown": {}}
	worst := 1.0
	for trial := range 150 {
		kind := kinds[trial%3]
		k := 2 + rng.IntN(4)
		p := randomProfile(rng, kind, k, 1+rng.IntN(5))
		means := listedMeans(p)
		squared, absolute := func(y []int32) (sum float64) {
			for i := range means.Rows {
				for u, x := range means.Row(i) {
					if math.IsNaN(x) {
						x = float64(k+1) / 2
					}
					sum += p.weight(i) * (x - float64(y[u])) * (x - float64(y[u]))
				}
			}
			return sum
		}, func(y []int32) (sum float64) {
			for i := range means.Rows {
				for u, x := range means.Row(i) {
					if !math.IsNaN(x) {
						sum += p.weight(i) * math.Abs(x-float64(y[u]))
					}
				}
			}
			return sum
		}
		leastSquared, leastAbsolute := math.Inf(1), math.Inf(1)
		y := make([]int32, k)
		for order := range orders(k) {
			PositionsTo(y, order)
			leastSquared, leastAbsolute = min(leastSquared, squared(y)), min(leastAbsolute, absolute(y))
		}
		b, err := Borda(p, 1, nil)
		if err != nil || !near(b.Distance, squared(b.Positions)) || !near(b.Distance, leastSquared) || !b.Optimal {
			t.Fatalf("Borda: %+v, %v; the least distance is %v", b, err, leastSquared)
		}
		f, err := Footrule(p, 1, nil)
		if err != nil || !near(f.Distance, absolute(f.Positions)) || !near(f.Distance, leastAbsolute) || !f.Optimal {
			t.Fatalf("footrule: %+v, %v; the least distance is %v", f, err, leastAbsolute)
		}
		m, err := MedianRank(p, 1, nil)
		if err != nil || !near(m.Distance, absolute(m.Positions)) || m.LowerBound > leastAbsolute+1e-9 ||
			m.Ratio > 0 && m.Distance > m.Ratio*leastAbsolute+1e-9 {
			t.Fatalf("median: %+v, %v; the least distance is %v", m, err, leastAbsolute)
		}
		ratios[kind][m.Ratio] = true
		if kind != "unknown" && leastAbsolute > 0 {
			worst = max(worst, m.Distance/leastAbsolute)
		}
	}
	if !ratios["strict"][2] || !ratios["ties"][3] || !ratios["unknown"][0] || worst < 1.1 {
		t.Errorf("medians have the ratios %v, at worst %v", ratios, worst)
	}
}

// TestUnrankedItems: items that nobody ranks are in the middle, and without preferences items keep their order.
func TestUnrankedItems(t *testing.T) {
	for want, data := range map[[3]int32][]float64{
		{1, 2, 3}: {1, -1, 2, 1, -1, 2},
		{3, 2, 1}: {2, -1, 1, 7, -1, 2},
	} {
		p := &Profile{Ranks: matrix{Rows: 2, Cols: 3, Stride: 3, Data: data}}
		b, _ := Borda(p, 1, nil)
		f, _ := Footrule(p, 1, nil)
		m, _ := MedianRank(p, 1, nil)
		for _, c := range []*Consensus{b, f, m} {
			inOrder := slices.IsSortedFunc(c.Order(), func(u, v int32) int { return int(want[u] - want[v]) })
			if !slices.Equal(c.Positions, want[:]) || !inOrder {
				t.Errorf("%v gives %v, want %v", c.Method, c.Positions, want)
			}
		}
	}
}

// TestAcyclicAgainstAll compares acyclic majorities with all orders.
func TestAcyclicAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	all := members(Order, 6)
	dropped := 0
	for trial := range 80 {
		p := circles(rng, 6, 5, trial%2 == 0)
		if trial%4 == 3 {
			p = randomProfile(rng, "unknown", 6, 5)
		}
		w := count(p)
		threshold := []float64{0.5, 0.6}[rng.IntN(2)]
		margins, err := Margins(w, threshold)
		if err != nil {
			t.Fatal(err)
		}
		var total, best float64
		for u := range 6 {
			for v := range 6 {
				a, b := w.Before.Row(u)[v], w.Before.Row(v)[u]
				want := 0.0
				if a > b && a > threshold*(a+b+w.Tied.Row(u)[v]) {
					want = a - b
				}
				if margins.Row(u)[v] != want {
					t.Fatalf("the margin of %v over %v is %v", a, b, margins.Row(u)[v])
				}
				total += want
			}
		}
		weigh := func(relation []bool) (sum float64) {
			for i, kept := range relation {
				if kept {
					sum += margins.Data[i]
				}
			}
			return sum
		}
		for _, relation := range all {
			best = max(best, weigh(relation))
		}
		for _, m := range []Method{Auto, Exact, LocalSearch, MILP} {
			a, err := Acyclic(margins, Options{Method: m, Programs: programs(rng, margins, 1, Solved)})
			if err != nil {
				t.Fatal(err)
			}
			closed := slices.Clone(a.Kept)
			for x := range 6 {
				for i := range closed {
					closed[i] = closed[i] || closed[i/6*6+x] && closed[x*6+i%6]
				}
			}
			switch {
			case !near(weigh(a.Kept), a.Weight), a.Weight > best+1e-9, a.UpperBound < best-1e-9:
				t.Fatalf("kept %v, said to be %v of at most %v; the best is %v", weigh(a.Kept), a.Weight, a.UpperBound, best)
			case a.Weight < a.Ratio*best-1e-9, a.Optimal != (a.Ratio == 1), !a.Optimal && m != LocalSearch:
				t.Fatalf("kept %v of %v with ratio %v", a.Weight, best, a.Ratio)
			case !slices.Equal(closed, a.Relation):
				t.Fatalf("the relation %v does not follow from %v", a.Relation, a.Kept)
			}
			for u := range 6 {
				if closed[7*u] {
					t.Fatalf("item %d is before itself", u)
				}
			}
			if a.Weight < total-1e-9 {
				dropped++
			}
		}
	}
	if dropped == 0 {
		t.Error("no preference was dropped")
	}
}

// TestLargeMajorities: beyond the limit of the exact method half of the weight is kept.
func TestLargeMajorities(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	w := &Pairs{Before: linalg.NewMatrix[float64](70, 70)}
	for u := range 70 {
		for v := range 70 {
			if u != v {
				w.Before.Row(u)[v] = float64(rng.IntN(20))
			}
		}
	}
	margins, err := Margins(w, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Acyclic(margins, Options{})
	if err != nil || a.Method != LocalSearch || a.Optimal || a.Ratio != 0.5 || a.Weight > a.UpperBound || !transitive(a.Relation, 70) {
		t.Errorf("%v, %v", a, err)
	}
	if _, err := Margins(w, 1); err == nil {
		t.Error("a threshold of 1 is no error")
	}
	if _, err := Acyclic(margins, Options{Method: LP}); err == nil {
		t.Error("rounding is no error")
	}
}

// TestExtend: samples of linear extensions agree with their order, share its weight, and come from its seed. The mean position of an
// item lies within 5 standard errors of that over all extensions: a false alarm in a million runs.
func TestExtend(t *testing.T) {
	const k, many = 4, 2000
	relations := make([]bool, 2*k*k)
	relations[0*k+1], relations[0*k+2] = true, true // a fork: 0 before 1 and 2
	for u := range k {                              // a chain
		for v := range u {
			relations[k*k+v*k+u] = true
		}
	}
	p, err := Extend(relations, k, []float64{3, 1}, many, 7, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if !near(p.total(), 4) || p.weight(0) != 3.0/many || p.Extensions != many {
		t.Errorf("weights add up to %v", p.total())
	}
	var sum, squares float64
	for i := range many {
		row := p.Ranks.Row(i)
		if row[0] > row[1] || row[0] > row[2] {
			t.Fatalf("extension %v", row)
		}
		sum += row[0]
		squares += row[0] * row[0]
		if chain := p.Ranks.Row(many + i); !slices.IsSorted(chain) {
			t.Fatalf("extension %v of a chain", chain)
		}
	}
	// Of the 8 extensions, 6 begin with item 0, and 2 with the item 3 before it.
	mean := sum / many
	if spread := math.Sqrt((squares/many - mean*mean) / many); math.Abs(mean-1.25) > 5*spread {
		t.Errorf("the mean position is %v", mean)
	}
	again, _ := Extend(relations, k, nil, many, 7, 3, nil)
	other, _ := Extend(relations, k, nil, many, 8, 1, nil)
	if !slices.Equal(again.Ranks.Data, p.Ranks.Data) || slices.Equal(other.Ranks.Data, p.Ranks.Data) {
		t.Error("extensions do not follow from the seed alone")
	}

	c, err := Kemeny(p, count(p), Options{Penalty: 0.5})
	if err != nil || c.StandardError <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
	distances := make([]float64, 2*many)
	for i := range distances {
		one := &Profile{Ranks: p.Ranks.Slice(i, i+1, 0, k)}
		distances[i] = kendall(one, relationOf(c.Positions), 0.5)
	}
	if want := p.standardError(distances); !near(c.StandardError, want) {
		t.Errorf("the standard error is %v, not %v", c.StandardError, want)
	}
	// Kendall's distance to the order of the chain, for the orders of the fork: 0 or 1 for (1, 2), 0 to 3 for item 3. The chain has none.
	if c.StandardError > 3*2/math.Sqrt(many) {
		t.Errorf("the standard error is %v", c.StandardError)
	}

	relations[0*k+1], relations[1*k+3], relations[0*k+3] = true, true, false
	if _, err := Extend(relations, k, nil, 2, 0, 1, nil); err == nil {
		t.Error("a relation that is not transitive is no error")
	}
	relations[3*k+0] = true
	if _, err := Extend(relations, k, nil, 2, 0, 1, nil); err == nil {
		t.Error("a circle is no error")
	}
	for name, f := range slicex.InOrder(map[string]func() error{
		"entries": func() error { _, err := Extend(relations[1:], k, nil, 2, 0, 1, nil); return err },
		"many":    func() error { _, err := Extend(relations, k, nil, 1, 0, 1, nil); return err },
		"weights": func() error { _, err := Extend(relations, k, []float64{1}, 2, 0, 1, nil); return err },
		"weight":  func() error { _, err := Extend(relations, k, []float64{1, -1}, 2, 0, 1, nil); return err },
	}) {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkFootrule(b *testing.B) {
	p := randomProfile(rand.New(rand.NewPCG(1, 10)), "strict", 100, 2000)
	for b.Loop() {
		if _, err := Footrule(p, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}
