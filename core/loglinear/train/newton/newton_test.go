package newton_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"combpred/core/internal/loglineartest"
	"combpred/core/linalg"
	"combpred/core/loglinear"
	"combpred/core/loglinear/expect"
	"combpred/core/loglinear/train/newton"
	"combpred/core/slicex"
	"combpred/core/solve"
	"combpred/core/structure"
)

type matrix = linalg.Matrix[float64]

// variants are problems with the same minimum: dense and sparse features with and without rows of weight 0, and dense ones that are mostly
// zero, so that they are treated as sparse ones.
func variants(c *loglineartest.Instance) map[string]*loglinear.Problem {
	return map[string]*loglinear.Problem{"dense": c.Problem, "sparse": c.Sparse}
}

// tree returns a hierarchy of 8 nodes of which so many leaves and inner nodes are allowed.
func tree(t *testing.T, allowed ...int32) structure.Space {
	t.Helper()
	parents := []int32{-1, 0, 0, 1, 1, 2, 5, 5}
	space, err := structure.New("hierarchy", structure.Args{Scalars: map[string]int64{"n": 8}, Ints: append(parents, allowed...)})
	if err != nil {
		t.Fatal(err)
	}
	return space
}

// TestMinimum: the solution is that of L-BFGS, and slopes of the sum over all outputs are 0 there. Two values of the entries, and three;
// classes, and listed outputs: fewer than entries of ψ, and as many.
func TestMinimum(t *testing.T) {
	for _, space := range []structure.Space{
		loglineartest.Build(t, "labelsets", 4), loglineartest.Build(t, "labelsets", 1), loglineartest.Build(t, "tournaments", 3),
		loglineartest.Build(t, "multiclass", 4), loglineartest.Build(t, "multiclass", 2),
		tree(t, 0, 0, 0, 1, 1, 0, 1, 1), tree(t, 1, 1, 1, 1, 1, 1, 1, 1), loglineartest.Build(t, "ordinal", 4),
		sized(t, 5, 1), sized(t, 4, 3),
	} {
		for _, alpha := range []float64{1e-4, 0.3} {
			c := loglineartest.New(t, space, 70, 5, 3)
			c.Alpha = alpha
			o := c.Options()
			o.Tol, o.MaxIter = 1e-9, 5000
			want, err := loglinear.Fit(o, c.Problem, space, expect.Exact{Spaces: expect.One(space), Workers: 1}, matrix{}, nil)
			if err != nil || want.Residual > o.Tol {
				t.Fatal(want.Residual, err)
			}
			for name, p := range slicex.InOrder(variants(c)) {
				got, err := newton.Minimise(o, p, space, matrix{}, nil)
				if err != nil || got.Residual > o.Tol || got.Iterations < 1 || got.Iterations > 30 {
					t.Fatalf("%v, %s: residual %v after %d steps, error %v", space, name, got.Residual, got.Iterations, err)
				}
				if direct := c.Objective(got.Weights.Data); math.Abs(got.Objective-direct) > 1e-11*direct {
					t.Errorf("%v, %s: it says %v, the sum over all outputs is %v", space, name, got.Objective, direct)
				}
				for k, v := range want.Weights.Data {
					if math.Abs(got.Weights.Data[k]-v) > 1e-6*max(1, math.Abs(v)) {
						t.Fatalf("%v, %s, alpha %v: weight %d is %v, L-BFGS finds %v", space, name, alpha, k, got.Weights.Data[k], v)
					}
				}
				for seed := range uint64(3) {
					along := loglineartest.Random(len(got.Weights.Data), 1, seed)
					if slope := c.Slope(got.Weights.Data, along); math.Abs(slope) > 1e-5 {
						t.Errorf("%v, %s: the slope at the solution is %v", space, name, slope)
					}
				}
			}
		}
	}
}

