package spanning

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/internal/drawtest"
)

// maskedCase is a connected multigraph with weights, a mask, and the trees that it allows, found by trying all sets of edges.
type maskedCase struct {
	name   string
	g      *Graph
	state  []State
	weight []float64
	all    drawtest.Outcomes
}

func newMaskedCase(t *testing.T, n, more int, scale float64, rng *rand.Rand) *maskedCase {
	edges := random(n, more, rng)
	for range rng.IntN(3) { // parallel edges
		e := edges[rng.IntN(len(edges))]
		edges = append(edges, [2]int32{e[1], e[0]})
	}
	c := &maskedCase{g: mustNew(t, n, edges), state: make([]State, len(edges)), weight: make([]float64, len(edges))}
	decided := rng.Float64()
	for i := range edges {
		c.weight[i] = scale * rng.NormFloat64()
		if rng.Float64() < decided {
			c.state[i] = State(1 + rng.IntN(2))
		}
	}
	c.name = fmt.Sprintf("%d vertices, %v, mask %v, scale %g", n, edges, c.state, scale)
	y := make([]int32, len(edges))
	for set := range uint(1) << len(edges) {
		if bits.OnesCount(set) != n-1 {
			continue
		}
		var f Forest
		f.Reset(n)
		var value float64
		allowed := true
		for i, e := range edges {
			y[i] = int32(set >> i & 1)
			value += float64(y[i]) * c.weight[i]
			allowed = allowed && (y[i] == 0 || f.Join(e[0], e[1])) &&
				(c.state[i] == Free || y[i] == 1 == (c.state[i] == Required))
		}
		if allowed {
			c.all.Add(y, value)
		}
	}
	return c
}

// TestMasksAgainstAllTrees compares all methods of restricted graphs with the trees among all sets of edges that the mask allows.
func TestMasksAgainstAllTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	left := 0
	for trial := range 150 {
		c := newMaskedCase(t, 2+trial%5, rng.IntN(6), []float64{0, 1, 900}[trial%3], rng)
		g, err := c.g.Restrict(c.state)
		if len(c.all.Values) == 0 {
			c.refused(t, err)
			continue
		}
		if err != nil {
			t.Fatalf("%s: %d trees, but %v", c.name, len(c.all.Values), err)
		}
		left++
		c.counts(t, g)
		c.weighs(t, g)
		c.draws(t, g, rng)
	}
	if left < 40 || left > 120 {
		t.Errorf("%d of the masks leave trees: too few cases of one kind", left)
	}
}

// refused: an error names edges that really stand in the way of a tree.
func (c *maskedCase) refused(t *testing.T, err error) {
	t.Helper()
	if cycle, ok := errors.AsType[*CycleError](err); ok {
		degree := make([]int, c.g.N())
		for _, i := range cycle.Edges {
			if c.state[i] != Required {
				t.Errorf("%s: %v, but edge %d is not required", c.name, err, i)
			}
			for _, v := range c.g.Ends()[i] {
				degree[v]++
			}
		}
		if len(cycle.Edges) < 2 || slices.ContainsFunc(degree, func(d int) bool { return d != 0 && d != 2 }) {
			t.Errorf("%s: %v, but these edges have the degrees %v", c.name, err, degree)
		}
		return
	}
	cut, ok := errors.AsType[*DisconnectedError](err)
	if !ok {
		t.Fatalf("%s: no tree is left, but the error is %v", c.name, err)
	}
	inside := func(v int32) bool { return slices.Contains(cut.Side, v) }
	if !inside(cut.From) || inside(cut.To) || len(cut.Cut) == 0 {
		t.Errorf("%s: %v with the side %v", c.name, err, cut.Side)
	}
	for i, e := range c.g.Ends() {
		crosses := inside(e[0]) != inside(e[1])
		if crosses && c.state[i] != Forbidden || crosses != slices.Contains(cut.Cut, int32(i)) {
			t.Errorf("%s: %v with the side %v, but edge %d", c.name, err, cut.Side, i)
		}
	}
}

// counts: the list, the number and the uniform distribution.
func (c *maskedCase) counts(t *testing.T, g *Graph) {
	t.Helper()
	trees, d := len(c.all.Values), len(c.state)
	listed := 0
	var last []int32
	for y := range g.All() {
		if !slices.ContainsFunc(c.all.Values, func(z []int32) bool { return slices.Equal(y, z) }) || slices.Compare(last, y) >= 0 {
			t.Fatalf("%s: lists %v after %v", c.name, y, last)
		}
		last = slices.Clone(y)
		listed++
	}
	if listed != trees || g.Count().Cmp(big.NewInt(int64(trees))) != 0 || math.Abs(g.LogCount()-math.Log(float64(trees))) > 1e-13 {
		t.Errorf("%s: lists %d trees, counts %v, the logarithm is %v, want %d", c.name, listed, g.Count(), g.LogCount(), trees)
	}
	currents := g.Currents()
	for i := range d {
		for j := range d {
			var both float64
			for _, y := range c.all.Values {
				both += float64(y[i]*y[j]) / float64(trees)
			}
			if got := currents.Pair(i, j); math.Abs(got-both) > 1e-13 {
				t.Fatalf("%s: edges %d and %d have probability %v, want %v", c.name, i, j, got, both)
			}
		}
	}
}

