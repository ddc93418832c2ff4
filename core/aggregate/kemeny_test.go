package aggregate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/fault"
	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/structure"
)

// check compares a consensus with the least distance: no bound may lie, no guarantee be broken.
func check(t *testing.T, c *Consensus, p *Profile, best, penalty float64) {
	t.Helper()
	relation := c.Relation
	if relation == nil {
		relation = relationOf(c.Positions)
	}
	switch d := kendall(p, relation, penalty); {
	case !near(c.Distance, d):
		t.Fatalf("%v: the distance is %v, said to be %v", c.Method, d, c.Distance)
	case c.LowerBound > best+1e-9 || c.Distance < best-1e-9:
		t.Fatalf("%v: distance %v and bound %v, the least distance is %v", c.Method, c.Distance, c.LowerBound, best)
	case c.Optimal && (!near(d, best) || c.Ratio != 1 || c.Distance > c.LowerBound):
		t.Fatalf("%v: said to be optimal at %v, the least distance is %v", c.Method, d, best)
	case c.Ratio > 0 && !c.Expected && d > c.Ratio*best+1e-9:
		t.Fatalf("%v: %v is more than %v times %v", c.Method, d, c.Ratio, best)
	case c.Reason == "":
		t.Fatalf("%v: no reason for the bound %v", c.Method, c.LowerBound)
	}
}

// TestOrdersAgainstAll compares every method that needs no program with all orders.
func TestOrdersAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	all := map[int][][]bool{}
	for k := 2; k <= 6; k++ {
		all[k] = members(Order, k)
	}
	missed := map[Method]int{}
	for trial := range 150 {
		kind := kinds[trial%3]
		k := 2 + rng.IntN(5)
		p := randomProfile(rng, kind, k, 1+rng.IntN(6))
		if trial%2 == 0 && kind != "unknown" {
			k = 6
			p = circles(rng, k, 3+rng.IntN(3), kind == "ties")
		}
		penalty := []float64{0, 0.5, 1}[rng.IntN(3)]
		best := least(p, all[k], penalty)
		for _, m := range []Method{Auto, Exact, Pivot, RandomPivot, LocalSearch, BestInput} {
			c, err := Kemeny(p, count(p), Options{Method: m, Penalty: penalty, Seed: uint64(trial)})
			if err != nil {
				t.Fatal(err)
			}
			check(t, c, p, best, penalty)
			if !c.Optimal && (m == Auto || m == Exact) || kind != "unknown" && c.Ratio == 0 {
				t.Fatalf("method %v of a %s profile: optimal %t, ratio %v", m, kind, c.Optimal, c.Ratio)
			}
			if c.Distance > best+1e-9 {
				missed[m]++
			}
			if m == BestInput {
				continue
			}
			alone, err := Kemeny(nil, count(p), Options{Method: m, Penalty: penalty, Seed: uint64(trial)})
			if err != nil {
				t.Fatal(err)
			}
			check(t, alone, p, best, penalty)
		}
	}
	if missed[Pivot] == 0 || missed[RandomPivot] == 0 || missed[BestInput] == 0 {
		t.Errorf("methods missed the best order %v times: the test shows nothing", missed)
	}
}

// TestRelationsAgainstAll compares consensuses with ties, and partial orders, with all of them.
func TestRelationsAgainstAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for output, sizes := range slicex.InOrder(map[Output][]int{Weak: {3, 4, 5}, Partial: {3, 4}}) {
		all := map[int][][]bool{}
		for _, k := range sizes {
			all[k] = members(output, k)
		}
		for trial := range 90 {
			k := sizes[rng.IntN(len(sizes))]
			kind := kinds[trial%3]
			p := randomProfile(rng, kind, k, 1+rng.IntN(5))
			penalty := []float64{0, 0.25, 0.5, 0.8}[rng.IntN(4)]
			best := least(p, all[k], penalty)
			for _, m := range []Method{Auto, Exact, LocalSearch, BestInput} {
				c, err := Kemeny(p, count(p), Options{Method: m, Output: output, Penalty: penalty})
				if err != nil {
					t.Fatal(err)
				}
				check(t, c, p, best, penalty)
				relation := c.Relation
				if output == Weak {
					relation = relationOf(c.Positions)
				}
				if !slices.ContainsFunc(all[k], func(r []bool) bool { return slices.Equal(r, relation) }) {
					t.Fatalf("output %d: %v is none", output, relation)
				}
				if !c.Optimal && m != LocalSearch && m != BestInput {
					t.Fatalf("method %v is not optimal", m)
				}
				if !c.Optimal && (c.Ratio == 0) != (kind == "unknown" || penalty == 0) {
					t.Fatalf("%s rankings with penalty %v: ratio %v", kind, penalty, c.Ratio)
				}
			}
		}
	}
}