// wide draws a problem of which most features are 0, too many for a whole second moment, with d labels.
func wide(t *testing.T, n, p, d int, intercept bool) (dense, sparse *loglinear.Problem, space structure.Space) {
	space = loglineartest.Build(t, "labelsets", int64(d))
	x := linalg.NewMatrix[float64](n, p)
	rows := &solve.Sparse{Rows: n, Cols: p, Indptr: []int64{0}}
	drawn, noise := loglineartest.Random(n*p, 1, 1), loglineartest.Random(n*d, 1, 2)
	psi := linalg.NewMatrix[float64](n, d)
	for i := range n {
		for k, v := range drawn[i*p : (i+1)*p] {
			if math.Abs(v) > 1.8 {
				x.Row(i)[k] = v
				rows.Data, rows.Indices = append(rows.Data, v), append(rows.Indices, int32(k))
			}
		}
		rows.Indptr = append(rows.Indptr, int64(len(rows.Data)))
		for j := range d {
			if x.Row(i)[j]+noise[i*d+j] > 0.5 {
				psi.Row(i)[j] = 1
			}
		}
	}
	problem := func(x *solve.Design) *loglinear.Problem {
		out := &loglinear.Problem{X: x, Psi: psi, Mean: make([]float64, d), Workers: 1}
		if err := out.Prepare(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	return problem(&solve.Design{Rows: linalg.Rows{Dense: x}, Intercept: intercept}),
		problem(&solve.Design{Rows: linalg.Rows{Sparse: rows}, Intercept: intercept}), space
}

// TestWide: with more features than rows, and so many labels that columns wait for others to end, the gradient is 0 at the solution, and
// neither the way that features are stored nor the number of workers matters.
func TestWide(t *testing.T) {
	for _, intercept := range []bool{true, false} {
		dense, sparse, space := wide(t, 60, 200, 21, intercept)
		o := newton.Options{Sizes: loglinear.Sizes{Features: sparse.X.Columns(), Outputs: 21}, Alpha: 0.05, Tol: 1e-9, MaxIter: 100}
		want, err := newton.Minimise(o, sparse, space, matrix{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sums := make([]float64, o.SumsLen(loglinear.Loss))
		engine := expect.Exact{Spaces: expect.One(space), Workers: 1}
		if err := loglinear.AddSums(o.Sizes, sparse, loglinear.Loss, want.Weights, sums, engine, nil); err != nil {
			t.Fatal(err)
		}
		for k, v := range o.GradientOf(sums).Data {
			if g := v + 2*o.Alpha*want.Weights.Data[k]; math.Abs(g) > 1e-7 {
				t.Fatalf("entry %d of the gradient is %v", k, g)
			}
		}
		if whole := sums[loglinear.LossSum] + o.Alpha*linalg.SquaredNorm(want.Weights.Data); math.Abs(whole-want.Objective) > 1e-12*whole {
			t.Errorf("the objective is %v, it says %v", whole, want.Objective)
		}
		for _, p := range []*loglinear.Problem{dense, sparse} {
			for _, workers := range []int{1, 2, 3, 0} {
				p.Workers = workers
				got, err := newton.Minimise(o, p, space, matrix{}, nil)
				if err != nil || !slices.Equal(got.Weights.Data, want.Weights.Data) || got.Objective != want.Objective {
					t.Errorf("%d workers, sparse %v: the weights differ, error %v", workers, p.X.Sparse != nil, err)
				}
			}
		}
		full := *dense
		design := *dense.X
		design.Dense = linalg.NewMatrix[float64](dense.X.Len(), dense.X.Features())
		for i := range design.Dense.Data { // nothing is exactly 0
			design.Dense.Data[i] = dense.X.Dense.Data[i] + 1e-12
		}
		full.X = &design
		var first []float64
		for _, workers := range []int{1, 2, 3} {
			full.Workers = workers
			got, err := newton.Minimise(o, &full, space, matrix{}, nil)
			if first == nil {
				first = got.Weights.Data
			}
			if err != nil || !slices.Equal(got.Weights.Data, first) || math.Abs(got.Objective-want.Objective) > 1e-9*want.Objective {
				t.Errorf("%d workers, dense: the objective is %v, of sparse features %v, error %v", workers, got.Objective,
					want.Objective, err)
			}
		}
	}
}

// TestStart: a search that begins at the solution ends there, one that begins at bad weights ends where that from zero does.
func TestStart(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 3), 60, 4, 7)
	o := c.Options()
	o.Tol = 1e-8
	for name, p := range slicex.InOrder(variants(c)) {
		first, err := newton.Minimise(o, p, c.Space, matrix{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Tol = 2e-8 // scores are added up in another order
		again, err := newton.Minimise(o, p, c.Space, first.Weights, nil)
		if err != nil || again.Iterations != 0 || !slices.Equal(again.Weights.Data, first.Weights.Data) {
			t.Errorf("%s: it moves in %d steps, error %v", name, again.Iterations, err)
		}
		o.Tol = 1e-8
		half := linalg.NewMatrix[float64](o.Features, o.Outputs)
		for k, v := range first.Weights.Data {
			half.Data[k] = 0.9 * v
		}
		near, err := newton.Minimise(o, p, c.Space, half, nil)
		if err != nil || near.Iterations < 1 || math.Abs(near.Objective-first.Objective) > 1e-12*first.Objective {
			t.Errorf("%s: from nearby it ends at %v, from zero at %v, error %v", name, near.Objective, first.Objective, err)
		}
		far := linalg.Shaped(loglineartest.Random(len(half.Data), 50, 4), o.Features, o.Outputs)
		other, err := newton.Minimise(o, p, c.Space, far, nil)
		if err != nil || !slices.Equal(other.Weights.Data, first.Weights.Data) {
			t.Errorf("%s: from weights that are worse than zero it ends at %v, from zero at %v, error %v", name, other.Objective,
				first.Objective, err)
		}
	}
}

// TestEnds: limits are kept, and where the observed means are the uniform ones there is nothing to do.
func TestEnds(t *testing.T) {
	c := loglineartest.New(t, loglineartest.Build(t, "labelsets", 3), 60, 4, 7)
	o := c.Options()
	o.MaxIter = 1
	f, err := newton.Minimise(o, c.Problem, c.Space, matrix{}, nil)
	if err != nil || f.Iterations != 1 || f.Residual <= o.Tol || f.Residual >= 1 {
		t.Errorf("after %d of 1 steps the residual is %v, error %v", f.Iterations, f.Residual, err)
	}
	o.MaxIter, o.Tol = 100, 0
	if f, err = newton.Minimise(o, c.Problem, c.Space, matrix{}, nil); err != nil || f.Residual > 1e-12 {
		t.Errorf("without a tolerance the residual is %v, error %v", f.Residual, err)
	}
	for i := range c.Problem.Psi.Data {
		c.Problem.Psi.Data[i] = 0.5
	}
	f, err = newton.Minimise(o, c.Problem, c.Space, matrix{}, nil)
	if err != nil || f.Iterations != 0 || f.Residual != 0 || linalg.SquaredNorm(f.Weights.Data) != 0 {
		t.Errorf("the residual is %v after %d steps, error %v", f.Residual, f.Iterations, err)
	}
}

// TestHardSteps: labels that features tell without exception and large values, where whole steps of Newton's method lead too far.
func TestHardSteps(t *testing.T) {
	n := 40
	x, psi := linalg.NewMatrix[float64](n, 2), linalg.NewMatrix[float64](n, 1)
	for i := range n {
		x.Row(i)[0] = math.Exp(float64(i)/4) * (1 - 2*float64(i%2))
		x.Row(i)[1] = 1e3 * math.Sin(float64(i))
		psi.Row(i)[0] = float64(i % 2)
	}
	p := &loglinear.Problem{X: &solve.Design{Rows: linalg.Rows{Dense: x}, Intercept: true}, Psi: psi, Mean: []float64{0.5}, Workers: 1}
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	space := loglineartest.Build(t, "labelsets", 1)
	o := newton.Options{Sizes: loglinear.Sizes{Features: 3, Outputs: 1}, Alpha: 1e-8, Tol: 1e-10, MaxIter: 500}
	f, err := newton.Minimise(o, p, space, matrix{}, nil)
	if err != nil || f.Residual > o.Tol {
		t.Fatalf("the residual is %v after %d steps, error %v", f.Residual, f.Iterations, err)
	}
	sums := make([]float64, o.SumsLen(loglinear.Loss))
	exact := expect.Exact{Spaces: expect.One(space), Workers: 1}
	if err := loglinear.AddSums(o.Sizes, p, loglinear.Loss, f.Weights, sums, exact, nil); err != nil {
		t.Fatal(err)
	}
	zero := float64(n) * math.Ln2
	if whole := sums[loglinear.LossSum] + o.Alpha*linalg.SquaredNorm(f.Weights.Data); math.Abs(whole-f.Objective) > 1e-9*zero ||
		whole > 0.1*zero {
		t.Errorf("the objective is %v, it says %v", whole, f.Objective)
	}
}

func Example() {
	x, err := linalg.NewMatrix[float64](4, 1), error(nil)
	copy(x.Data, []float64{-2, -1, 1, 2})
	psi := linalg.NewMatrix[float64](4, 2)
	copy(psi.Data, []float64{0, 1, 0, 1, 1, 0, 1, 0})
	p := &loglinear.Problem{X: &solve.Design{Rows: linalg.Rows{Dense: x}}, Psi: psi, Mean: []float64{0.5, 0.5}, Workers: 1}
	if err = p.Prepare(); err != nil {
		panic(err)
	}
	space, err := structure.New("labelsets", structure.Args{Scalars: map[string]int64{"n": 2}})
	if err != nil {
		panic(err)
	}
	o := newton.Options{Sizes: loglinear.Sizes{Features: 1, Outputs: 2}, Alpha: 0.5, Tol: 1e-8, MaxIter: 50}
	f, err := newton.Minimise(o, p, space, linalg.Matrix[float64]{}, nil)
	fmt.Printf("%.4f %v\n", f.Weights.Data, err)
	// Output: [1.0066 -1.0066] <nil>
}
