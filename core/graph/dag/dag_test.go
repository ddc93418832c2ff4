package dag

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/internal/drawtest"
	"combpred/core/slicex"
)

// random returns a graph with arcs in any order, parallel and silent ones among them, whose vertices are numbered at random.
func random(n, m int, rng *rand.Rand) (arcs []Arc, source, sink int32, symbols int) {
	name := rng.Perm(n)
	symbols = 1 + rng.IntN(m)
	for range m {
		u, v := rng.IntN(n), rng.IntN(n)
		if u == v {
			continue
		}
		arcs = append(arcs, Arc{int32(name[min(u, v)]), int32(name[max(u, v)]), int32(rng.IntN(symbols+1) - 1)})
	}
	return arcs, int32(name[0]), int32(name[n-1]), symbols
}

// list returns the labels of the arcs of all paths, by definition.
func list(arcs []Arc, at, sink int32, path []int32, all *[][]int32) {
	if at == sink {
		*all = append(*all, slices.Clone(path))
		return
	}
	for i, a := range arcs {
		if a.Tail == at {
			list(arcs, a.Head, sink, append(path, int32(i)), all)
		}
	}
}

// obeys is the definition of Hold and Within.
func obeys(arcs []Arc, path []int32, state []int8, lo, hi int) bool {
	counted := 0
	for _, a := range path {
		if arcs[a].Symbol != Silent {
			counted++
		}
	}
	for a, s := range state {
		if in := slices.Contains(path, int32(a)); s > 0 && !in || s < 0 && in {
			return false
		}
	}
	return counted >= lo && counted <= hi
}

func scoresOf(d, kind int, rng *rand.Rand) []float64 {
	s := make([]float64, d)
	for i := range s {
		s[i] = []float64{rng.NormFloat64(), 0, 700 * rng.NormFloat64(), float64(1400*rng.IntN(2) - 700), 1e9 * rng.NormFloat64(),
			300, -300}[kind]
	}
	return s
}

const kinds = 7

