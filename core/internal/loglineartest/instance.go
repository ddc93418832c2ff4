// Package loglineartest holds small problems of log-linear training, solved by sums over all outputs. Only tests import it.
package loglineartest

import (
	"math"
	"math/rand/v2"
	"testing"

	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/parallel"
	"combpred/core/solve"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// Instance is a small problem, with the outputs of its space listed.
type Instance struct {
	Space   structure.Space
	Psi     [][]float64 // of all outputs
	Problem *loglinear.Problem
	Sparse  *loglinear.Problem // the same with sparse features
	Alpha   float64
}

// Sizes returns those of the weights.
func (c *Instance) Sizes() loglinear.Sizes {
	return loglinear.Sizes{Features: c.Problem.X.Columns(), Outputs: c.Space.FeatureLen()}
}

// Options returns those of a search to seven digits.
func (c *Instance) Options() loglinear.SearchOptions {
	return loglinear.SearchOptions{Sizes: c.Sizes(), Alpha: c.Alpha, Tol: 1e-7, MaxIter: 500}
}

// New draws n rows of p features, a third of them zero, with an intercept, outputs that depend on them, and weights of which every
// fifth is 0.
func New(t testing.TB, space structure.Space, n, p int, seed uint64) *Instance {
	t.Helper()
	rng, d := rand.New(rand.NewPCG(seed, 5)), space.FeatureLen()
	c := &Instance{Space: space, Alpha: 0.3}
	list := space.(structure.Enumerator)
	for y := range list.All() {
		psi := make([]float64, d)
		space.Embed(psi, y)
		c.Psi = append(c.Psi, psi)
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
		one, two := c.Psi[rng.IntN(len(c.Psi))], c.Psi[rng.IntN(len(c.Psi))]
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
		{Rows: linalg.Rows{Dense: x}, Intercept: true}, {Rows: linalg.Rows{Sparse: sparse}, Intercept: true},
	} {
		problem := &loglinear.Problem{X: x, Psi: psi, Weights: weights, Mean: mean, Workers: 2}
		if err := problem.Prepare(); err != nil {
			t.Fatal(err)
		}
		c.Problem, c.Sparse = c.Sparse, problem
	}
	return c
}

// Objective returns α‖W‖² plus the loss, summed over all outputs.
func (c *Instance) Objective(w []float64) float64 {
	d := c.Space.FeatureLen()
	var total float64
	for _, v := range w {
		total += c.Alpha * v * v
	}
	for i := range c.Problem.X.Len() {
		f := make([]float64, d)
		c.Problem.X.Entries(i, func(j int, v float64) {
			for k := range f {
				f[k] += v * w[j*d+k]
			}
		})
		scores, top := make([]float64, len(c.Psi)), math.Inf(-1)
		for o, psi := range c.Psi {
			scores[o] = linalg.Dot(f, psi)
			top = max(top, scores[o])
		}
		var z float64
		for _, s := range scores {
			z += math.Exp(s - top)
		}
		total += c.Problem.Weights[i] * (top + math.Log(z) - linalg.Dot(f, c.Problem.Psi.Row(i)))
	}
	return total
}

// Slope returns the derivative of the objective along a direction by central differences.
func (c *Instance) Slope(w, along []float64) float64 {
	const h = 1e-5
	at := func(step float64) float64 {
		moved := make([]float64, len(w))
		for i := range w {
			moved[i] = w[i] + step*along[i]
		}
		return c.Objective(moved)
	}
	return (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
}

// Build returns the space of a structure that is given by its size alone.
func Build(t testing.TB, name string, n int64) structure.Space {
	t.Helper()
	space, err := structure.New(name, structure.Args{Scalars: map[string]int64{"n": n}})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// Random returns normal numbers.
func Random(n int, size float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = size * rng.NormFloat64()
	}
	return x
}

// Rankings is an Instance whose outputs are the best by a linear scorer, so that a search goes far.
func Rankings(t testing.TB, n int, labels int64) *Instance {
	c := New(t, Build(t, "permutations", labels), n, 4, 7)
	c.Alpha = 1e-4
	d := c.Space.FeatureLen()
	w := Random(c.Problem.X.Columns()*d, 1, 13)
	for i := range n {
		f, best := make([]float64, d), math.Inf(-1)
		c.Problem.X.Entries(i, func(j int, v float64) { linalg.Axpy(f, w[j*d:(j+1)*d], v) })
		for _, psi := range c.Psi {
			if v := linalg.Dot(f, psi); v > best {
				best = v
				copy(c.Problem.Psi.Row(i), psi)
			}
		}
	}
	return c
}

// Minimum returns where a search by exact expectations ends.
func Minimum(t *testing.T, c *Instance) loglinear.Found {
	t.Helper()
	f, err := loglinear.Fit(c.Options(), c.Problem, c.Space, expect.Exact{Spaces: expect.One(c.Space), Workers: 1}, matrix{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// NoDraws is an oracle that cannot draw.
type NoDraws struct{ loglinear.Oracle }

// Answer implements loglinear.Oracle.
func (e NoDraws) Answer(r loglinear.RowsRequest, mon *parallel.Monitor) error {
	if r.Ask == loglinear.Draw {
		return loglinear.ErrNoDraws
	}
	return e.Oracle.Answer(r, mon)
}
