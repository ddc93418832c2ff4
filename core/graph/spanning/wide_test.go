package spanning

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"combpred/core/logsum"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// TestWide compares operations on numbers of any size with their logarithms.
func TestWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	near := func(got wide, want float64) bool {
		inside := got.x >= wideLeast && got.x < wideMost && got.e == math.Round(got.e)
		return inside && math.Abs(got.log()-want) <= 1e-13+4e-16*math.Abs(want)
	}
	for range 20000 {
		scale := math.Pow(10, float64(rng.IntN(8)))
		x, y := scale*rng.NormFloat64(), scale*rng.NormFloat64()
		if rng.IntN(2) == 0 {
			y = x + 700*rng.NormFloat64()
		}
		a, b := wideExp(x), wideExp(y)
		if !near(a, x) || !near(a.mul(b), x+y) || !near(a.div(b), x-y) || !near(a.add(b), logsum.Add(x, y)) {
			t.Fatalf("exp(%v) and exp(%v) are %v and %v, product %v, ratio %v, sum %v", x, y, a, b, a.mul(b), a.div(b), a.add(b))
		}
		if sum := a.add(b); !near(sum.less(b), x) && x > y-1 {
			t.Fatalf("exp(%v) + exp(%v) − exp(%[2]v) is %v", x, y, sum.less(b))
		}
	}
	zero := wideZero()
	if one := wideExp(0); zero.add(one) != one || zero.add(zero).x != 0 || zero.mul(one).x != 0 || zero.float() != 0 || one.float() != 1 {
		t.Error("0 is not neutral")
	}
	for w, want := range slicex.InOrder(map[float64]float64{700: math.Exp(700), -700: math.Exp(-700), -1e5: 0, 1e5: math.Inf(1)}) {
		if got := wideExp(w).float(); got != want && math.Abs(got/want-1) > 1e-14 {
			t.Errorf("exp(%v) becomes %v", w, got)
		}
	}
	if w := wideExp(1e300); w.x != 1 || w.log() != 1e300 {
		t.Errorf("exp(1e300) has the logarithm %v", w.log())
	}
}

// powers returns random conductances 2ᵏ for |k| ≤ most, and their logarithms.
func powers(d, most int, rng *rand.Rand) (k []int, weight []float64) {
	k, weight = make([]int, d), make([]float64, d)
	for i := range k {
		k[i] = rng.IntN(2*most+1) - most
		weight[i] = float64(k[i]) * math.Ln2
	}
	return k, weight
}

// exactEdges returns probabilities of edges of conductance 2ᵏ from potentials, by Gaussian elimination of the grounded Laplacian
// with so many digits that what cancels does no harm.
func exactEdges(n int, edges [][2]int32, k []int, most int) []float64 {
	precision := uint(8*n*most + 500)
	number := func() *big.Float { return new(big.Float).SetPrec(precision) }
	m := n - 1
	a := make([][]*big.Float, m) // the Laplacian and the identity
	for i := range a {
		a[i] = make([]*big.Float, 2*m)
		for j := range a[i] {
			a[i][j] = number()
		}
		a[i][m+i].SetInt64(1)
	}
	add := func(u, v int32, c *big.Float) {
		if int(u) < m && int(v) < m {
			a[u][v].Add(a[u][v], c)
		}
	}
	conductance := make([]*big.Float, len(edges))
	for i, e := range edges {
		c := number().SetMantExp(big.NewFloat(1), k[i])
		conductance[i] = c
		add(e[0], e[0], c)
		add(e[1], e[1], c)
		add(e[0], e[1], number().Neg(c))
		add(e[1], e[0], number().Neg(c))
	}
	for p := range m {
		pivot := number().Set(a[p][p])
		for j := range a[p] {
			a[p][j].Quo(a[p][j], pivot)
		}
		for i := range m {
			if i == p || a[i][p].Sign() == 0 {
				continue
			}
			factor := number().Set(a[i][p])
			for j := p; j < 2*m; j++ {
				a[i][j].Sub(a[i][j], number().Mul(factor, a[p][j]))
			}
		}
	}
	potential := func(u, v int32) *big.Float {
		if int(u) >= m || int(v) >= m {
			return number()
		}
		return a[u][m+int(v)]
	}
	p := make([]float64, len(edges))
	for i, e := range edges {
		r := number().Add(potential(e[0], e[0]), potential(e[1], e[1]))
		r.Sub(r, number().Add(potential(e[0], e[1]), potential(e[1], e[0])))
		p[i], _ = r.Mul(r, conductance[i]).Float64()
	}
	return p
}