// TestAgainstList: random graphs with random conditions equal the filtered list of their paths in everything.
func TestAgainstList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	empty, drawn := 0, 0
	for trial := range 3000 {
		arcs, source, sink, symbols := random(2+rng.IntN(7), 2+rng.IntN(14), rng)
		var all [][]int32
		list(arcs, source, sink, nil, &all)
		g, err := New(slices.Max([]int{int(source), int(sink), vertexBound(arcs)})+1, arcs, source, sink, symbols)
		if (err != nil) != (len(all) == 0) || err != nil && !errors.Is(err, ErrEmpty) {
			t.Fatalf("%v: %d paths, error %v", arcs, len(all), err)
		}
		if err != nil {
			continue
		}
		state, lo, hi := []int8(nil), 0, len(arcs)
		if trial%4 > 0 {
			state = make([]int8, len(arcs))
			for range rng.IntN(4) {
				state[rng.IntN(len(arcs))] = int8(1 - 2*rng.IntN(2))
			}
			state = pick(all, state, rng)
		}
		if trial%3 > 0 {
			lo = rng.IntN(5)
			hi = lo + []int{rng.IntN(3), len(arcs)}[trial%2]
		}
		allowed := slices.DeleteFunc(slices.Clone(all), func(p []int32) bool { return !obeys(arcs, p, state, lo, hi) })
		held, err := within(g, state, lo, hi)
		if len(allowed) == 0 {
			empty++
			if !errors.Is(err, ErrEmpty) {
				t.Fatalf("no path of %v obeys %v and %d..%d, but the error is %v", arcs, state, lo, hi, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d paths of %v obey %v and %d..%d, but the error is %v", len(allowed), arcs, state, lo, hi, err)
		}
		compare(t, held, arcs, allowed, scoresOf(symbols, trial%kinds, rng))
		if trial%10 == 1 && len(allowed) > 1 {
			drawn++
			frequencies(t, held, arcs, allowed, scoresOf(symbols, 0, rng), rng)
		}
		countAgain(t, held, arcs, allowed, scoresOf(symbols, trial%kinds, rng), rng)
	}
	if empty < 100 || drawn < 20 {
		t.Errorf("only %d masks left nothing, and %d were drawn from", empty, drawn)
	}
}

// countAgain counts the arcs of some symbols on the paths that are left.
func countAgain(t *testing.T, g *Graph, arcs []Arc, allowed [][]int32, scores []float64, rng *rand.Rand) {
	t.Helper()
	of := make([]bool, len(scores))
	for i := range of {
		of[i] = rng.IntN(2) == 0
	}
	lo := rng.IntN(3)
	hi := lo + rng.IntN(2)
	some := slices.DeleteFunc(slices.Clone(allowed), func(path []int32) bool {
		k := 0
		for _, a := range path {
			if s := arcs[a].Symbol; s != Silent && of[s] {
				k++
			}
		}
		return k < lo || k > hi
	})
	within, err := g.Within(of, lo, hi)
	if (len(some) == 0) != errors.Is(err, ErrEmpty) || len(some) > 0 && err != nil {
		t.Fatalf("%d paths hold %v %d to %d times, but the error is %v", len(some), of, lo, hi, err)
	}
	if most := g.ArcsWithin(of, lo, hi); err == nil && most < within.Arcs() {
		t.Fatalf("there are %d arcs, %d at most", within.Arcs(), most)
	}
	if err == nil {
		compare(t, within, arcs, some, scores)
	}
}

// pick requires an arc or two of some path, most of the time, so that not all masks are empty.
func pick(all [][]int32, state []int8, rng *rand.Rand) []int8 {
	path := all[rng.IntN(len(all))]
	for range rng.IntN(3) {
		state[path[rng.IntN(len(path))]] = 1
	}
	return state
}

func vertexBound(arcs []Arc) (most int) {
	for _, a := range arcs {
		most = max(most, int(a.Tail), int(a.Head))
	}
	return most
}

func earns(arcs []Arc, path []int32, scores []float64) (sum float64) {
	for _, a := range path {
		if s := arcs[a].Symbol; s != Silent {
			sum += scores[s]
		}
	}
	return sum
}

func compare(t *testing.T, g *Graph, arcs []Arc, allowed [][]int32, scores []float64) {
	t.Helper()
	if got := g.Count(); got.Cmp(big.NewInt(int64(len(allowed)))) != 0 {
		t.Fatalf("%v paths are counted, there are %d", got, len(allowed))
	}
	values, best, longest, size := make([]float64, len(allowed)), math.Inf(-1), 0, 1.0
	for i, p := range allowed {
		values[i] = earns(arcs, p, scores)
		best, longest = max(best, values[i]), max(longest, len(p))
	}
	for _, s := range scores {
		size += 1e-15 * float64(longest) * math.Abs(s)
	}
	size = 1e-12 + size - 1
	var w Workspace
	dst := make([]int32, g.Longest())
	n, value := g.Best(dst, scores, &w)
	if g.Longest() != longest || !slices.ContainsFunc(allowed, func(p []int32) bool { return slices.Equal(p, dst[:n]) }) ||
		math.Abs(value-best) > size || math.Abs(earns(arcs, dst[:n], scores)-best) > size {
		t.Fatalf("the best path is %v of %v, the best of the list has %v", dst[:n], value, best)
	}
	var z float64
	mean := make([]float64, len(scores))
	for i, v := range values {
		z += math.Exp(v - best)
		values[i] = math.Exp(v - best)
	}
	for i, p := range allowed {
		for _, a := range p {
			if s := arcs[a].Symbol; s != Silent {
				mean[s] += values[i] / z
			}
		}
	}
	marginals := slices.Repeat([]float64{math.NaN()}, len(scores))
	logZ, _ := g.LogSum(marginals, scores, &w, nil)
	alone, _ := g.LogSum(nil, scores, &w, nil)
	if want := best + math.Log(z); math.Abs(logZ-want) > size*max(1, math.Abs(want)) || logZ != alone {
		t.Fatalf("ln Z is %v, without marginals %v, want %v", logZ, alone, want)
	}
	for i, m := range marginals {
		if !(math.Abs(m-mean[i]) <= size*float64(longest+1)) {
			t.Fatalf("marginal %d is %v, want %v, of scores %v", i, m, mean[i], scores)
		}
	}
}

func frequencies(t *testing.T, g *Graph, arcs []Arc, allowed [][]int32, scores []float64, rng *rand.Rand) {
	t.Helper()
	var all drawtest.Outcomes
	for _, p := range allowed {
		all.Add(p, earns(arcs, p, scores))
	}
	d, _ := g.NewDistribution(scores, nil)
	dst := make([]int32, g.Longest())
	all.Check(t, fmt.Sprint(arcs), func() []int32 { return dst[:d.Draw(dst, rng)] })
}

// TestLongChains: a chain of T layers of K vertices, whose scores depend on the layer alone, has ln Z = Σ s + (T+1) ln K,
// beyond all float64s either way, and K^T paths.
func TestLongChains(t *testing.T) {
	const steps, k = 3000, 3
	for _, s := range []float64{0, 5, -5, 340, -340, 700, -700, 1e5} {
		g, _ := chain(t, steps, k)
		scores, marginals := slices.Repeat([]float64{s}, 1), make([]float64, 1)
		want := s*(steps+1) + steps*math.Log(k)
		if got, _ := g.LogSum(marginals, scores, new(Workspace), nil); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("scores of %v: ln Z is %v, want %v", s, got, want)
		}
		if math.Abs(marginals[0]-(steps+1)) > 1e-8 {
			t.Errorf("scores of %v: a path has %v arcs, want %v", s, marginals[0], steps+1)
		}
		if want := new(big.Int).Exp(big.NewInt(k), big.NewInt(steps), nil); g.Count().Cmp(want) != 0 {
			t.Error("the count is not 3³⁰⁰⁰")
		}
	}
}

