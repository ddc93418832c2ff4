package loglinear

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"combpred/core/linalg"
	"combpred/core/parallel"
	"combpred/core/partition"
	"combpred/core/solve"
	"combpred/core/structure"
)

func random(rng *rand.Rand, rows, cols int) matrix {
	m := linalg.NewMatrix[float64](rows, cols)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// TestPreconditioner: changes of variables have their inverse and their transpose, with any of the factors left out.
func TestPreconditioner(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const q, d = 5, 3
	basis := func(n int) matrix {
		m := random(rng, n, n)
		s := linalg.NewMatrix[float64](n, n)
		linalg.Gemm(blas.NoTrans, blas.Trans, 1, m, m, 0, s)
		if err := diagonalise(make([]float64, n), s, nil); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, factors := range [][2]matrix{{}, {basis(q), {}}, {{}, basis(d)}, {basis(q), basis(d)}} {
		p := &preconditioner{factors[0], factors[1], random(rng, q, d), [2]matrix{random(rng, q, d), random(rng, q, d)}}
		z, w, back := random(rng, q, d), random(rng, q, d), random(rng, q, d)
		p.weightsTo(w, z)
		p.coordinatesTo(back, w)
		for i, v := range z.Data {
			if math.Abs(back.Data[i]-v) > 1e-11 {
				t.Fatalf("coordinate %d comes back as %v, was %v", i, back.Data[i], v)
			}
		}
		g, pulled := random(rng, q, d), random(rng, q, d)
		p.pullBackTo(pulled, g)
		if one, two := dot(g.Data, w.Data), dot(pulled.Data, z.Data); math.Abs(one-two) > 1e-11 {
			t.Errorf("the change by the weights is %v, by the coordinates %v", one, two)
		}
	}
}

// exactEngine is that of package expect, which imports this one, as far as it is needed here.
type exactEngine struct{ space structure.Space }

func (e exactEngine) Answer(r RowsRequest, mon *parallel.Monitor) error {
	_, err := partition.Batch(e.space, linalg.General(r.Scores), r.LogZ, linalg.General(r.Means), 1, mon)
	return err
}

// TestHessianAtZero: in the coordinates of the Hessian at W = 0 the covariance of the scores' gradient, with the penalty, is the identity.
// The loss is about quadratic near zero, so that a step h along any coordinate raises it by h²/2 beyond its slope.
func TestHessianAtZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	space, err := structure.New("permutations", structure.Args{Scalars: map[string]int64{"n": 4}})
	if err != nil {
		t.Fatal(err)
	}
	const n, alpha, h = 20, 0.3, 1e-3
	mean, _ := MeanOf(space)
	d := space.FeatureLen()
	p := &Problem{X: &solve.Design{N: n, P: 3, Intercept: true, Dense: random(rng, n, 3)}, Psi: random(rng, n, d), Mean: mean}
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	o := SearchOptions{Sizes: Sizes{Features: 4, Outputs: d}, Alpha: alpha, Tol: 1e-6, MaxIter: 9}
	length, _ := o.StateLen()
	cov, _ := Covariance(space)
	s, err := NewSearch(o, make([]float64, length), cov, matrix{})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := s.Next(nil)
	exact := exactEngine{space}
	if err := AddSums(o.Sizes, p, r.Kind, r.Weights, r.Sums, exact, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(nil); err != nil {
		t.Fatal(err)
	}
	gradient := func(z matrix) matrix {
		w, sums, g := random(rng, 4, d), make([]float64, o.SumsLen(Loss)), random(rng, 4, d)
		s.own.zero.weightsTo(w, z)
		if err := AddSums(o.Sizes, p, Loss, w, sums, exact, nil); err != nil {
			t.Fatal(err)
		}
		all := o.GradientOf(sums)
		axpy(all.Data, 2*alpha, w.Data)
		s.own.zero.pullBackTo(g, all)
		return g
	}
	for range 5 {
		z := random(rng, 4, d)
		scale(h, z.Data)
		there := gradient(z)
		scale(-1, z.Data)
		back := gradient(z)
		for i, v := range z.Data {
			if got := (back.Data[i] - there.Data[i]) / 2; math.Abs(got-v) > 1e-3*h {
				t.Errorf("entry %d of the Hessian's product is %v, want %v", i, got, v)
			}
		}
	}
}

// TestStepIsStable: with the first step size, the preconditioned Hessian of mini-batches contracts: 1/size is at least its eigenvalue over
// all rows, which is 1 along eigenvectors and found by iteration along axes.
func TestStepIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, q, d = 200, 6, 2
	x := random(rng, n, q)
	for i := range n {
		for j := range q { // strongly correlated features
			x.Row(i)[j] = 0.3*x.Row(i)[j] + 2*x.Row(i)[0]
		}
	}
	p := &Problem{X: &solve.Design{N: n, P: q, Dense: x}, Psi: random(rng, n, d), Mean: make([]float64, d)}
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	for _, gram := range []int{q, 1} {
		s := Sizes{Features: q, Outputs: d, LargestGram: gram, LargestMoved: 1}
		sums := make([]float64, s.SumsLen(Moments))
		if err := AddSums(s, p, Moments, matrix{}, sums, nil, nil); err != nil {
			t.Fatal(err)
		}
		by := &preconditioner{outputs: linalg.NewMatrix[float64](d, d), scale: random(rng, q, d)}
		by.outputs.Data[0], by.outputs.Data[3] = 1, 1
		if s.gram() {
			by.features = linalg.NewMatrix[float64](q, q)
		}
		curvature := make([]float64, q)
		if err := setZero(s, 1e-9, sums, by, curvature, make([]float64, d), nil); err != nil {
			t.Fatal(err)
		}
		size, err := p.firstStep(by, s, 1e-9, 1, curvature, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !s.gram() {
			if size > 1/5.5 {
				t.Errorf("along axes the first step is %v, and the eigenvalue about %d", size, q)
			}
			cancelled := new(parallel.Monitor)
			cancelled.Cancel()
			if _, err := p.firstStep(by, s, 1e-9, 1, curvature, cancelled); !errors.Is(err, parallel.ErrCancelled) {
				t.Errorf("a cancelled iteration gives %v", err)
			}
			continue
		}
		// R²/b is about q/b.
		if want := 1 / (1 + float64(q)/batchRows); math.Abs(size-want) > 0.1 {
			t.Errorf("the first step is %v, want about %v", size, want)
		}
	}
}

// TestSampledFigures: with independent normal noise of known variance the estimated gains are right on average, and their errors are those
// of the estimates; within 5 standard errors of 4000 trials.
func TestSampledFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n, trials, noise = 30, 4000, 0.5
	truth := random(rng, n, 1)
	var values, squares, claimed float64
	one, two := make([]float64, n), make([]float64, n)
	for range trials {
		for i, v := range truth.Data {
			one[i], two[i] = v+noise*rng.NormFloat64(), v+noise*rng.NormFloat64()
		}
		d := newtonGain(one, two)
		values += d.Value / trials
		squares += d.Value * d.Value / trials
		claimed += d.Error * d.Error / trials
	}
	want, variance := dot(truth.Data, truth.Data)/2, squares-values*values
	if math.Abs(values-want) > 5*math.Sqrt(variance/trials) {
		t.Errorf("the mean gain is %v, want %v", values, want)
	}
	if math.Abs(claimed/variance-1) > 0.15 {
		t.Errorf("the variance is said to be %v, is %v", claimed, variance)
	}
	d := Decrement{1, 0.1}
	if !d.within(1.21) || d.within(1.19) || !d.beyond(0.59) || d.beyond(0.61) {
		t.Error("bounds are not at two and four standard errors")
	}
}
