package spanning

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

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

func BenchmarkSample(b *testing.B) {
	g := mustNew(b, 900, grid(30, 30))
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]int32, len(g.Ends()))
	for b.Loop() {
		g.SampleTo(y, rng)
	}
}
