package labelrank

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/slicex"
	"combpred/core/solve"
)

// drawn returns random preferences of n rows about k labels, with random margins.
func drawn(n, k int, how Decomposition, seed uint64) *Examples {
	rng := rand.New(rand.NewPCG(seed, 1))
	e := &Examples{Labels: k, Decomposition: how}
	for range n * k * (k - 1) / 2 {
		e.Signs = append(e.Signs, int8(rng.IntN(3)-1))
		e.Margins = append(e.Margins, rng.Float64()*2)
	}
	return e
}

func drawnDesign(n, p int, seed uint64) *solve.Design {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := &solve.Design{Rows: linalg.Rows{Dense: linalg.NewMatrix[float64](n, p)}, Intercept: true}
	for i := range x.Dense.Data {
		x.Dense.Data[i] = rng.NormFloat64()
	}
	return x
}

func TestSubgraphsAreThoseOfTheDecomposition(t *testing.T) {
	// 0 before 1, 2 before 0, 1 and 2 unknown, 0 before 3, 3 before 1, 3 before 2.
	signs := []int8{1, -1, 1, 0, -1, -1}
	pairs := func(how Decomposition) (out [][][2]int) {
		var g graph
		g.readFrom(&Examples{Labels: 4, Decomposition: how, Signs: signs}, 0)
		start := 0
		for _, end := range g.ends {
			var part [][2]int
			for _, e := range g.edges[start:end] {
				if u, v := min(e.winner, e.loser), max(e.winner, e.loser); pairAt(u, v, 4) != e.pair || e.margin != 1 {
					t.Errorf("edge %v", e)
				}
				part = append(part, [2]int{e.winner, e.loser})
			}
			out, start = append(out, part), end
		}
		if g.share != 1/float64(len(out)) {
			t.Errorf("share %g of %d subgraphs", g.share, len(out))
		}
		return out
	}
	want := map[Decomposition][][][2]int{
		Edges: {{{0, 1}}, {{2, 0}}, {{0, 3}}, {{3, 1}}, {{3, 2}}},
		Stars: {{{0, 1}, {0, 3}}, {{2, 0}}, {{3, 1}, {3, 2}}},
		Whole: {{{0, 1}, {2, 0}, {0, 3}, {3, 1}, {3, 2}}},
		Sinks: {{{2, 0}}, {{0, 1}, {3, 1}}, {{3, 2}}, {{0, 3}}},
	}
	for how, subgraphs := range slicex.InOrder(want) {
		if got := pairs(how); !slices.EqualFunc(got, subgraphs, slices.Equal[[][2]int]) {
			t.Errorf("decomposition %d: %v, want %v", how, got, subgraphs)
		}
	}
}

// A block is solved where its gap is zero: then no other variables within their bounds have a larger dual.
func TestBlockAscendsToItsMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, how := range []Decomposition{Edges, Stars, Whole} {
		for seed := range uint64(30) {
			e := drawn(1, 4, how, seed)
			b := newBlock(4)
			norm := rng.Float64() * 3
			b.load(e, 0, nil, norm, 2)
			before := make([]float64, 4)
			for l := range before {
				before[l] = rng.NormFloat64()
			}
			copy(b.f, before)
			if err := b.ascend(1e-12, 0, 100000, nil); err != nil {
				t.Fatal(err)
			}
			if gap := b.gap(); gap > 1e-11 {
				t.Fatalf("decomposition %d, seed %d: gap %g", how, seed, gap)
			}
			found := dualAt(b, before, norm, b.alpha)
			if math.Abs(found-b.dual) > 1e-10 {
				t.Errorf("dual %g, counted %g", found, b.dual)
			}
			for range 200 {
				if other := dualAt(b, before, norm, feasible(b, rng)); other > found+1e-10 {
					t.Fatalf("decomposition %d, seed %d: %g is above %g", how, seed, other, found)
				}
			}
		}
	}
}

// Large subgraphs are left as soon as they have no more than their share of the gap allowed, not when they are solved.
func TestASubgraphIsLeftAtItsShareOfTheGap(t *testing.T) {
	for _, how := range []Decomposition{Stars, Whole} {
		e := drawn(1, 20, how, 4)
		visit := func(target float64) (*block, float64) {
			b := newBlock(20)
			b.load(e, 0, nil, 1, 10)
			open := b.gap()
			if err := b.ascend(target*open, 0, 1<<16, nil); err != nil {
				t.Fatal(err)
			}
			if b.gap() > target*open {
				t.Errorf("decomposition %d: gap %g of %g, asked for %g of it", how, b.gap(), open, target)
			}
			return b, open
		}
		rough, open := visit(0.25)
		fine, _ := visit(1e-9)
		if rough.gap() < 1e-4*open || fine.dual < rough.dual || fine.dual > rough.dual+rough.gap() {
			t.Errorf("decomposition %d: gap %g of %g; duals %g and %g", how, rough.gap(), open, rough.dual, fine.dual)
		}
	}
}

