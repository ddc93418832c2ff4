package spanning

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"combpred/core/count"
)

func complete(n int) [][2]int32 {
	var edges [][2]int32
	for u := range int32(n) {
		for v := u + 1; v < int32(n); v++ {
			edges = append(edges, [2]int32{u, v})
		}
	}
	return edges
}

func cycle(n int) [][2]int32 {
	edges := make([][2]int32, n)
	for u := range edges {
		edges[u] = [2]int32{int32(u), int32((u + 1) % n)}
	}
	return edges
}

func grid(rows, cols int) [][2]int32 {
	var edges [][2]int32
	for r := range rows {
		for c := range cols {
			v := int32(r*cols + c)
			if c+1 < cols {
				edges = append(edges, [2]int32{v, v + 1})
			}
			if r+1 < rows {
				edges = append(edges, [2]int32{v + int32(cols), v})
			}
		}
	}
	return edges
}

// random returns a connected graph: a random tree and some more edges, in random order and direction.
func random(n, more int, rng *rand.Rand) [][2]int32 {
	var edges [][2]int32
	seen := map[[2]int32]bool{}
	add := func(u, v int) {
		key := [2]int32{int32(min(u, v)), int32(max(u, v))}
		if u == v || seen[key] {
			return
		}
		seen[key] = true
		if rng.IntN(2) == 0 {
			key[0], key[1] = key[1], key[0]
		}
		edges = append(edges, key)
	}
	for v := 1; v < n; v++ {
		add(v, rng.IntN(v))
	}
	for range more {
		add(rng.IntN(n), rng.IntN(n))
	}
	rng.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	return edges
}