// weighs: the best tree, ln Z and marginals, which are exactly 1 and 0 where the mask decides.
func (c *maskedCase) weighs(t *testing.T, g *Graph) {
	t.Helper()
	d := len(c.state)
	p, want := c.all.Probabilities()
	best, y := math.Inf(-1), make([]int32, d)
	edges := make([]float64, d)
	for k, z := range c.all.Values {
		var value float64
		for i, in := range z {
			value += float64(in) * c.weight[i]
			edges[i] += p[k] * float64(in)
		}
		best = max(best, value)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-12*(1+math.Abs(want)) }
	got := g.MaximumTo(y, func(e int) float64 { return c.weight[e] })
	if !near(got, best) || !slices.ContainsFunc(c.all.Values, func(z []int32) bool { return slices.Equal(y, z) }) {
		t.Errorf("%s: the best tree is %v of weight %v, want %v", c.name, y, got, best)
	}
	if sum, err := g.LogSum(c.weight, nil); err != nil || !near(sum, want) {
		t.Errorf("%s: the sum is %v, want %v (%v)", c.name, sum, want, err)
	}
	marginals := make([]float64, d)
	floats.AddConst(math.NaN(), marginals)
	if sum, err := g.EdgesTo(marginals, c.weight, nil); err != nil || !near(sum, want) || !floats.EqualApprox(marginals, edges, 1e-10) {
		t.Errorf("%s: the edges have %v and the sum is %v, want %v and %v (%v)", c.name, marginals, sum, edges, want, err)
	}
	for i, s := range c.state {
		if s == Required && marginals[i] != 1 || s == Forbidden && marginals[i] != 0 {
			t.Errorf("%s: edge %d has the probability %v", c.name, i, marginals[i])
		}
	}
}

// draws: uniform trees, weighted ones, and exchanges. Each check fails a correct sampler with a probability below 1e-6.
func (c *maskedCase) draws(t *testing.T, g *Graph, rng *rand.Rand) {
	t.Helper()
	var uniform drawtest.Outcomes
	for _, y := range c.all.Values {
		uniform.Add(y, 0)
	}
	y, z := make([]int32, len(c.state)), make([]int32, len(c.state))
	uniform.Check(t, c.name+", uniform", func() []int32 {
		g.SampleTo(y, rng)
		return y
	})
	uniform.Check(t, c.name+", exchanges", func() []int32 {
		g.SampleTo(y, rng)
		g.ExchangeTo(z, y, rng)
		if len(c.all.Values) > 1 && slices.Equal(y, z) {
			t.Fatalf("%s: nothing is exchanged in %v", c.name, y)
		}
		return z
	})
	sampler, err := g.NewSampler(c.weight, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.all.Check(t, c.name+", weighted", func() []int32 {
		sampler.DrawTo(y, rng)
		return y
	})
}

// TestMaskIsReplaced: a mask of a restricted graph is one of the graph as given, and a mask without decisions is none.
func TestMaskIsReplaced(t *testing.T) {
	g := mustNew(t, 4, complete(4))
	state := []State{Required, Forbidden, Free, Free, Free, Free}
	one, err := g.Restrict(state)
	if err != nil {
		t.Fatal(err)
	}
	if one.Count().Int64() != 5 { // with an edge 8 of the 16 trees, with it and a neighbour 3
		t.Errorf("the mask leaves %v trees", one.Count())
	}
	all, err := one.Restrict(make([]State, 6))
	if err != nil || all.Count().Int64() != 16 {
		t.Errorf("without the mask there are %v trees (%v)", all.Count(), err)
	}
	state[0] = Forbidden
	if one.Count().Int64() != 5 || one.N() != 4 || len(one.Ends()) != 6 {
		t.Error("the graph changes with the caller's mask")
	}
	only, err := g.Restrict([]State{Required, Required, Required, Free, Free, Free})
	if err != nil || only.Count().Int64() != 1 || only.OutsideLen() != 0 {
		t.Errorf("three edges at a vertex leave %v trees (%v)", only.Count(), err)
	}
}

func TestMessagesOfMasks(t *testing.T) {
	g := mustNew(t, 6, complete(6))
	state := make([]State, 15)
	state[0], state[1], state[5] = Required, Required, Required
	_, err := g.Restrict(state)
	if err == nil || err.Error() != "spanning: the required edges 0, 1, 5 form a cycle" {
		t.Errorf("the error is %v", err)
	}
	for i := range state {
		state[i] = Forbidden
	}
	_, err = g.Restrict(state)
	if want := "spanning: no path joins the vertices 0 and 1 without the forbidden edges 0, 1, 2, 3, 4"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if text := listed(make([]int32, 12)); text != "0, 0, 0, 0, 0, 0, 0, 0, 0, 0 and 2 more" {
		t.Errorf("twelve edges are %q", text)
	}
}