// dualAt returns by how much variables alpha raise the dual above that at zero.
func dualAt(b *block, before []float64, norm float64, alpha []float64) float64 {
	moved := make([]float64, len(before))
	var sum float64
	for at, e := range b.graph.edges {
		sum += alpha[at] * e.margin
		moved[e.winner] += alpha[at]
		moved[e.loser] -= alpha[at]
	}
	for l, v := range moved {
		sum -= v*before[l] + 0.5*norm*v*v
	}
	return sum
}

// feasible draws variables within their bounds.
func feasible(b *block, rng *rand.Rand) []float64 {
	out := make([]float64, len(b.alpha))
	start := 0
	for _, end := range b.graph.ends {
		left := b.limit
		for at := start; at < end; at++ {
			out[at] = left * rng.Float64()
			left -= out[at]
		}
		start = end
	}
	return out
}

func TestLinearAndKernelMachinesAgree(t *testing.T) {
	const n, p, k = 20, 3, 4
	for _, how := range []Decomposition{Edges, Stars, Whole} {
		e, x := drawn(n, k, how, 7), drawnDesign(n, p, 7)
		opt := Options{Cost: 0.5, Tol: 1e-8, MaxIter: 100000, Seed: 1, Workers: 2}
		coef, dual, kernel := linalg.NewMatrix[float64](p+1, k), linalg.NewMatrix[float64](n, k), linalg.NewMatrix[float64](n, n)
		alpha := make([]float64, len(e.Signs))
		linear, err := SolveLinear(e, x, opt, alpha, coef)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				kernel.Row(i)[j] = 1
				for c, v := range x.Dense.Row(i) {
					kernel.Row(i)[j] += v * x.Dense.Row(j)[c]
				}
			}
		}
		other, err := SolveKernel(e, kernel, opt, alpha, dual)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(linear.Objective-other.Objective) > 1e-7*linear.Objective {
			t.Errorf("decomposition %d: objectives %g and %g", how, linear.Objective, other.Objective)
		}
		if linear.Gap > opt.Tol*linear.Objective || linear.Gap < 0 {
			t.Errorf("decomposition %d: gap %g", how, linear.Gap)
		}
	}
}

func TestLimitsAndCancellationAreReported(t *testing.T) {
	e, x := drawn(30, 4, Whole, 8), drawnDesign(30, 2, 8)
	alpha, coef := make([]float64, len(e.Signs)), linalg.NewMatrix[float64](3, 4)
	var partial *solve.NotConvergedError
	info, err := SolveLinear(e, x, Options{Cost: 100, Tol: 1e-12, MaxIter: 2, Workers: 1}, alpha, coef)
	if !errors.As(err, &partial) || info.Iter != 2 || !(info.Gap > 0) {
		t.Errorf("info %v, error %v", info, err)
	}
	mon := new(parallel.Monitor)
	mon.Cancel()
	_, err = SolveLinear(e, x, Options{Cost: 1, Tol: 1e-3, MaxIter: 9, Workers: 1, Mon: mon}, alpha, coef)
	if !errors.Is(err, parallel.ErrCancelled) {
		t.Error(err)
	}
	l := Learner{Coef: coef}
	if err = l.Learn(e, x, nil, mon); !errors.Is(err, parallel.ErrCancelled) {
		t.Error(err)
	}
}

