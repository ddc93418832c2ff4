package loglinear_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/partition"
	"combpred/core/solve"
	"combpred/core/structure"
	"combpred/core/structure/examples"
)

type matrix = linalg.Matrix[float64]

// instance is a small problem, with the outputs of its space listed.
type instance struct {
	space   structure.Space
	psi     [][]float64 // of all outputs
	problem *loglinear.Problem
	sparse  *loglinear.Problem // the same with sparse features
	alpha   float64
}

func (c *instance) sizes() loglinear.Sizes {
	return loglinear.Sizes{Features: c.problem.X.Len(), Outputs: c.space.FeatureLen()}
}

func (c *instance) options() loglinear.SearchOptions {
	return loglinear.SearchOptions{Sizes: c.sizes(), Alpha: c.alpha, Tol: 1e-7, MaxIter: 500}
}

// newInstance draws n rows of p features, a third of them zero, with an intercept, outputs that depend on them, and weights of which every
// fifth is 0.
func newInstance(t testing.TB, space structure.Space, n, p int, seed uint64) *instance {
	t.Helper()
	rng, d := rand.New(rand.NewPCG(seed, 5)), space.FeatureLen()
	c := &instance{space: space, alpha: 0.3}
	list := space.(structure.Enumerator)
	for y := range list.All() {
		psi := make([]float64, d)
		space.Embed(psi, y)
		c.psi = append(c.psi, psi)
	}
	x, psi := linalg.NewMatrix[float64](n, p), linalg.NewMatrix[float64](n, d)
	sparse := &solve.Sparse{Rows: n, Cols: p, Indptr: []int64{0}}
	weights := make([]float64, n)
	for i := range n {
		for j := range p {
			if rng.IntN(3) > 0 {
				v := rng.NormFloat64()
				x.Row(i)[j] = v
				sparse.Data, sparse.Indices = append(sparse.Data, v), append(sparse.Indices, int32(j))
			}
		}
		sparse.Indptr = append(sparse.Indptr, int64(len(sparse.Data)))
		// The better of two outputs by the first feature, so that there is something to learn.
		one, two := c.psi[rng.IntN(len(c.psi))], c.psi[rng.IntN(len(c.psi))]
		if (one[0]-two[0])*x.Row(i)[0] < 0 {
			one = two
		}
		copy(psi.Row(i), one)
		if i%5 != 3 {
			weights[i] = 0.5 + rng.Float64()
		}
	}
	mean, err := loglinear.MeanOf(space)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*solve.Design{
		{N: n, P: p, Intercept: true, Dense: x}, {N: n, P: p, Intercept: true, Rows: sparse},
	} {
		problem := &loglinear.Problem{X: x, Psi: psi, Weights: weights, Mean: mean, Workers: 2}
		if err := problem.Prepare(); err != nil {
			t.Fatal(err)
		}
		c.problem, c.sparse = c.sparse, problem
	}
	return c
}

// objective returns α‖W‖² plus the loss, summed over all outputs.
func (c *instance) objective(w []float64) float64 {
	d := c.space.FeatureLen()
	var total float64
	for _, v := range w {
		total += c.alpha * v * v
	}
	for i := range c.problem.X.N {
		f := make([]float64, d)
		c.problem.X.Entries(i, func(j int, v float64) {
			for k := range f {
				f[k] += v * w[j*d+k]
			}
		})
		scores, top := make([]float64, len(c.psi)), math.Inf(-1)
		for o, psi := range c.psi {
			scores[o] = linalg.Dot(f, psi)
			top = max(top, scores[o])
		}
		var z float64
		for _, s := range scores {
			z += math.Exp(s - top)
		}
		total += c.problem.Weights[i] * (top + math.Log(z) - linalg.Dot(f, c.problem.Psi.Row(i)))
	}
	return total
}

// slope returns the derivative of the objective along a direction by central differences, and the scale of its error.
func (c *instance) slope(w, along []float64) float64 {
	const h = 1e-5
	at := func(step float64) float64 {
		moved := make([]float64, len(w))
		for i := range w {
			moved[i] = w[i] + step*along[i]
		}
		return c.objective(moved)
	}
	return (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
}

// small calls f with every small space that has an exact partition function, moments and a list, and ψ of moderate size.
func small(t *testing.T, f func(t *testing.T, space structure.Space)) {
	for _, name := range examples.Names() {
		sizes, _ := examples.Of(name)
		for k, args := range sizes.Small() {
			space, err := structure.New(name, structure.Args(args))
			if err != nil {
				t.Fatal(err)
			}
			_, lists := space.(structure.Enumerator)
			_, moments := space.(structure.Moments)
			log, err := structure.LogCount(space)
			if !lists || !moments || err != nil || !(log < math.Log(800)) || !partition.Available(space, true) {
				continue
			}
			t.Run(name+"/"+string(rune('0'+k)), func(t *testing.T) { f(t, space) })
		}
	}
}

// exactMoments says whether the moments of a space are those of its outputs.
func exactMoments(space structure.Space) bool {
	a, ok := space.(structure.Approximator)
	return !ok || a.MomentsKind() == structure.ExactMoments
}

func build(t testing.TB, name string, n int64) structure.Space {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": n}})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func random(n int, size float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = size * rng.NormFloat64()
	}
	return x
}

func shaped(x []float64, rows, cols int) matrix {
	return matrix{Rows: rows, Cols: cols, Stride: cols, Data: x}
}