// programs returns solutions in which x is the mean of some orders of each group: it satisfies all constraints, although it is no
// optimum.
func programs(rng *rand.Rand, before matrix, some int, state ProgramState) *Programs {
	groups := groupsOf(before)
	s := &Programs{X: linalg.NewMatrix[float64](before.Rows, before.Rows), LowerBound: make([]float64, len(groups))}
	for c, items := range groups {
		s.State = append(s.State, state)
		part := submatrix(before, items)
		best, err := exactPart(part)
		if err != nil {
			panic(err)
		}
		s.LowerBound[c] = best.lowerBound
		for i := range some {
			order := best.order
			if i > 0 {
				rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			}
			for place, u := range order {
				for _, v := range order[place+1:] {
					s.X.Row(int(items[u]))[items[v]] += 1 / float64(some)
				}
			}
		}
	}
	return s
}

// TestPrograms: solutions are taken over, rounded, or replaced by a search.
func TestPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	all := members(Order, 6)
	fractional := 0
	for trial := range 40 {
		p := circles(rng, 6, 3, trial%2 == 0)
		w := count(p)
		best := least(p, all, 0.5)
		for _, m := range []Method{MILP, LP} {
			c, err := Kemeny(p, w, Options{Method: m, Penalty: 0.5, Programs: programs(rng, w.Before, 1, Solved)})
			if err != nil || !c.Optimal || c.Method != m {
				t.Fatalf("a solved program gives %+v, %v", c, err)
			}
			check(t, c, p, best, 0.5)
			late := programs(rng, w.Before, 1, OutOfTime)
			clear(late.LowerBound)
			if c, err = Kemeny(p, w, Options{Method: m, Penalty: 0.5, Programs: late}); err != nil {
				t.Fatal(err)
			}
			check(t, c, p, best, 0.5)
		}
		mixed := programs(rng, w.Before, 2, Fractional)
		for c := range mixed.LowerBound {
			mixed.LowerBound[c] -= 0.5
		}
		c, err := Kemeny(p, w, Options{Method: LP, Penalty: 0.5, Programs: mixed})
		if err != nil {
			t.Fatal(err)
		}
		c.Ratio = 0 // it is for optima
		if !c.Optimal {
			fractional++
			check(t, c, p, best, 0.5)
		}
	}
	if fractional == 0 {
		t.Error("no program was rounded")
	}
	p := circles(rng, 6, 3, false)
	w := count(p)
	for len(groupsOf(w.Before)) > 1 {
		p = circles(rng, 6, 3, false)
		w = count(p)
	}
	bad := programs(rng, w.Before, 3, Solved)
	for u := range 6 {
		for v := range 6 {
			bad.X.Row(u)[v] = 0
		}
	}
	gaps := &Programs{X: linalg.NewMatrix[float64](6, 6), State: []ProgramState{Solved}, LowerBound: []float64{0}}
	gaps.X.Row(0)[1], gaps.X.Row(1)[2] = 1, 1 // without 0 before 2
	for name, o := range slicex.InOrder(map[string]Options{
		"no programs":          {Method: LP},
		"no order":             {Method: LP, Programs: bad},
		"shape":                {Method: LP, Programs: &Programs{}},
		"number":               {Method: LP, Programs: &Programs{X: bad.X}},
		"no partial order":     {Method: MILP, Output: Partial, Programs: gaps},
		"no weak order":        {Method: MILP, Output: Weak, Programs: gaps},
		"state":                {Method: LP, Programs: &Programs{X: bad.X, State: []ProgramState{7}, LowerBound: []float64{0}}},
		"fraction of integers": {Method: MILP, Programs: programs(rng, w.Before, 2, Fractional)},
	}) {
		if _, err := Kemeny(p, w, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLargeGroups: beyond the limit of exact methods there is an error, or a search with a bound.
func TestLargeGroups(t *testing.T) {
	const k = MostExact + 2
	p := &Profile{Ranks: linalg.NewMatrix[float64](k, k)}
	for i := range k {
		for u := range k {
			p.Ranks.Row(i)[u] = float64((u + i) % k)
		}
	}
	w := count(p)
	for output := range Output(3) {
		_, err := Kemeny(p, w, Options{Method: Exact, Output: output, Penalty: 0.5})
		if _, ok := errors.AsType[*structure.LimitError](err); !ok {
			t.Errorf("output %d: the error is %v", output, err)
		}
		c, err := Kemeny(p, w, Options{Output: output, Penalty: 0.5})
		if err != nil || c.Method != LocalSearch || c.Ratio != 2 || c.LowerBound <= 0 || c.LowerBound >= c.Distance {
			t.Errorf("output %d: %+v, %v", output, c, err)
		}
	}
}

// TestWorkersAndCancellation: results do not depend on the number of workers, and requests to stop are answered.
func TestWorkersAndCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	p := randomProfile(rng, "ties", 30, 400)
	var stopped parallel.Monitor
	stopped.Cancel()
	for i := range p.Weights {
		p.Weights[i] = rng.Float64()
	}
	w := count(p)
	more, err := CountPairs(p, 3, nil)
	if err != nil || !slices.Equal(w.Before.Data, more.Before.Data) || !slices.Equal(w.Tied.Data, more.Tied.Data) {
		t.Fatalf("counts depend on the number of workers: %v", err)
	}
	if _, err := CountPairs(p, 1, &stopped); !errors.Is(err, parallel.ErrCancelled) {
		t.Errorf("counting: %v", err)
	}
	for output := range Output(3) {
		for m := Auto; m <= BestInput; m++ {
			if m == Exact || m == MILP || m == LP || output != Order && (m == Pivot || m == RandomPivot) {
				continue
			}
			one, err := Kemeny(p, w, Options{Method: m, Output: output, Penalty: 0.5, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			three, err := Kemeny(p, w, Options{Method: m, Output: output, Penalty: 0.5, Workers: 3})
			if err != nil || !slices.Equal(one.Positions, three.Positions) || !slices.Equal(one.Relation, three.Relation) {
				t.Errorf("method %v depends on the number of workers: %v", m, err)
			}
			if _, err := Kemeny(p, w, Options{Method: m, Output: output, Monitor: &stopped}); !errors.Is(err, parallel.ErrCancelled) {
				t.Errorf("method %v: %v", m, err)
			}
		}
	}
	for name, f := range slicex.InOrder(map[string]func(*Profile, int, *parallel.Monitor) (*Consensus, error){
		"borda": Borda, "footrule": Footrule, "median": MedianRank,
	}) {
		one, _ := f(p, 1, nil)
		three, err := f(p, 3, nil)
		if err != nil || !slices.Equal(one.Positions, three.Positions) || one.Distance != three.Distance {
			t.Errorf("%s depends on the number of workers: %v", name, err)
		}
		if _, err := f(p, 1, &stopped); !errors.Is(err, parallel.ErrCancelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefusals: what is illegal is an error before any work is done.
func TestRefusals(t *testing.T) {
	p := randomProfile(rand.New(rand.NewPCG(6, 1)), "strict", 4, 3)
	w := count(p)
	if _, err := Kemeny(p, w, Options{Method: Pivot, Output: Weak}); fault.KindOf(err) != fault.KindCapability {
		t.Errorf("pivots for orders with ties: %v", err)
	}
	other := count(randomProfile(rand.New(rand.NewPCG(6, 2)), "strict", 5, 3))
	for _, try := range []struct {
		p     *Profile
		pairs *Pairs
		o     Options
	}{
		{p, w, Options{Method: BordaCount}},
		{p, w, Options{Output: 3}},
		{p, w, Options{Penalty: math.NaN()}},
		{nil, w, Options{Method: BestInput}},
		{p, other, Options{}},
	} {
		if _, err := Kemeny(try.p, try.pairs, try.o); err == nil {
			t.Errorf("no error for %+v", try.o)
		}
	}
	if BestInput.String() != "best-input" || Method(-1).String() != "unknown" {
		t.Error("methods have other names")
	}
}