// TestEdgesKeepTheirDigits: probabilities are right to the digits that the weights have, small ones, too, on both sides of the bound where
// floats are too narrow.
func TestEdgesKeepTheirDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	for _, most := range []int{0, 3, 30, 300, 450, 500, 1010} {
		for _, edges := range [][][2]int32{complete(9), random(9, 4, rng), cycle(9), grid(3, 3), random(9, 40, rng)} {
			k, weight := powers(len(edges), most, rng)
			want := exactEdges(9, edges, k, most)
			got := make([]float64, len(edges))
			if _, err := mustNew(t, 9, edges).EdgesTo(got, weight, nil); err != nil {
				t.Fatal(err)
			}
			for i, p := range want {
				if math.Abs(got[i]-p) > (1e-14+1e-15*float64(most))*p+1e-307 {
					t.Errorf("powers up to %d, %v: edge %d has %v, want %v", most, edges, i, got[i], p)
				}
			}
		}
	}
}

// TestNumbersAgainstWideOnes: floats and wide numbers give the same where both can, and probabilities add up to n − 1 everywhere
// (Foster, 1949).
func TestNumbersAgainstWideOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	for name, edges := range slicex.InOrder(map[string][][2]int32{
		"complete": complete(60), "grid": grid(6, 10), "cycle": cycle(60), "random": random(60, 200, rng), "tree": random(60, 0, rng),
	}) {
		g, d := mustNew(t, 60, edges), len(edges)
		got, want, weight := make([]float64, d), make([]float64, d), make([]float64, d)
		for _, scale := range []float64{0, 1, 30, 100, 700, 1e9} {
			for i := range weight {
				weight[i] = scale * rng.NormFloat64()
			}
			name, high := fmt.Sprintf("%s, scale %g", name, scale), g.highest(weight)
			sum, err := g.EdgesTo(got, weight, nil)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := g.LogSum(weight, nil)
			wanted := g.wideDistribution(want, newWideNumbers(g.symbolic(), new(parallel.Poll)), weight, high) + g.offset(weight, high)
			if err != nil || sum != alone || math.Abs(sum-wanted) > 1e-13*(1+math.Abs(wanted)) {
				t.Errorf("%s: the sum is %v and %v, in wide numbers %v (%v)", name, sum, alone, wanted, err)
			}
			for i, p := range want {
				if math.Abs(got[i]-p) > 1e-12*p {
					t.Errorf("%s: edge %d has %v, in wide numbers %v", name, i, got[i], p)
				}
			}
			if total := floats.Sum(got); math.Abs(total-59) > 1e-11 {
				t.Errorf("%s: the probabilities add up to %v", name, total)
			}
		}
	}
}

// TestWeightsFarApart: with weights far from one another all is decided by the best tree.
func TestWeightsFarApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	g := mustNew(t, 50, complete(50))
	d := len(g.Ends())
	weight, p, y, best := make([]float64, d), make([]float64, d), make([]int32, d), make([]int32, d)
	for i := range weight {
		weight[i] = 1e9 * rng.NormFloat64()
	}
	value := g.MaximumTo(best, func(e int) float64 { return weight[e] })
	sum, err := g.EdgesTo(p, weight, nil)
	if err != nil || math.Abs(sum-value) > 1e-14*math.Abs(value) {
		t.Errorf("the sum is %v, the best tree weighs %v (%v)", sum, value, err)
	}
	s, err := g.NewSampler(weight, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.DrawTo(y, rng)
	for i, in := range best {
		if y[i] != in || math.Abs(p[i]-float64(in)) > 1e-12 {
			t.Errorf("edge %d has the probability %v and is drawn %d times, the best tree has it %d times", i, p[i], y[i], in)
		}
	}
}

// TestLongGraphs: resistances that add up over thousands of edges keep their digits.
func TestLongGraphs(t *testing.T) {
	const n = 3000
	p := make([]float64, n)
	sum, err := mustNew(t, n, cycle(n)).EdgesTo(p, make([]float64, n), nil)
	if err != nil || math.Abs(sum-math.Log(n)) > 1e-12 {
		t.Errorf("the sum of the cycle is %v (%v)", sum, err)
	}
	for i, v := range p {
		if math.Abs(v-(1-1.0/n)) > 1e-14 {
			t.Fatalf("edge %d of the cycle has probability %v", i, v)
		}
	}
	ladder := mustNew(t, n, grid(n/2, 2))
	p = make([]float64, len(ladder.Ends()))
	if _, err := ladder.EdgesTo(p, make([]float64, len(p)), nil); err != nil || math.Abs(floats.Sum(p)-(n-1)) > 1e-10 {
		t.Errorf("the probabilities of the ladder add up to %v (%v)", floats.Sum(p), err)
	}
	for i, v := range p {
		if want := ladder.Currents().Edge(i); math.Abs(v-want) > 1e-10 {
			t.Fatalf("edge %d of the ladder has probability %v, from potentials %v", i, v, want)
		}
	}
}