// The mean of the weights, which Learn keeps as a sum of changes, against its definition.
func TestAverageIsTheMeanOfTheWeights(t *testing.T) {
	const n, p, k = 25, 2, 3
	e, x := drawn(n, k, Edges, 9), drawnDesign(n, p, 9)
	e.Margins = nil
	rng := rand.New(rand.NewPCG(9, 9))
	for range n {
		e.Weights = append(e.Weights, rng.Float64())
	}
	for _, update := range []Update{Additive, Multiplicative, PrimalDual} {
		newLearner := func() *Learner {
			return &Learner{Update: update, Rate: 1, Radius: 5, Cost: 1, Coef: linalg.NewMatrix[float64](p+1, k),
				Theta: linalg.NewMatrix[float64](p+1, k), Average: linalg.NewMatrix[float64](p+1, k)}
		}
		all, single := newLearner(), newLearner()
		if err := all.Learn(e, x, nil, nil); err != nil {
			t.Fatal(err)
		}
		mean, total := linalg.NewMatrix[float64](p+1, k), 0.0
		for i := range n {
			one := &Examples{Labels: k, Decomposition: Edges, Signs: e.Signs[i*3 : i*3+3], Weights: e.Weights[i : i+1]}
			row := &solve.Design{Rows: linalg.Rows{Dense: x.Dense.Slice(i, i+1, 0, p)}, Intercept: true}
			if err := single.Learn(one, row, []int64{0}, nil); err != nil {
				t.Fatal(err)
			}
			total += e.Weights[i]
			for at, v := range single.Coef.Data {
				mean.Data[at] += e.Weights[i] * v
			}
		}
		for at, v := range mean.Data {
			if math.Abs(v/total-all.Average.Data[at]) > 1e-12 || math.Abs(single.Coef.Data[at]-all.Coef.Data[at]) > 1e-12 {
				t.Errorf("update %d: mean %g, got %g", update, v/total, all.Average.Data[at])
			}
		}
		if all.Tally.Weight != single.Tally.Weight || all.Tally.Mistakes != single.Tally.Mistakes {
			t.Errorf("update %d: %v, by single rows %v", update, all.Tally, single.Tally)
		}
	}
}

func TestASweepIsNotBegunWhenCancelled(t *testing.T) {
	// A row of many labels in one graph takes longer than may pass between polls.
	e := drawn(1, 6, Whole, 3)
	mon := new(parallel.Monitor)
	mon.Cancel()
	b := newBlock(6)
	b.load(e, 0, nil, 1, 1)
	if err := b.ascend(0, 0, 1<<16, mon); !errors.Is(err, parallel.ErrCancelled) || b.dual != 0 {
		t.Errorf("error %v after the dual rose by %g", err, b.dual)
	}
}

// Subgraphs of the caller's own are taken as they are, and refused where they are no subgraphs of the rows.
func TestOwnSubgraphs(t *testing.T) {
	e := &Examples{Labels: 3, Signs: []int8{1, 1, 1, 0, 0, 0}} // 0 before 1 before 2, and nothing
	legal := Subgraphs{Rows: []int64{0, 2, 2}, Edges: []int64{0, 1, 3}, Ends: [][2]int32{{0, 2}, {1, 2}, {0, 2}}}
	e.Own = &legal
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	var g graph
	g.readFrom(e, 0)
	want := []edge{{0, 2, 1, 1}, {1, 2, 2, 1}, {0, 2, 1, 1}}
	if !slices.Equal(g.edges, want) || !slices.Equal(g.ends, []int{1, 3}) || g.share != 0.5 {
		t.Errorf("edges %v, ends %v, share %g", g.edges, g.ends, g.share)
	}
	if g.readFrom(e, 1); len(g.edges)+len(g.ends) > 0 || g.share != 0 {
		t.Errorf("a row without subgraphs has %v", g)
	}
	if err := e.requireDisjoint(); err == nil || !strings.Contains(err.Error(), "row 0: two subgraphs hold the edge from 0 to 2") {
		t.Errorf("an edge in two subgraphs: %v", err)
	}
	for what, c := range slicex.InOrder(map[string]struct {
		own  Subgraphs
		want string
	}{
		"rows":       {Subgraphs{[]int64{0, 2}, legal.Edges, legal.Ends}, "must ascend from 0"},
		"descending": {Subgraphs{[]int64{0, 3, 2}, legal.Edges, legal.Ends}, "must ascend from 0"},
		"edges":      {Subgraphs{legal.Rows, []int64{0, 1, 2}, legal.Ends}, "must ascend from 0"},
		"empty":      {Subgraphs{legal.Rows, []int64{0, 3, 3}, legal.Ends}, "row 0: subgraph 1 of the decomposition has no edges"},
		"no label":   {Subgraphs{legal.Rows, legal.Edges, [][2]int32{{0, 3}, {1, 2}, {0, 2}}}, "from 0 to 3, must be different labels"},
		"itself":     {Subgraphs{legal.Rows, legal.Edges, [][2]int32{{1, 1}, {1, 2}, {0, 2}}}, "from 1 to 1, must be different labels"},
		"reversed":   {Subgraphs{legal.Rows, legal.Edges, [][2]int32{{2, 0}, {1, 2}, {0, 2}}}, "from 2 to 0, a preference that the row"},
		"unstated":   {Subgraphs{[]int64{0, 0, 2}, legal.Edges, legal.Ends}, "row 1: subgraph 0 of the decomposition has the edge"},
	}) {
		e.Own = &c.own
		if err := e.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, must say %q", what, err, c.want)
		}
	}
}