func mustNew(tb testing.TB, n int, edges [][2]int32) *Graph {
	tb.Helper()
	g, err := New(n, edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// bareiss returns the number of spanning trees by fraction-free elimination of the Laplacian (Bareiss, 1968), the
// textbook way to an exact determinant.
func bareiss(n int, edges [][2]int32) *big.Int {
	m := make([][]*big.Int, n)
	for i := range m {
		m[i] = make([]*big.Int, n)
		for j := range m[i] {
			m[i][j] = new(big.Int)
		}
	}
	one := big.NewInt(1)
	for _, e := range edges {
		u, v := e[0], e[1]
		m[u][u].Add(m[u][u], one)
		m[v][v].Add(m[v][v], one)
		m[u][v].Sub(m[u][v], one)
		m[v][u].Sub(m[v][u], one)
	}
	last := one
	for k := range n - 1 { // the leading minors of a grounded Laplacian are positive: no pivoting
		for i := k + 1; i < n-1; i++ {
			for j := k + 1; j < n-1; j++ {
				x := new(big.Int).Mul(m[i][j], m[k][k])
				x.Sub(x, new(big.Int).Mul(m[i][k], m[k][j]))
				m[i][j] = x.Quo(x, last)
			}
		}
		last = m[k][k]
	}
	return last
}

// TestCount compares with Cayley's formula, cycles, grids (OEIS A007341) and fraction-free elimination.
func TestCount(t *testing.T) {
	check := func(name string, n int, edges [][2]int32, want *big.Int) {
		t.Helper()
		g := mustNew(t, n, edges)
		got := g.Count()
		if got.Cmp(want) != 0 {
			t.Errorf("%s: %v trees, want %v", name, got, want)
		}
		if log := count.LogInt(want); math.Abs(g.LogCount()-log) > 1e-13*(1+log) {
			t.Errorf("%s: the logarithm is %v, want %v", name, g.LogCount(), log)
		}
		got.SetInt64(-1)
		if g.Count().Sign() < 0 {
			t.Errorf("%s: changing the number returned changes the graph", name)
		}
	}
	for _, n := range []int{2, 3, 8, 70, 160} {
		want := new(big.Int).Exp(big.NewInt(int64(n)), big.NewInt(int64(n-2)), nil)
		check(fmt.Sprintf("complete graph of %d", n), n, complete(n), want)
	}
	check("cycle", 1000, cycle(1000), big.NewInt(1000))
	for i, want := range []int64{1, 4, 192, 100352, 557568000} {
		if i > 0 {
			check("grid", (i+1)*(i+1), grid(i+1, i+1), big.NewInt(want))
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 30 {
		n := 2 + rng.IntN(40)
		edges := random(n, rng.IntN(4*n), rng)
		check("random graph", n, edges, bareiss(n, edges))
	}
}

// TestField compares Montgomery's multiplication and the inverse with big integers.
func TestField(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, p := range []uint64{3, 5, 97, 1<<31 - 1, 1<<61 - 1, math.MaxInt64 - 24} {
		if !new(big.Int).SetUint64(p).ProbablyPrime(0) {
			t.Fatalf("%d is no prime", p)
		}
		f := newField(p)
		r := new(big.Int).Lsh(big.NewInt(1), 64)
		prime := new(big.Int).SetUint64(p)
		for range 200 {
			a, b := rng.Uint64N(p), rng.Uint64N(p)
			want := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
			want.Mod(want.Mul(want, new(big.Int).ModInverse(r, prime)), prime)
			if got := f.mul(a, b); got != want.Uint64() {
				t.Fatalf("%d·%d is %d modulo %d, want %d", a, b, got, p, want)
			}
			if a > 0 && f.mul(a, f.inverse(a)) != f.one {
				t.Fatalf("the inverse of %d modulo %d is wrong", a, p)
			}
			if sum := f.add(a, b); sum != (a%p+b%p)%p && p < 1<<62 {
				t.Fatalf("%d + %d is %d modulo %d", a, b, sum, p)
			}
		}
	}
}

// TestCurrents compares the probabilities of edges and pairs with a list of all trees.
func TestCurrents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		n := 2 + rng.IntN(6)
		edges := random(n, rng.IntN(7), rng)
		g := mustNew(t, n, edges)
		d := len(edges)
		pairs := make([]float64, d*d)
		var trees float64
		for y := range g.All() {
			trees++
			for i, in := range y {
				for j := range y {
					pairs[i*d+j] += float64(in * y[j])
				}
			}
		}
		c := g.Currents()
		for i := range d {
			for j := range d {
				if got, want := c.Pair(i, j), pairs[i*d+j]/trees; math.Abs(got-want) > 1e-13 {
					t.Fatalf("%v: edges %d and %d have probability %v, want %v", edges, i, j, got, want)
				}
				if math.Abs(math.Abs(c.At(i, j))-math.Abs(c.At(j, i))) > 1e-13 {
					t.Fatalf("%v: the currents of %d and %d differ", edges, i, j)
				}
			}
		}
	}
}

// TestCurrentsAreStable: on a long ladder and a long cycle, whose potentials are large, edges of a uniform tree keep
// their probabilities to nearly all digits: they add up to n−1 (Foster, 1949), and those of a cycle are 1 − 1/n.
func TestCurrentsAreStable(t *testing.T) {
	const n = 3000
	c := mustNew(t, n, cycle(n)).Currents()
	for i := range n {
		if got := c.Edge(i); math.Abs(got-(1-1.0/n)) > 1e-12 {
			t.Fatalf("edge %d of the cycle has probability %v", i, got)
		}
	}
	if got, want := c.Pair(3, 1700), 1-2.0/n; math.Abs(got-want) > 1e-12 {
		t.Errorf("two edges of the cycle have probability %v, want %v", got, want)
	}
	ladder := mustNew(t, n, grid(n/2, 2))
	var sum float64
	for i := range ladder.Ends() {
		sum += ladder.Currents().Edge(i)
	}
	if math.Abs(sum-(n-1)) > 1e-9 {
		t.Errorf("the probabilities add up to %v, want %d", sum, n-1)
	}
}

// TestAll: the list is lexicographic, without repetition, of trees only, as long as the count, and stops when told to.
func TestAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		n := 2 + rng.IntN(6)
		g := mustNew(t, n, random(n, rng.IntN(8), rng))
		var last []int32
		listed := 0
		var f Forest
		for y := range g.All() {
			f.Reset(n)
			edges := 0
			for i, e := range g.Ends() {
				if y[i] == 1 && f.Join(e[0], e[1]) {
					edges++
				}
			}
			var ones int32
			for _, v := range y {
				ones += v
			}
			if edges != n-1 || ones != int32(n-1) || last != nil && slices.Compare(last, y) >= 0 {
				t.Fatalf("%v is no tree, or comes after %v", y, last)
			}
			last = slices.Clone(y)
			listed++
		}
		if g.Count().Cmp(big.NewInt(int64(listed))) != 0 {
			t.Fatalf("%d trees are listed, the count is %v", listed, g.Count())
		}
		for range g.All() {
			break
		}
	}
}