// chain returns layers of k vertices, completely joined, between two ends. All arcs have one symbol.
func chain(t testing.TB, steps, k int) (*Graph, []Arc) {
	var arcs []Arc
	last := int32(steps*k + 1)
	for s := range int32(k) {
		arcs = append(arcs, Arc{0, 1 + s, 0}, Arc{last - 1 - s, last, 0})
		for step := range int32(steps - 1) {
			for next := range int32(k) {
				arcs = append(arcs, Arc{1 + step*int32(k) + s, 1 + (step+1)*int32(k) + next, 0})
			}
		}
	}
	g, err := New(int(last)+1, arcs, 0, last, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g, arcs
}

// TestTopToBottom: two chains side by side, one of which loses 300 a step while the other one gains as much, stay apart by any
// number of scales, and the bridge between them at the end is passed with the right probability.
func TestTopToBottom(t *testing.T) {
	const steps = 50
	var arcs []Arc
	for i := range int32(steps) {
		arcs = append(arcs, Arc{2 * i, 2*i + 2, 0}, Arc{2*i + 1, 2*i + 3, 1})
	}
	end := int32(2*steps + 2)
	arcs = append(arcs, Arc{end + 1, 0, Silent}, Arc{end + 1, 1, Silent}, Arc{end - 2, end, 2}, Arc{end - 1, end, 3})
	g, err := New(int(end)+2, arcs, end+1, end, 4)
	if err != nil {
		t.Fatal(err)
	}
	marginals := make([]float64, 4)
	scores := []float64{300, -300, -300 * steps, 300*steps + math.Log(3)} // in balance but for the ln 3
	logZ, _ := g.LogSum(marginals, scores, new(Workspace), nil)
	if math.Abs(logZ-math.Log(4)) > 1e-11 || math.Abs(marginals[3]-0.75) > 1e-11 || math.Abs(marginals[0]-0.25*steps) > 1e-9 {
		t.Errorf("ln Z is %v, marginals are %v", logZ, marginals)
	}
}

func TestOrder(t *testing.T) {
	order, cycle := Order(4, []Arc{{3, 1, 0}, {1, 0, 0}, {0, 2, 0}})
	if !slices.Equal(order, []int32{3, 1, 0, 2}) || cycle != nil {
		t.Errorf("the order is %v, the cycle %v", order, cycle)
	}
	order, cycle = Order(5, []Arc{{0, 3, 0}, {3, 2, 0}, {2, 1, 0}, {1, 3, 0}, {3, 4, 0}})
	if order != nil || !slices.Equal(cycle, []int32{1, 3, 2}) {
		t.Errorf("the order is %v, the cycle %v", order, cycle)
	}
}

// TestLimit: a counter that would take too much memory is refused before it is made, and one that settles nothing takes none.
func TestLimit(t *testing.T) {
	var arcs []Arc
	const n = 20000
	for v := range int32(n) {
		arcs = append(arcs, Arc{v, v + 1, 0}, Arc{v, v + 1, Silent})
	}
	g, err := New(n+1, arcs, 0, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Within(nil, n/2, n/2); !errors.Is(err, ErrTooLarge) {
		t.Errorf("the error is %v", err)
	}
	if same, err := g.Within(nil, -1, n); same != g || err != nil {
		t.Errorf("bounds that all paths obey change the graph, error %v", err)
	}
	few, err := g.Within(nil, 2, 2)
	if err != nil || few.Count().Cmp(big.NewInt(n*(n-1)/2)) != 0 {
		t.Errorf("error %v", err)
	}
}

// TestSumsCanBeStopped: a refusal anywhere on the way ends sums and what draws share, and the memory serves again.
func TestSumsCanBeStopped(t *testing.T) {
	const steps = 3 * pollEvery / 2
	g, _ := chain(t, steps, 2)
	stop, w := errors.New("stop"), new(Workspace)
	scores, marginals := make([]float64, 1), make([]float64, 1)
	for allowed := range 8 {
		asked := 0
		poll := func() error {
			if asked++; asked > allowed {
				return stop
			}
			return nil
		}
		_, err := g.LogSum(marginals, scores, w, poll)
		if err != stop || asked != allowed+1 {
			t.Fatalf("asked %d times, %d allowed, the error is %v", asked, allowed, err)
		}
	}
	if _, err := g.NewDistribution(scores, func() error { return stop }); err != stop {
		t.Errorf("the error is %v", err)
	}
	if logZ, err := g.LogSum(marginals, scores, w, nil); err != nil || math.Abs(logZ-steps*math.Ln2) > 1e-9*logZ {
		t.Errorf("ln Z is %v after a refusal, error %v", logZ, err)
	}
}

// within holds a graph to states and to a number of arcs.
func within(g *Graph, state []int8, lo, hi int) (*Graph, error) {
	held, err := g.Hold(state)
	if err != nil {
		return nil, err
	}
	return held.Within(nil, lo, hi)
}

// TestCallersBugs: what no data can bring about panics.
func TestCallersBugs(t *testing.T) {
	g, arcs := chain(t, 2, 2)
	for name, f := range slicex.InOrder(map[string]func(){
		"a cycle":          func() { _, _ = New(2, []Arc{{0, 1, 0}, {1, 0, 0}}, 0, 1, 1) },
		"too few states":   func() { _, _ = g.Hold(make([]int8, len(arcs)-1)) },
		"too many scores":  func() { _, _ = g.LogSum(nil, make([]float64, 2), new(Workspace), nil) },
		"scores of no use": func() { g.Best(make([]int32, 3), nil, new(Workspace)) },
	}) {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			f()
		}()
	}
}
