package spanning

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"combpred/core/combin"
	"combpred/core/slicex"
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
		if log := combin.LogInt(want); math.Abs(g.LogCount()-log) > 1e-13*(1+log) {
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

func BenchmarkCount(b *testing.B) {
	for name, g := range slicex.InOrder(map[string]*Graph{
		"complete=100": mustNew(b, 100, complete(100)),
		"complete=200": mustNew(b, 200, complete(200)),
		"grid=30x30":   mustNew(b, 900, grid(30, 30)),
	}) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				g.countModular()
			}
		})
	}
}