// TestMaximum: no tree of the list weighs more than Kruskal's, with and without ties, and equal weights take the first
// edges.
func TestMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 100 {
		n := 2 + rng.IntN(5)
		g := mustNew(t, n, random(n, rng.IntN(8), rng))
		weight := make([]float64, len(g.Ends()))
		for j := range weight {
			weight[j] = float64(rng.IntN(3) - 1)
			if i%2 == 0 {
				weight[j] = rng.NormFloat64()
			}
		}
		best := math.Inf(-1)
		for y := range g.All() {
			var sum float64
			for j, in := range y {
				sum += float64(in) * weight[j]
			}
			best = max(best, sum)
		}
		y := make([]int32, len(weight))
		if got := g.MaximumTo(y, func(e int) float64 { return weight[e] }); math.Abs(got-best) > 1e-12 {
			t.Fatalf("the maximum is %v, the best of the list %v", got, best)
		}
	}
	y := make([]int32, 6)
	mustNew(t, 4, complete(4)).MaximumTo(y, func(int) float64 { return 0 })
	if !slices.Equal(y, []int32{1, 1, 1, 0, 0, 0}) {
		t.Errorf("equal weights give %v", y)
	}
}

// TestSampleLarge compares the frequency of each edge of a grid with its probability. With 4000 samples a frequency is
// further than .05 from it with probability below 2 exp(−2·4000·.05²) = 4·10⁻⁹ (Hoeffding).
func TestSampleLarge(t *testing.T) {
	g := mustNew(t, 100, grid(10, 10))
	rng := rand.New(rand.NewPCG(6, 6))
	const samples = 4000
	frequency := make([]float64, len(g.Ends()))
	y := make([]int32, len(frequency))
	for range samples {
		g.SampleTo(y, rng)
		for i, in := range y {
			frequency[i] += float64(in) / samples
		}
	}
	for i, f := range frequency {
		if p := g.Currents().Edge(i); math.Abs(f-p) > 0.05 {
			t.Errorf("edge %d is in %v of the trees, want %v", i, f, p)
		}
	}
}

func TestDisconnected(t *testing.T) {
	for _, c := range []struct {
		n     int
		edges [][2]int32
		to    int32
	}{{2, nil, 1}, {5, [][2]int32{{0, 1}, {3, 4}, {4, 2}}, 2}} {
		_, err := New(c.n, c.edges)
		if e, ok := errors.AsType[*DisconnectedError](err); !ok || e.From != 0 || e.To != c.to {
			t.Errorf("%v gives the error %v", c.edges, err)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	for name, g := range map[string]*Graph{
		"complete=100": mustNew(b, 100, complete(100)),
		"complete=200": mustNew(b, 200, complete(200)),
		"grid=30x30":   mustNew(b, 900, grid(30, 30)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				g.countModular()
			}
		})
	}
}

func BenchmarkSample(b *testing.B) {
	g := mustNew(b, 900, grid(30, 30))
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]int32, len(g.Ends()))
	for b.Loop() {
		g.SampleTo(y, rng)
	}
}
