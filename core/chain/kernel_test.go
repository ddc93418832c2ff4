package chain

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/slicex"
	"combpred/core/structure"
)

// kernels returns the chains that the space of a distribution has, by name.
func (g *gibbs) kernels(t testing.TB) map[string]Kernel {
	t.Helper()
	all := map[string]Kernel{}
	if _, ok := g.space.(structure.Sampler); ok {
		meta, err := NewIndependence(g.space, g.score)
		if err != nil {
			t.Fatal(err)
		}
		all["meta"] = meta
	}
	if _, ok := g.space.(structure.Proposer); ok {
		local, err := NewLocal(g.space, g.score)
		if err != nil {
			t.Fatal(err)
		}
		all["local"] = local
	}
	if cube, err := NewCube(g.space, g.score); err == nil {
		all["cube"] = cube
		if all["heat bath"], err = NewHeatBath(g.space, g.score); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestKernels: of every structure and chain, states drawn from the distribution still have it after three steps, a step
// forth is as frequent as its way back, scores are carried along, and chains from the least likely output reach it.
func TestKernels(t *testing.T) {
	everySmall(t, func(t *testing.T, g *gibbs, rng *rand.Rand) {
		worst := 0
		for i, p := range g.p {
			if p < g.p[worst] {
				worst = i
			}
		}
		for name, kernel := range slicex.InOrder(g.kernels(t)) {
			state, draws := NewState(g.space), drawsOf(g)
			frequency, moves := make([]float64, len(g.outputs)), map[[2]int]float64{}
			for range draws {
				from := g.draw(rng)
				state.Set(g.space, g.score, g.outputs[from])
				for range 3 {
					kernel.Step(state, rng)
					to := g.at(t, state.Y)
					if math.Abs(state.Value-g.value[to]) > 1e-9 {
						t.Fatalf("%s: the state scores %v, is said to score %v", name, g.value[to], state.Value)
					}
					moves[[2]int{from, to}]++
					from = to
				}
				if state.Steps != 3 || state.Accepted > 3 {
					t.Fatalf("%s: %d of %d proposals accepted after 3 steps", name, state.Accepted, state.Steps)
				}
				frequency[g.at(t, state.Y)]++
			}
			g.fits(t, name+" after three steps from the distribution", frequency)
			balanced(t, name, moves)
			if steps, ok := g.enough(name); ok {
				clear(frequency)
				for range fewestDraws {
					state.Set(g.space, g.score, g.outputs[worst])
					for range steps {
						kernel.Step(state, rng)
					}
					frequency[g.at(t, state.Y)]++
				}
				g.fits(t, name+" from the least likely output", frequency)
			}
		}
	})
}

// enough returns after how many steps a chain on a small space is taken to have reached its target, if that is not too
// long to wait: by the mixing bound, or, where none is known, at scores under which no move is much harder than another.
func (g *gibbs) enough(name string) (int, bool) {
	const precision, longest = 1e-6, 600
	steps := 0
	switch {
	case name == "meta":
		steps = int(min(longest+1, MixingBoundIndependence(g.logBeta, precision)))
	case len(g.outputs) > 130:
		return 0, false
	default:
		var spread float64
		for _, v := range g.value {
			spread = max(spread, g.most-v)
		}
		if spread > 4 {
			return 0, false
		}
		steps = 300 + 10*len(g.outputs[0])
	}
	return steps, steps <= longest
}

// matrix returns the transition matrix of a chain on a lattice, computed from what single draws do.
func (g *gibbs) matrix(t *testing.T, kernel Kernel) [][]float64 {
	t.Helper()
	n := len(g.outputs)
	p := make([][]float64, n)
	for a, y := range g.outputs {
		p[a] = make([]float64, n)
		for i := range y {
			z := append([]int32(nil), y...)
			switch k := kernel.(type) {
			case *HeatBath:
				// On either side of the probability to be in, a draw decides alike.
				k.set(z, i, math.Nextafter(k.chance[i], 0))
				p[a][g.at(t, z)] += k.chance[i] / float64(len(y))
				copy(z, y)
				k.set(z, i, math.Nextafter(k.chance[i], 1))
				p[a][g.at(t, z)] += (1 - k.chance[i]) / float64(len(y))
			case *Cube:
				gain := k.gain[i] * float64(1-2*y[i])
				if !k.lattice.Movable(y, i) {
					p[a][a] += 1 / float64(len(y))
					continue
				}
				accept := math.Exp(min(0, gain)) / 2 // that the other value is drawn, and accepted
				z[i] = 1 - z[i]
				p[a][g.at(t, z)] += accept / float64(len(y))
				p[a][a] += (1 - accept) / float64(len(y))
			}
		}
	}
	return p
}

// TestMatrices: the transition matrices of chains on lattices by enumeration are stochastic, satisfy detailed balance,
// and mix within their bounds, from every start; one of META, too. The bound d ln(d/ε) does not hold for MC_cube.
func TestMatrices(t *testing.T) {
	const epsilon = 0.01
	for _, scale := range []float64{0, 1, 5} {
		rng := rand.New(rand.NewPCG(8, uint64(scale)))
		for d := int64(1); d <= 6; d++ {
			g := newGibbs(t, mustNew(t, "labelsets", d), gaussian(int(d), scale, rng), mostListed)
			cube, _ := NewCube(g.space, g.score)
			bath, _ := NewHeatBath(g.space, g.score)
			g.checkMatrix(t, g.matrix(t, cube), MixingBoundCube(int(d), epsilon), epsilon)
			g.checkMatrix(t, g.matrix(t, bath), MixingBoundHeatBath(int(d), epsilon), epsilon)
			if scale == 5 && d <= 2 { // a large score makes the preferred value come with probability 1/(2d) a step
				steps := int(math.Ceil(float64(d) * math.Log(float64(d)/epsilon)))
				if distance := g.distance(g.matrix(t, cube), steps); distance <= epsilon {
					t.Errorf("d = %d: after d ln(d/ε) steps MC_cube is within %v", d, distance)
				}
			}
			g.checkMatrix(t, g.independence(), MixingBoundIndependence(g.logBeta, epsilon), epsilon)
		}
		g := newGibbs(t, tree(t, -1, 0, 0, 1, 1, 2, 2), gaussian(7, scale, rng), mostListed)
		cube, _ := NewCube(g.space, g.score)
		bath, _ := NewHeatBath(g.space, g.score)
		g.checkMatrix(t, g.matrix(t, cube), math.Inf(1), epsilon)
		g.checkMatrix(t, g.matrix(t, bath), math.Inf(1), epsilon)
	}
}

// independence returns the transition matrix of META.
func (g *gibbs) independence() [][]float64 {
	n := len(g.outputs)
	p := make([][]float64, n)
	for a := range p {
		p[a] = make([]float64, n)
		p[a][a] = 1
		for b := range p {
			if b != a {
				p[a][b] = min(1, math.Exp(g.value[b]-g.value[a])) / float64(n)
				p[a][a] -= p[a][b]
			}
		}
	}
	return p
}

// checkMatrix checks a transition matrix and that it comes within epsilon of the distribution in at most as many steps as bound,
// where that is finite; and that a META chain, whose bound is exact, does not do so one step earlier.
func (g *gibbs) checkMatrix(t *testing.T, p [][]float64, bound, epsilon float64) {
	t.Helper()
	for a := range p {
		var sum float64
		for b, v := range p[a] {
			sum += v
			if forth, back := g.p[a]*v, g.p[b]*p[b][a]; math.Abs(forth-back) > 1e-14 {
				t.Fatalf("%v to %v: probability flow %v, %v back", g.outputs[a], g.outputs[b], forth, back)
			}
		}
		if math.Abs(sum-1) > 1e-13 {
			t.Fatalf("row %d adds up to %v", a, sum)
		}
	}
	if !math.IsInf(bound, 1) {
		if distance := g.distance(p, int(min(bound, 1e6))); distance > epsilon {
			t.Errorf("%d outputs: after %v steps the distance is %v, should be at most %v", len(p), bound, distance, epsilon)
		}
	}
}

// distance returns the largest distance to the distribution in total variation from any start after some steps.
func (g *gibbs) distance(p [][]float64, steps int) (most float64) {
	n := len(p)
	power := make([][]float64, n)
	for a := range power {
		power[a] = make([]float64, n)
		power[a][a] = 1
	}
	for square := p; steps > 0; steps /= 2 {
		if steps%2 == 1 {
			power = multiply(power, square)
		}
		square = multiply(square, square)
	}
	for a := range power {
		var sum float64
		for b, v := range power[a] {
			sum += math.Abs(v-g.p[b]) / 2
		}
		most = max(most, sum)
	}
	return most
}

func multiply(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range a {
		c[i] = make([]float64, len(b))
		for k, v := range a[i] {
			for j, w := range b[k] {
				c[i][j] += v * w
			}
		}
	}
	return c
}

// TestInclusionsAreKept: equal draws lead from sets of which one includes the other to such sets, for MC_cube and for the
// heat bath. They do not for the chain that proposes to change a random element into what it is not: where the element
// is in the larger set only, one set may gain it while the other drops it.
func TestInclusionsAreKept(t *testing.T) {
	const trials = 3000
	rng := rand.New(rand.NewPCG(3, 9))
	for _, space := range []structure.Space{mustNew(t, "labelsets", 6), tree(t, -1, 0, 0, 1, 1, 2, 2, 3)} {
		n := space.PartLen()
		score := structure.Scores{Linear: gaussian(n, 1, rng)}
		cube, err := NewCube(space, score)
		if err != nil {
			t.Fatal(err)
		}
		bath, err := NewHeatBath(space, score)
		if err != nil {
			t.Fatal(err)
		}
		flip := flips{cube.sites}
		violations := map[string]int{}
		small, large := NewState(space), NewState(space)
		a, b := make([]int32, n), make([]int32, n)
		for trial := range trials {
			for name, kernel := range slicex.InOrder(map[string]Kernel{"cube": cube, "heat bath": bath, "flip": flip}) {
				space.(structure.Sampler).Sample(a, rng)
				space.(structure.Sampler).Sample(b, rng)
				for i := range a {
					a[i], b[i] = min(a[i], b[i]), max(a[i], b[i])
				}
				small.Set(space, score, a)
				large.Set(space, score, b)
				var source, copied rand.PCG
				source.Seed(uint64(trial), 1)
				copied = source
				kernel.Step(small, rand.New(&source))
				kernel.Step(large, rand.New(&copied))
				for i, in := range small.Y {
					if in > large.Y[i] {
						violations[name]++
					}
				}
			}
		}
		if violations["cube"]+violations["heat bath"] > 0 || violations["flip"] < trials/100 {
			t.Errorf("inclusions lost in %d trials: %v", trials, violations)
		}
	}
}

// flips is the chain that changes a random element.
type flips struct{ sites }

func (k flips) Step(s *State, rng *rand.Rand) {
	i := rng.IntN(len(k.gain))
	gain := k.gain[i] * float64(1-2*s.Y[i])
	if k.lattice.Movable(s.Y, i) && Accepts(gain, rng) {
		s.Y[i] = 1 - s.Y[i]
	}
}

// BenchmarkStep takes steps of each chain that a structure has.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"labelsets", "permutations"} {
		space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": 20}})
		if err != nil {
			b.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		g := &gibbs{space: space, score: structure.Scores{Linear: make([]float64, space.FeatureLen())}}
		for j := range g.score.Linear {
			g.score.Linear[j] = 0.1 * rng.NormFloat64()
		}
		y := make([]int32, space.PartLen())
		space.(structure.Sampler).Sample(y, rng)
		for kind, kernel := range slicex.InOrder(g.kernels(b)) {
			b.Run(name+"/"+kind, func(b *testing.B) {
				state := NewState(space)
				state.Set(space, g.score, y)
				for b.Loop() {
					kernel.Step(state, rng)
				}
			})
		}
	}
}
